import { realpath } from 'node:fs/promises'
import { InputFailure } from '../failure.js'

/**
 * Patterns such as `data/*.json` and `data/**` as the files they name, in order; other words stay as they are. A file that several
 * words name is there once, by the first of them.
 */
export async function expandPaths(words: readonly string[]): Promise<string[]> {
  const expanded = await Promise.all(words.map((word) => (/[*?]/.test(word) ? matching(word) : [word])))
  const paths = new Map<string, string>()
  for (const path of expanded.flat()) {
    // What is no file, as stdin is, or is missing, is said by whoever opens it.
    const place = path === '-' ? path : await realpath(path).catch(() => path)
    if (!paths.has(place)) paths.set(place, path)
  }
  return [...paths.values()]
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
