/** Reads the documents that a filter matches, a page at a time. */
import type { MatchQuery } from '../../../client/protocol/model/aggregate.js'
import type { OutgoingDocument } from '../../../client/protocol/model/document.js'
import { anyOf } from '../../../client/protocol/model/where.js'
import type { Context } from '../context.js'
import { listDocuments } from './documents.js'

const maxExported = 10_000
/** A page of the largest documents fits into an answer. */
const pageSize = 25

/**
 * Yields the oldest documents first, at most 10,000.
 *
 * @throws {SvcError} as a list does
 */
export async function* exportDocuments(
  ctx: Context,
  name: string,
  { where, ...query }: MatchQuery,
): AsyncGenerator<OutgoingDocument, void, undefined> {
  let last: string | undefined
  for (let read = 0; read < maxExported; read += pageSize) {
    const cursor = last === undefined ? [] : anyOf([[{ any: [{ path: ['id'], operator: 'gt', value: last }] }]])
    const { items } = await listDocuments(ctx, name, {
      ...query,
      where: { all: [...where.all, ...cursor] },
      sort: [{ path: ['id'], direction: 'asc' }],
      ...{ limit: pageSize, offset: 0, count: false, select: [] },
    })
    yield* items
    last = items.at(-1)?.id
    if (items.length < pageSize) return
  }
}
