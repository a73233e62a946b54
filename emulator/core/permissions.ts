import type { Collection, PermissionKind } from '../../client/model/collection.js'
import { SvcError } from '../../client/model/errors.js'
import type { Caller, Context } from './context.js'

/** Whether a caller may do that in a collection. Contract 5.3. */
export function may(caller: Caller, { permissions }: Pick<Collection, 'permissions'>, kind: PermissionKind): boolean {
  return caller.secret || (permissions[kind] ?? []).length === 0
}

/** @throws {SvcError} `UNAUTHORIZED` if the collection asks for a role, which an API key alone never has. */
export function requirePermission(ctx: Context, collection: Collection, kind: PermissionKind): void {
  if (may(ctx.caller, collection, kind)) return
  throw new SvcError(
    'UNAUTHORIZED',
    `To ${kind} in "${collection.name}", send the token of a user with the right role.`,
  )
}

/** Managing a collection that has permissions takes the secret key. */
export function requireManager(ctx: Context, { name, permissions }: Collection): void {
  const isGuarded = Object.values(permissions).some((roles) => roles.length > 0)
  if (!isGuarded || ctx.caller.secret) return
  throw new SvcError('FORBIDDEN', `"${name}" has permissions. Managing it takes the project's secret key.`)
}
