import type { ListQuery } from '../../../client/protocol/model/page.js'
import type { Context } from '../context.js'

/** Room for an item of a list. Few documents are larger, and those of a page are counted as they are once it is written. */
const itemBytes = 64 * 1024

/** Without what is populated, a list has nothing but its items. */
export function mostItemsOf({ populate, limit }: Pick<ListQuery, 'populate' | 'limit'>): number | undefined {
  return populate.length === 0 ? limit : undefined
}

/**
 * For what reads or writes much, as lists and what they populate do: works once there is room in memory and a place. Whoever has one
 * keeps it for all that is done with the context of `work`.
 *
 * @param mostItems how many items the answer has at most, where it has nothing but these
 * @throws {SvcError} `UNAVAILABLE`
 */
export async function workLong<Result>(
  ctx: Context,
  work: (ctx: Context) => Promise<Result>,
  mostItems = Number.POSITIVE_INFINITY,
): Promise<Result> {
  const { backend, project, caller, room, hasPlace } = ctx
  // The connection that an open transaction holds is what those at their places may wait for.
  if (hasPlace || ctx.pending) return work(ctx)
  await room?.take(mostItems * itemBytes)
  return backend.longReads.run([project.id, caller.id], () => work({ ...ctx, hasPlace: true }))
}
