/** Decides which documents a caller can find. Lists, counts and aggregates share it. */
import type { ListQuery } from '../../../client/protocol/model/page.js'
import type { Path } from '../../../client/protocol/model/path.js'
import type { ListTarget } from '../../store/lists/plan.js'
import { requireVisible } from '../access/closed-fields.js'
import { findable } from '../access/findable.js'
import { type Grant, readerFor } from '../access/grant.js'
import { requireGrant } from '../collections/collections.js'
import type { Context } from '../context.js'
import { lenientQuery } from './lenient-query.js'
import { requireTimes } from './require-times.js'

export interface Listing<Query> {
  readonly grant: Grant
  readonly target: ListTarget
  /** The query as the store takes it. */
  readonly query: Query
}

/**
 * @param fields what the answer reveals besides the documents found: their order, or values
 * @param why what the caller cannot do with hidden fields
 * @throws {SvcError} `NOT_FOUND`, `INVALID_FILTER`, `UNAUTHORIZED`, `FORBIDDEN`
 */
export async function openListing<Query extends Pick<ListQuery, 'where'>>(
  ctx: Context,
  name: string,
  sent: Query,
  fields: readonly Path[] = [],
  why?: string,
): Promise<Listing<Query>> {
  const grant = await requireGrant(ctx, name, 'read')
  const asked = await lenientQuery(ctx, sent)
  const { collection } = grant
  const { caller, project, backend } = ctx
  const totals = ctx.db === backend.db ? backend.totals : undefined
  const { where, creator, part } = findable(grant, asked.where)
  requireVisible(grant, fields, why)
  return {
    grant,
    target: { project: project.id, collection, ...readerFor(caller), creator, part, indexes: backend.indexes, totals },
    query: { ...asked, where: requireTimes(where, collection.schema) },
  }
}
