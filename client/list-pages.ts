/** Lists of documents and of users, and single ones: what is asked, and how what they link to is read. */
import type { CallOptions } from './collection-writes.js'
import { readLinks } from './links.js'
import type { Fields } from './model/document.js'
import type { ListQuery, Page, Sort } from './model/page.js'
import { parsePath } from './model/path.js'
import type { Session } from './session.js'
import { toWhere } from './where.js'
import { writeListQuery } from './wire/query.js'
import type { Read } from './wire/readers.js'

interface Asked extends CallOptions {
  readonly where?: object
  /** A field, with `-` in front to turn the order around. */
  readonly sort?: string | Sort
  readonly populate?: readonly string[]
  readonly limit?: number
  readonly offset?: number
  readonly count?: boolean
}

/** What was asked for, as the wire knows it. */
export function queryOf({ where, sort, populate = [], limit, offset, count }: Asked) {
  return { where: toWhere(where), sort: sortOf(sort), populate: populate.map(parsePath), limit, offset, count }
}

function sortOf(sort: string | Sort | undefined): Sort | undefined {
  if (typeof sort !== 'string') return sort
  return { path: parsePath(sort.replace(/^-/, '')), direction: sort.startsWith('-') ? 'desc' : 'asc' }
}

/** One page, its links read. */
export async function listPage<Item extends { readonly data: Fields }>(
  { dialect, call }: Session,
  path: string,
  query: Partial<ListQuery>,
  read: Read<Omit<Page<Item>, 'offset'>>,
  signal: AbortSignal | undefined,
): Promise<Page<Item>> {
  const spoken = await dialect()
  const { offset = 0, populate = [] } = query
  const page = await call('GET', path, read, { query: writeListQuery(spoken, query), signal })
  for (const { data } of page.items) readLinks(spoken, data, populate)
  return { ...page, offset }
}

/** One document or user, its links read. */
export async function getLinked<Item extends { readonly data: Fields }>(
  { dialect, call }: Session,
  path: string,
  read: Read<Item>,
  { populate = [], signal }: Pick<Asked, 'populate' | 'signal'>,
): Promise<Item> {
  const spoken = await dialect()
  const paths = populate.map(parsePath)
  const record = await call('GET', path, read, { query: writeListQuery(spoken, { populate: paths }), signal })
  readLinks(spoken, record.data, paths)
  return record
}
