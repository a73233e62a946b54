/** Reads documents and users, one or in pages, with their links. */

import type { Session } from '../auth/session.js'
import type { Fields } from '../protocol/model/document.js'
import { SvcError } from '../protocol/model/errors.js'
import type { ListQuery, Page, RecordQuery, Sort } from '../protocol/model/page.js'
import { type Path, parsePath } from '../protocol/model/path.js'
import type { Where } from '../protocol/model/where.js'
import { otherForm } from '../protocol/wire/expected.js'
import type { Listed } from '../protocol/wire/list/decode.js'
import { encodeListQuery, recordParameters } from '../protocol/wire/query/encode.js'
import { reaches } from '../protocol/wire/reach.js'
import { decodePage, type ReadItem } from '../protocol/wire/records/decode.js'
import type { NamedDialect, Spoken } from '../protocol/wire/spoken.js'
import type { CallOptions } from './collection-writes.js'
import { readLinks } from './links.js'
import { toWhere } from './where.js'

/** One field, or several in order of importance. */
type SortInput = string | Sort | readonly (string | Sort)[]

interface ListInput extends CallOptions {
  readonly where?: object
  /** Field to sort by. Prefix it with `-` for descending order. */
  readonly sort?: SortInput
  readonly populate?: readonly string[]
  readonly select?: readonly string[]
  readonly limit?: number
  readonly offset?: number
  readonly count?: boolean
}

/** Request for one page. */
export interface PageQuery extends Partial<ListQuery>, CallOptions {
  readonly where: Where
  /** For pages by cursor: the filter of the whole list, and the offset that reads the same page. */
  readonly byOffset?: Pick<PageQuery, 'where' | 'offset'>
}

/** Converts list options to a query. */
export function toQuery({ where, sort = [], populate, select, ...page }: ListInput) {
  const toSort = (one: string | Sort): Sort =>
    typeof one === 'string'
      ? { path: parsePath(one.replace(/^-/, '')), direction: one.startsWith('-') ? 'desc' : 'asc' }
      : one
  return { ...page, where: toWhere(where), sort: [sort].flat().map(toSort), ...toRecordQuery({ populate, select }) }
}

/** Without fields to select, selects the id, which always stays. */
function toRecordQuery({ populate = [], select }: Pick<ListInput, 'populate' | 'select'>): RecordQuery {
  return {
    populate: populate.map(parsePath),
    select: (select?.[0] ? select : select ? ['id'] : []).map(parsePath),
  }
}

/** Reads one page and decodes its links. */
export async function listPage<Item extends { readonly data: Fields }>(
  { ask }: Session,
  toPath: (dialect: Spoken) => string,
  listed: Listed,
  read: ReadItem<Item>,
  query: PageQuery,
): Promise<Page<Item>> {
  const { where, offset, populate = [], signal } = query
  const decode = decodePage(listed, linked(read, populate))
  let isOwn: unknown
  const readPage = (asked: PageQuery) =>
    ask(
      'GET',
      '',
      (body, dialect, header) => {
        isOwn = header('svc-dialect')
        return decode(body, dialect, header)
      },
      (dialect) => ({ path: toPath(dialect), query: encodeListQuery(dialect, withoutCursor(dialect, asked)), signal }),
    )
  const page = await readPage(query)
  // A service that does not know a parameter treats it as a filter, which matches nothing.
  if (!page.items[0] && !isOwn && (query.sort?.[0] || query.count === false)) {
    const { items } = await readPage({ where, offset, ...query.byOffset, limit: 1 })
    if (items[0]) throw otherForm('filters', 'A sort, cursor or "count" emptied the list. ')
  }
  return { ...page, offset: offset ?? 0 }
}

/** Pages by offset, oldest first, if the service ignores filters by id. */
function withoutCursor({ name }: NamedDialect, query: PageQuery): PageQuery {
  if (reaches[name].hasCursor || !query.byOffset) return query
  return { ...query, ...query.byOffset, sort: [{ path: ['created_at'], direction: 'asc' }] }
}

/**
 * Yields all pages, and fails if documents may be missing: without a cursor, a deletion moves others to an earlier page.
 *
 * @throws {SvcError} `CONFLICT`
 */
export async function* allPages<Item>(
  session: Session,
  count: () => Promise<number>,
  pages: AsyncGenerator<Page<Item>, void, undefined>,
): AsyncGenerator<Page<Item>, void, undefined> {
  if (reaches[(await session.dialect()).name].hasCursor) return yield* pages
  const before = await count()
  let read = 0
  for await (const page of pages) {
    read += page.items.length
    yield page
  }
  const after = await count()
  if (read !== after || after < before)
    throw new SvcError('CONFLICT', `Read ${read} of ${after} documents. Read the collection again.`)
}

/** Number of documents per page while iterating. Every dialect allows it. */
const pageSize = 100

/**
 * Yields all pages of a selection. Uses the last id as a cursor; with a sort, uses the offset.
 *
 * @param after resumes an earlier iteration: its last document, and how many it has read
 * @throws {SvcError} if the service sends the same documents again
 */
export async function* readPages<
  Item extends { readonly id: string },
  ListInput extends Pick<PageQuery, 'where' | 'sort'>,
>(
  list: (query: ListInput & Omit<PageQuery, 'populate' | 'select'>) => Promise<Page<Item>>,
  query: ListInput,
  after?: { readonly id: string; readonly read: number },
  maxAtOnce = pageSize,
): AsyncGenerator<Page<Item>, void, undefined> {
  let { id: last, read = 0 } = after ?? {}
  let limit = maxAtOnce
  let before = new Set<string>()
  for (;;) {
    const { where } = query
    const sort = query.sort?.[0]
    const cursor: Where['all'] = last ? [{ any: [{ path: ['id'], operator: 'gt', value: last }] }] : []
    const step: Partial<PageQuery> = sort
      ? { offset: read }
      : {
          where: { all: [...where.all, ...cursor] },
          sort: [{ path: ['id'], direction: 'asc' }],
          byOffset: { where, offset: read || undefined },
        }
    const page = await list({ ...query, ...step, limit, count: false }).catch((error) => {
      if (limit < 2 || error.code !== 'RESULT_TOO_LARGE') throw error
    })
    if (!page) {
      limit >>= 1
      continue
    }
    const ids = page.items.map(({ id }) => id)
    // With a sort, concurrent writes may move single documents to the next page, but never a whole page.
    if (ids[0] && ids[sort ? 'every' : 'some']((id) => before.has(id)))
      throw otherForm(sort ? 'paging' : 'filters', 'The same documents came twice. ')
    last = ids[ids.length - 1]
    if (!last) return
    yield page
    // If the service does not report its limit, it may have shortened the page, so only an empty page is the last.
    if (ids.length < (page.limit ?? 1)) return
    read += ids.length
    before = new Set(ids)
  }
}

/** Reads one document or user and decodes its links. */
export function getLinked<Item extends { readonly data: Fields }>(
  { ask }: Session,
  toPath: (dialect: Spoken) => string,
  read: ReadItem<Item>,
  { signal, ...options }: Pick<ListInput, 'populate' | 'select' | 'signal'>,
): Promise<Item> {
  const asked = toRecordQuery(options)
  const query = recordParameters(asked)
  return ask('GET', '', linked(read, asked.populate), (dialect) => ({ path: toPath(dialect), query, signal }))
}

function linked<Item extends { readonly data: Fields }>(read: ReadItem<Item>, paths: readonly Path[]): ReadItem<Item> {
  return (record, dialect, header) => {
    const item = read(record, dialect, header)
    readLinks(dialect, item.data, paths)
    return item
  }
}
