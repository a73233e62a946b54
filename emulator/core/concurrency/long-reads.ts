import type { Context } from '../context.js'

/** For lists and what they populate, which may take seconds: reads once there is a place. @throws {SvcError} `UNAVAILABLE` */
export function readLong<Result>(ctx: Context, read: () => Promise<Result>): Promise<Result> {
  const { backend, project, caller } = ctx
  return backend.longReads.run([project.id, caller.id], read)
}
