import { realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { InputFailure } from '../failure.js'

/**
 * Patterns such as `data/*.json` and `data/**` as the files they name, in order; other words stay as they are. A file that several
 * words name is there once, by the first of them.
 *
 * @param by whether a link is the file it leads to, or another one, where files are what they are called
 */
export async function expandPaths(words: readonly string[], by: 'file' | 'name' = 'file'): Promise<string[]> {
  const expanded = await Promise.all(words.map((word) => (/[*?]/.test(word) ? matching(word) : [word])))
  const paths = new Map<string, string>()
  for (const path of expanded.flat()) {
    // What is no file, as stdin is, or is missing, is said by whoever opens it.
    const place = path === '-' ? path : await placeOf(path, by).catch(() => path)
    if (!paths.has(place)) paths.set(place, path)
  }
  return [...paths.values()]
}

async function placeOf(path: string, by: 'file' | 'name'): Promise<string> {
  return by === 'file' ? realpath(path) : join(await realpath(dirname(path)), basename(path))
}

async function matching(pattern: string): Promise<string[]> {
  const { glob } = await import('tinyglobby')
  // Brackets and braces are ordinary characters of names: `app/[id]/*.json`.
  const found = await glob(pattern.replace(/[()[\]{}!]/g, '\\$&'), {
    ignore: '**/node_modules/**',
    expandDirectories: false,
    absolute: pattern.startsWith('/'),
  })
  if (found.length === 0) throw new InputFailure('missing', 'NO_FILE', `No file matches "${pattern}".`)
  return found.sort()
}
