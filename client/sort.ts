import type { Sort } from './model/page.js'
import { parsePath } from './model/path.js'

/** A field, with `-` in front to turn the order around. */
export function sortOf(sort: string | Sort | undefined): Sort | undefined {
  if (sort === undefined || typeof sort === 'object') return sort
  return sort.startsWith('-')
    ? { path: parsePath(sort.slice(1)), direction: 'desc' }
    : { path: parsePath(sort), direction: 'asc' }
}
