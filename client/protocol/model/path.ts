import { isObject, type Json } from './json.js'

/** A dotted name taken apart: `author.name` is `['author', 'name']`. */
export type Path = readonly [string, ...string[]]

export function parsePath(dotted: string): Path {
  return dotted.split('.') as [string, ...string[]]
}

export function formatPath(path: Path): string {
  return path.join('.')
}

/**
 * The value at a path, `undefined` where there is none. As `#>` of PostgreSQL has it, a whole number
 * picks an element of an array, from the end when it is negative.
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

/** Whether a segment picks an item where it meets an array. */
export function isIndexSegment(segment: string): boolean {
  return /^[ \t-\r]*[+-]?\d+$/.test(segment)
}

/**
 * Whether one of two paths leads through the other, or both to the same place: what is asked of one says something of the other.
 * The items of an array count as one place.
 */
export function overlap(one: Path, other: Path): boolean {
  const [a, b] = [withoutIndexes(one), withoutIndexes(other)]
  return a.every((segment, at) => at >= b.length || segment === b[at])
}

/** The first segment is a field of the document itself, whatever it looks like. */
export function withoutIndexes([first, ...others]: Path): Path {
  return [first, ...others.filter((segment) => !isIndexSegment(segment))]
}
