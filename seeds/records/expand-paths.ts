import { realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { InputFailure } from '../failure.js'

/**
 * Expands patterns such as `data/*.json` and `data/**` in order. Keeps other arguments. Lists each file once, under
 * its first name.
 *
 * @param by identifies files by their symlink target (`file`) or by name (`name`)
 */
export async function expandPaths(words: readonly string[], by: 'file' | 'name' = 'file'): Promise<string[]> {
  const expanded = await Promise.all(words.map((word) => (/[*?]/.test(word) ? matching(word) : [word])))
  const paths = new Map<string, string>()
  for (const path of expanded.flat()) {
    // Leaves stdin and missing files to the caller that opens them.
    const place = path === '-' ? path : await resolveBy(path, by).catch(() => path)
    if (!paths.has(place)) paths.set(place, path)
  }
  return [...paths.values()]
}

async function resolveBy(path: string, by: 'file' | 'name'): Promise<string> {
  return by === 'file' ? realpath(path) : join(await realpath(dirname(path)), basename(path))
}

async function matching(pattern: string): Promise<string[]> {
  const { glob } = await import('tinyglobby')
  // Escapes brackets and braces, which are ordinary characters in names: `app/[id]/*.json`.
  const found = await glob(pattern.replace(/[()[\]{}!]/g, '\\$&'), {
    ignore: '**/node_modules/**',
    expandDirectories: false,
    absolute: pattern.startsWith('/'),
  })
  if (found.length === 0) throw new InputFailure('missing', 'NO_FILE', `No file matches "${pattern}".`)
  return found.sort()
}
