/** Lists of documents and of users, and single ones: what is asked, and how what they link to is read. */

import type { Session } from '../auth/session.js'
import type { Fields } from '../protocol/model/document.js'
import type { ListQuery, Page, Sort } from '../protocol/model/page.js'
import { type Path, parsePath } from '../protocol/model/path.js'
import type { Listed } from '../protocol/wire/list/decode.js'
import { encodeListQuery, populateParameter } from '../protocol/wire/query/encode.js'
import { decodePage, type ReadItem } from '../protocol/wire/records/decode.js'
import type { Spoken } from '../protocol/wire/spoken.js'
import type { CallOptions } from './collection-writes.js'
import { readLinks } from './links.js'
import { toWhere } from './where.js'

interface Asked extends CallOptions {
  readonly where?: object
  /** A field, with `-` in front to turn the order around. */
  readonly sort?: string | Sort
  readonly populate?: readonly string[]
  readonly limit?: number
  readonly offset?: number
  readonly count?: boolean
}

/** A page to ask for. */
export type PageQuery = Pick<ListQuery, 'where'> & Partial<ListQuery> & CallOptions

/** What was asked for, as the wire knows it. */
export function queryOf({ where, sort, populate = [], ...page }: Asked) {
  const sorted: Sort | undefined =
    typeof sort === 'string'
      ? { path: parsePath(sort.replace(/^-/, '')), direction: sort.startsWith('-') ? 'desc' : 'asc' }
      : sort
  return { ...page, where: toWhere(where), sort: sorted, populate: populate.map(parsePath) }
}

/** One page, its links read. */
export async function listPage<Item extends { readonly data: Fields }>(
  { ask }: Session,
  pathOf: (dialect: Spoken) => string,
  listed: Listed,
  read: ReadItem<Item>,
  query: PageQuery,
): Promise<Page<Item>> {
  const { offset = 0, populate = [], signal } = query
  const page = await ask('GET', '', decodePage(listed, linked(read, populate)), (dialect) => ({
    path: pathOf(dialect),
    query: encodeListQuery(dialect, query),
    signal,
  }))
  return { ...page, offset }
}

/** One document or user, its links read. */
export function getLinked<Item extends { readonly data: Fields }>(
  { ask }: Session,
  pathOf: (dialect: Spoken) => string,
  read: ReadItem<Item>,
  { populate = [], signal }: Pick<Asked, 'populate' | 'signal'>,
): Promise<Item> {
  const paths = populate.map(parsePath)
  const query = paths.map(populateParameter)
  return ask('GET', '', linked(read, paths), (dialect) => ({ path: pathOf(dialect), query, signal }))
}

function linked<Item extends { readonly data: Fields }>(read: ReadItem<Item>, paths: readonly Path[]): ReadItem<Item> {
  return (record, dialect, header) => {
    const item = read(record, dialect, header)
    readLinks(dialect, item.data, paths)
    return item
  }
}
