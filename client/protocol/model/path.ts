import { isObject, type Json } from './json.js'

/** A dotted name in parts: `author.name` is `['author', 'name']`. */
export type Path = readonly [string, ...string[]]

export function parsePath(dotted: string): Path {
  return dotted.split('.') as [string, ...string[]]
}

export function formatPath(path: Path): string {
  return path.join('.')
}

/**
 * Returns the value at a path, or `undefined`. Like `#>` in PostgreSQL, integers index arrays, and negative ones count from
 * the end.
 */
export function valueAt(data: Json | undefined, path: readonly string[]): Json | undefined {
  let value: Json | undefined = data
  for (const segment of path) {
    if (Array.isArray(value)) value = isIndexSegment(segment) ? value.at(Number(segment)) : undefined
    else if (isObject(value)) value = Object.hasOwn(value, segment) ? value[segment] : undefined
    else return undefined
  }
  return value
}

/** Tells whether a segment indexes an array. */
export function isIndexSegment(segment: string): boolean {
  return /^[ \t-\r]*[+-]?\d+$/.test(segment)
}

/**
 * Tells whether one path contains the other, so that a query on one reveals something about the other. Ignores array
 * indexes.
 */
export function overlap(one: Path, other: Path): boolean {
  const [a, b] = [withoutIndexes(one), withoutIndexes(other)]
  return a.every((segment, at) => at >= b.length || segment === b[at])
}

/** Drops array indexes. Keeps the first segment, which is always a field. */
export function withoutIndexes([first, ...others]: Path): Path {
  return [first, ...others.filter((segment) => !isIndexSegment(segment))]
}
