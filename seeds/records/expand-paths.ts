import { realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { InputFailure } from '../failure.js'

/**
 * Expands patterns such as `data/*.json` and `data/**` to files, in order. Other words stay as they are. Lists each file once.
 *
 * @param by compares files by their target (`file`), or by name if names matter (`name`)
 */
export async function expandPaths(words: readonly string[], by: 'file' | 'name' = 'file'): Promise<string[]> {
  const expanded = await Promise.all(words.map((word) => (/[*?]/.test(word) ? matching(word) : [word])))
  const paths = new Map<string, string>()
  for (const path of expanded.flat()) {
    // Keeps stdin and missing files, which fail when they are opened.
    const place = path === '-' ? path : await resolvePath(path, by).catch(() => path)
    if (!paths.has(place)) paths.set(place, path)
  }
  return [...paths.values()]
}

async function resolvePath(path: string, by: 'file' | 'name'): Promise<string> {
  return by === 'file' ? realpath(path) : join(await realpath(dirname(path)), basename(path))
}

async function matching(pattern: string): Promise<string[]> {
  const { glob } = await import('tinyglobby')
  // Treats brackets and braces as ordinary characters: `app/[id]/*.json`.
  const found = await glob(pattern.replace(/[()[\]{}!]/g, '\\$&'), {
    ignore: '**/node_modules/**',
    expandDirectories: false,
    absolute: pattern.startsWith('/'),
  })
  if (found.length === 0) throw new InputFailure('missing', 'NO_FILE', `No file matches "${pattern}".`)
  return found.sort()
}
