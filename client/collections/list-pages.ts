/** Lists of documents and of users, and single ones: what is asked, and how what they link to is read. */

import type { Session } from '../auth/session.js'
import type { Fields } from '../protocol/model/document.js'
import type { SvcError } from '../protocol/model/errors.js'
import type { ListQuery, Page, Sort } from '../protocol/model/page.js'
import { type Path, parsePath } from '../protocol/model/path.js'
import type { Listed } from '../protocol/wire/list/decode.js'
import { encodeListQuery } from '../protocol/wire/query/encode.js'
import { decodePage, type ReadItem } from '../protocol/wire/records/decode.js'
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
export type PageQuery = Partial<ListQuery> & CallOptions

/** What was asked for, as the wire knows it. */
export function queryOf({ where, sort, populate = [], ...page }: Asked) {
  return { ...page, where: toWhere(where), sort: sortOf(sort), populate: populate.map(parsePath) }
}

function sortOf(sort: string | Sort | undefined): Sort | undefined {
  if (typeof sort !== 'string') return sort
  return { path: parsePath(sort.replace(/^-/, '')), direction: sort.startsWith('-') ? 'desc' : 'asc' }
}

/** One page, its links read. */
export async function listPage<Item extends { readonly data: Fields }>(
  { dialect, call }: Session,
  path: string,
  listed: Listed,
  read: ReadItem<Item>,
  query: PageQuery,
): Promise<Page<Item>> {
  const { offset = 0, populate = [], signal } = query
  const parts = { query: encodeListQuery(await dialect(), query), signal }
  return { ...(await call('GET', path, decodePage(listed, linked(read, populate)), parts)), offset }
}

/** Asks for a page, and for half of it as long as the answer would be too large; which limit it was in the end. */
export async function halving<Answer>(
  limit: number,
  ask: (limit: number) => Promise<Answer>,
): Promise<readonly [Answer, number]> {
  try {
    return [await ask(limit), limit]
  } catch (error) {
    if (limit < 2 || (error as Partial<SvcError>).code !== 'RESULT_TOO_LARGE') throw error
    return halving(limit >> 1, ask)
  }
}

/** One document or user, its links read. */
export function getLinked<Item extends { readonly data: Fields }>(
  { call }: Session,
  path: string,
  read: ReadItem<Item>,
  { populate = [], signal }: Pick<Asked, 'populate' | 'signal'>,
): Promise<Item> {
  const query = populate.map((field) => ['populate', field] as const)
  return call('GET', path, linked(read, populate.map(parsePath)), { query, signal })
}

function linked<Item extends { readonly data: Fields }>(read: ReadItem<Item>, paths: readonly Path[]): ReadItem<Item> {
  return (record, dialect, header) => {
    const item = read(record, dialect, header)
    readLinks(dialect, item.data, paths)
    return item
  }
}
