import { isInScope, type ScopeAction } from '../../../client/protocol/model/access/key-scope.js'
import type { PermissionKind, StoredCollection } from '../../../client/protocol/model/collection.js'
import { SvcError } from '../../../client/protocol/model/errors.js'
import type { Reason } from '../../../client/protocol/model/requests/reason.js'
import type { Caller, Context } from '../context.js'
import { collectionsToRead, requireScope, scopesOf } from './scopes.js'

/** The role that every signed-in user has. Contract 5.3. */
const anyUser = 'authenticated'

/** Whether a caller may do that in a collection. Contract 5.3. */
export function may(
  caller: Caller,
  { name, permissions }: Pick<StoredCollection, 'name' | 'permissions'>,
  kind: PermissionKind,
): boolean {
  if (!isInScope(scopesOf(caller), actions[kind], name)) return false
  const wanted = permissions[kind] ?? []
  return caller.secret || wanted.length === 0 || rolesOf(caller).some((role) => wanted.includes(role))
}

/** What a scope of a key has to name for it. */
const actions: { readonly [Kind in PermissionKind]: ScopeAction } = {
  create: 'write',
  read: 'read',
  update: 'write',
  delete: 'write',
}

/** What statements have to know of a caller, to answer only what the caller may read. */
export function readerOf(caller: Caller) {
  return { mayReadAll: caller.secret, roles: rolesOf(caller), collections: collectionsToRead(caller) }
}

/** The roles a caller has for permissions; a key alone has none. */
function rolesOf({ user }: Caller): readonly string[] {
  return user ? [anyUser, ...user.roles] : []
}

/** @throws {SvcError} `UNAUTHORIZED` where a user's token might help, `FORBIDDEN` where the user or the key may not. */
export function requirePermission(ctx: Context, collection: StoredCollection, kind: PermissionKind): void {
  if (may(ctx.caller, collection, kind)) return
  const { name, permissions } = collection
  requireScope(ctx, actions[kind], name)
  const wanted = permissions[kind] ?? []
  const reason: Reason = { kind: 'permission', collection: name, permission: kind, wanted, roles: rolesOf(ctx.caller) }
  if (ctx.caller.user) {
    throw new SvcError('FORBIDDEN', `To ${kind} in "${name}" takes a role you do not have.`, [], { reason })
  }
  const message = `To ${kind} in "${name}", send the token of a user with the right role.`
  throw new SvcError('UNAUTHORIZED', message, [], { reason })
}

/** Managing collections takes a key, and the secret key for a collection that has permissions. Contract 5.3. */
export function requireManager(ctx: Context, { name, permissions }: StoredCollection): void {
  const { caller } = ctx
  if (!caller.key) {
    const message = 'Managing collections takes an API key; a user token is not enough.'
    throw new SvcError('FORBIDDEN', message, [], { reason: { kind: 'caller', needs: 'key' } })
  }
  requireScope(ctx, 'admin', name)
  const isGuarded = Object.values(permissions).some((roles) => roles.length > 0)
  if (!isGuarded || caller.secret) return
  const message = `"${name}" has permissions. Managing it takes the project's secret key.`
  throw new SvcError('FORBIDDEN', message, [], { reason: { kind: 'caller', needs: 'secret key' } })
}
