/** Refuses a form with files before their bytes are stored, because they go to the store as they arrive. Contract 10.12. */
import type { Context } from '../../core/context.js'
import { isAnswered } from '../../core/documents/idempotency.js'
import type { UploadRoom } from '../../core/files/upload-room.js'
import { openUploadRoom } from '../../core/files/uploads.js'
import type { Route, RouteHead } from '../route.js'
import type { Incoming } from '../stages.js'
import { isMultipart } from './multipart/read-multipart.js'
import { readIdempotencyScope } from './preconditions.js'

/**
 * Reserves room for the files of a request that may contain some; undefined for any other.
 *
 * @throws {SvcError} the error that the route would throw after reading the form
 */
export async function admitFiles(
  ctx: Context,
  route: Route,
  { req }: Incoming,
  head: RouteHead,
): Promise<UploadRoom | undefined> {
  if (!route.form || !isMultipart(req)) return undefined
  const scope = route.isCreating ? readIdempotencyScope(req, ctx) : undefined
  // Ignores the error for a repeated request, which gets the first answer again.
  const isRepeat = scope !== undefined && (await isAnswered(ctx, scope))
  const before = route.beforeFiles as ((ctx: Context, given: typeof head) => Promise<unknown>) | undefined
  if (!isRepeat) await before?.(ctx, head)
  return openUploadRoom(ctx, scope)
}
