import type { Context } from '../context.js'

/**
 * Runs work that reads or writes a lot, such as lists and populated documents, once there is memory and a slot for it.
 * Everything done with the context passed to `work` shares that slot.
 *
 * @param maxBytes the size of the answer as far as it is known. Defaults to the largest possible one
 * @throws {SvcError} `UNAVAILABLE`
 */
export async function workLong<Result>(
  ctx: Context,
  work: (ctx: Context) => Promise<Result>,
  maxBytes?: number,
): Promise<Result> {
  const { backend, project, caller, room, hasPlace } = ctx
  // Doesn't wait inside an open transaction: the slots may be taken by reads that wait for its connection.
  if (hasPlace || ctx.pending) return work(ctx)
  await room?.take(maxBytes)
  return backend.longReads.run([project.id, caller.id], () => work({ ...ctx, hasPlace: true }))
}
