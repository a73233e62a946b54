/** Lists of documents and of users, and single ones: what is asked, and how what they link to is read. */

import type { Session } from '../auth/session.js'
import type { Fields } from '../protocol/model/document.js'
import type { ListQuery, Page, Sort } from '../protocol/model/page.js'
import { type Path, parsePath } from '../protocol/model/path.js'
import type { Where } from '../protocol/model/where.js'
import { otherForm } from '../protocol/wire/expected.js'
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
export interface PageQuery extends Partial<ListQuery>, CallOptions {
  readonly where: Where
  /** Of a page behind others: what all of them are asked for with, and how many documents came before it. */
  readonly behind?: { readonly where: Where; readonly read: number }
}

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
  const { offset = 0, populate = [], signal, behind = { where: query.where, read: offset } } = query
  const decode = decodePage(listed, linked(read, populate))
  let isOwn: unknown
  const pageOf = (asked: PageQuery) =>
    ask(
      'GET',
      '',
      (body, dialect, header) => {
        isOwn = header('svc-dialect')
        return decode(body, dialect, header)
      },
      (dialect) => ({ path: pathOf(dialect), query: encodeListQuery(dialect, asked), signal }),
    )
  const page = await pageOf(query)
  // A service that does not know a parameter takes it for a filter, which no document passes.
  if (!page.items[0] && !isOwn && (query.sort || query.count === false)) {
    const { items } = await pageOf({ where: behind.where, limit: 1, offset: behind.read || undefined })
    if (items[0]) throw otherForm('filters', 'The list is empty only with a sort, a cursor or "count". ')
  }
  return { ...page, offset }
}

/** Documents asked for at once while iterating; every dialect allows it. */
const pageSize = 100

/**
 * The pages of a selection, to its end: without a sort behind the id of the last document, with one by their offset.
 *
 * @param after the last document of an earlier reading, and how many it has read
 * @throws {SvcError} where the service sends the same documents again
 */
export async function* readPages<Item extends { readonly id: string }, Asked extends Pick<PageQuery, 'where' | 'sort'>>(
  list: (query: Asked & Omit<PageQuery, 'populate'>) => Promise<Page<Item>>,
  query: Asked,
  after?: { readonly id: string; readonly read: number },
  mostAtOnce = pageSize,
): AsyncGenerator<Page<Item>, void, undefined> {
  let { id: last, read = 0 } = after ?? {}
  let limit = mostAtOnce
  let before = new Set<string>()
  for (;;) {
    const { where, sort } = query
    const cursor: Where['all'] = last ? [{ any: [{ path: ['id'], operator: 'gt', value: last }] }] : []
    const step: Partial<PageQuery> = sort
      ? { offset: read }
      : { where: { all: [...where.all, ...cursor] }, sort: { path: ['id'], direction: 'asc' } }
    const behind = { where, read }
    const page = await list({ ...query, ...step, behind, limit, count: false }).catch((error) => {
      if (limit < 2 || error.code !== 'RESULT_TOO_LARGE') throw error
    })
    if (!page) {
      limit >>= 1
      continue
    }
    const ids = page.items.map(({ id }) => id)
    // With a sort, what others write may move a document to the next page; never a whole page.
    if (ids[0] && ids[sort ? 'every' : 'some']((id) => before.has(id)))
      throw otherForm(sort ? 'paging' : 'filters', 'The same documents came twice. ')
    last = ids[ids.length - 1]
    if (!last) return
    yield page
    // A service that does not tell its limit may have cut the page: there, only an empty one is the last.
    if (ids.length < (page.limit ?? 1)) return
    read += ids.length
    before = new Set(ids)
  }
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
