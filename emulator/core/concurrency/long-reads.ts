import type { Context } from '../context.js'

/**
 * For what reads or writes much, as lists and what they populate do: works once there is room in memory and a place. Whoever has one
 * keeps it for all that is done with the context of `work`.
 *
 * @throws {SvcError} `UNAVAILABLE`
 */
export async function workLong<Result>(ctx: Context, work: (ctx: Context) => Promise<Result>): Promise<Result> {
  const { backend, project, caller, room, hasPlace } = ctx
  // The connection that an open transaction holds is what those at their places may wait for.
  if (hasPlace || ctx.pending) return work(ctx)
  await room?.take()
  return backend.longReads.run([project.id, caller.id], () => work({ ...ctx, hasPlace: true }))
}
