import { InputFailure } from '../failure.js'

/** Patterns such as `data/*.json` and `data/**` as the files they name, in order; other words stay as they are. */
export async function expandPaths(words: readonly string[]): Promise<string[]> {
  const expanded = await Promise.all(words.map((word) => (/[*?]/.test(word) ? matching(word) : [word])))
  return expanded.flat()
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
