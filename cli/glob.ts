import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { CliFailure, exits } from './base/failure.js'

/** Patterns such as `data/*.json` and `data/**` as the files they name, in order; other words stay as they are. */
export async function expandPaths(words: readonly string[]): Promise<string[]> {
  const expanded = await Promise.all(words.map((word) => (/[*?]/.test(word) ? matching(word) : [word])))
  return expanded.flat()
}

async function matching(pattern: string): Promise<string[]> {
  const segments = pattern.split('/')
  const start = pattern.startsWith('/') ? '/' : '.'
  const found = await walk(start, start === '/' ? segments.slice(1) : segments)
  if (found.length === 0) throw new CliFailure('NO_FILE', exits.notFound, `No file matches "${pattern}".`)
  return found.sort()
}

async function walk(folder: string, [segment, ...rest]: readonly string[]): Promise<string[]> {
  if (segment === undefined) return []
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const visible = entries.filter(({ name }) => !name.startsWith('.') || segment.startsWith('.'))
  if (segment === '**') {
    const deeper = visible.filter((entry) => entry.isDirectory() && entry.name !== 'node_modules')
    const below = await Promise.all(deeper.map(({ name }) => walk(join(folder, name), ['**', ...rest])))
    return [...(await walk(folder, rest)), ...below.flat()]
  }
  if (segment === '.' || segment === '..') return walk(join(folder, segment), rest)
  const matches = pattern(segment)
  const hits = visible.filter(({ name }) => matches.test(name))
  if (rest.length === 0) return hits.filter((entry) => !entry.isDirectory()).map(({ name }) => join(folder, name))
  const below = await Promise.all(
    hits.filter((entry) => entry.isDirectory()).map(({ name }) => walk(join(folder, name), rest)),
  )
  return below.flat()
}

/** `*` is any text of a name, `?` one character; nothing else is special. */
function pattern(segment: string): RegExp {
  const source = segment
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replace(/\*+/g, '[^/]*')
    .replace(/\?/g, '[^/]')
  return new RegExp(`^${source}$`)
}
