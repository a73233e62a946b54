import type { ListQuery } from '../../../client/protocol/model/page.js'
import type { Context } from '../context.js'

/** Memory reserved for an item of a list. Few documents are larger, and a page is counted exactly once it is written. */
const itemBytes = 64 * 1024

/** Returns undefined if linked records are populated, because then the answer holds more than the items of the list. */
export function maxItemsIn({ populate, limit }: Pick<ListQuery, 'populate' | 'limit'>): number | undefined {
  return populate.length === 0 ? limit : undefined
}

/**
 * Runs work that reads or writes a lot, such as lists and populated documents, once there is memory and a slot for it.
 * Everything done with the context passed to `work` shares that slot.
 *
 * @param maxItems the most items in the answer, if it holds nothing else
 * @throws {SvcError} `UNAVAILABLE`
 */
export async function workLong<Result>(
  ctx: Context,
  work: (ctx: Context) => Promise<Result>,
  maxItems = Number.POSITIVE_INFINITY,
): Promise<Result> {
  const { backend, project, caller, room, hasPlace } = ctx
  // Doesn't wait inside an open transaction: the slots may be taken by reads that wait for its connection.
  if (hasPlace || ctx.pending) return work(ctx)
  await room?.take(maxItems * itemBytes)
  return backend.longReads.run([project.id, caller.id], () => work({ ...ctx, hasPlace: true }))
}
