/** Reads the documents that a filter matches, a page at a time. */
import type { MatchQuery } from '../../../client/protocol/model/aggregate.js'
import type { OutgoingDocument } from '../../../client/protocol/model/document.js'
import { JsonText } from '../../../client/protocol/model/json.js'
import { anyOf } from '../../../client/protocol/model/where.js'
import type { Context } from '../context.js'
import { asSvcError } from '../failures.js'
import { listDocuments } from './documents.js'

const maxExported = 10_000
const firstPageSize = 25
const maxPageSize = 500

/** About as large as a page should be: a client that does not read makes the process hold one. */
const pageBytes = 4 * 1024 * 1024

/**
 * Yields the oldest documents first, at most 10,000. Halves its pages until they fit into an answer. Contract 10.10.
 *
 * @throws {SvcError} as a list does
 */
export async function* exportDocuments(
  ctx: Context,
  name: string,
  { where, ...query }: MatchQuery,
): AsyncGenerator<OutgoingDocument, void, undefined> {
  let last: string | undefined
  let pageSize = firstPageSize
  for (let left = maxExported; left > 0; ) {
    const limit = Math.min(pageSize, left)
    const cursor = last === undefined ? [] : anyOf([[{ any: [{ path: ['id'], operator: 'gt', value: last }] }]])
    const page = await unlessTooLarge(
      listDocuments(ctx, name, {
        ...query,
        where: { all: [...where.all, ...cursor] },
        sort: [{ path: ['id'], direction: 'asc' }],
        ...{ limit, offset: 0, count: false, select: [] },
      }),
      limit,
    )
    if (page) {
      yield* page.items
      if (page.items.length < limit) return
      last = page.items.at(-1)?.id
      left -= limit
      pageSize = chooseSize(page.items)
    } else pageSize = Math.ceil(limit / 2)
  }
}

/** Returns how many documents like these make a page: as many as now if they contain others, which are not counted. */
function chooseSize(items: readonly OutgoingDocument[]): number {
  const bytes = items.reduce((sum, { data }) => sum + (data instanceof JsonText ? data.text.length : 0), 0)
  if (bytes === 0) return items.length
  const fitting = Math.floor((items.length * pageBytes) / bytes)
  return Math.max(1, Math.min(fitting, maxPageSize))
}

/** Returns undefined for a page that a smaller one may replace. */
async function unlessTooLarge<Page>(reading: Promise<Page>, limit: number): Promise<Page | undefined> {
  try {
    return await reading
  } catch (error) {
    if (limit > 1 && asSvcError(error)?.code === 'RESULT_TOO_LARGE') return undefined
    throw error
  }
}
