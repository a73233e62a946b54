/** Counts, aggregates and groups the documents that a list would show the caller. Contract 13.7. */
import type {
  Aggregate,
  AggregateQuery,
  Group,
  Grouped,
  GroupQuery,
  MatchQuery,
} from '../../../client/protocol/model/aggregate.js'
import { plainError } from '../../../client/protocol/model/error-words.js'
import { SvcError } from '../../../client/protocol/model/errors.js'
import { sizes } from '../../../client/protocol/model/limits.js'
import { parsePath } from '../../../client/protocol/model/path.js'
import { ownName } from '../../../client/protocol/model/where.js'
import { selectAggregate, selectGroups } from '../../store/lists/aggregates.js'
import { selectPage } from '../../store/lists/documents.js'
import { workLong } from '../concurrency/long-reads.js'
import type { Context } from '../context.js'
import { openListing } from './listing.js'

/** Like the total of a list. */
export async function countDocuments(ctx: Context, name: string, asked: MatchQuery): Promise<number> {
  const { target, query } = await openListing(ctx, name, asked)
  const page = { ...query, sort: [], select: [], limit: 0, offset: 0, count: true }
  const { total } = await workLong(ctx, () => selectPage(ctx.db, target, page), 0)
  return total ?? 0
}

/** @throws {SvcError} `RESULT_TOO_LARGE` for a sum that a double cannot hold */
export async function aggregateDocuments(ctx: Context, name: string, asked: AggregateQuery): Promise<Aggregate> {
  const { field, operation } = asked
  const path = ownName(parsePath(field))
  const { grant, target, query } = await openListing(ctx, name, asked, [path], 'you cannot aggregate it')
  const result = await workLong(ctx, () => selectAggregate(ctx.db, target, query, { path, operation }), 0)
  if (result === null || Number.isFinite(result)) {
    return { field, operation, result, collection: grant.collection.name }
  }
  throw new SvcError('RESULT_TOO_LARGE', `The sum of "${field.slice(0, 80)}" is too large for a number.`)
}

/** @throws {SvcError} `RESULT_TOO_LARGE` */
export async function groupDocuments(ctx: Context, name: string, asked: GroupQuery): Promise<Grouped> {
  const { field } = asked
  const path = ownName(parsePath(field))
  const { target, query } = await openListing(ctx, name, asked, [path], 'you cannot group by it')
  const groups = await workLong(ctx, () => selectGroups(ctx.db, target, query, path))
  if (groups !== 'too large' && countBytes(field, groups) <= sizes.maxAnswerBytes) return { field, groups }
  const reason = { kind: 'limit', limit: 'answer bytes', most: sizes.maxAnswerBytes } as const
  throw plainError('RESULT_TOO_LARGE', { reason })
}

/** Each group repeats the name of the field, which is long if an index in it has many zeros, and has its value twice. */
function countBytes(field: string, groups: readonly Group[]): number {
  const bytesOfValues = groups.reduce((sum, { value }) => sum + 2 * Buffer.byteLength(value.text), 0)
  return bytesOfValues + groups.length * Buffer.byteLength(field)
}
