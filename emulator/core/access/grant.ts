import { isInScope, type ScopeAction } from '../../../client/protocol/model/access/key-scope.js'
import {
  fieldRuleKinds,
  ownerWord,
  type PermissionKind,
  permissionKinds,
  type StoredCollection,
} from '../../../client/protocol/model/collection.js'
import type { StoredDocument } from '../../../client/protocol/model/document.js'
import { SvcError } from '../../../client/protocol/model/errors.js'
import type { Reason } from '../../../client/protocol/model/requests/reason.js'
import type { Caller, Context } from '../context.js'
import { noSuchDocument } from './missing.js'
import { collectionsToRead, requireScope, scopesOf } from './scopes.js'

/** The role that every signed-in user has. Contract 5.3. */
const anyUser = 'authenticated'

/** Which documents of a collection a permission opens: all, those that the caller created, or none. Decision 71. */
export type Access = 'all' | 'own' | 'none'

type Guarded = Pick<StoredCollection, 'name' | 'permissions'>

/** What a caller may do that with. Contract 5.3. */
export function accessTo(caller: Caller, { name, permissions }: Guarded, kind: PermissionKind): Access {
  if (!isInScope(scopesOf(caller), actions[kind], name)) return 'none'
  const wanted = permissions[kind] ?? []
  if (caller.secret || wanted.length === 0 || rolesOf(caller).some((role) => wanted.includes(role))) return 'all'
  return caller.user && wanted.includes(ownerWord) ? 'own' : 'none'
}

/** Whether a caller may do that in a collection, with some of its documents at least. */
export function may(caller: Caller, collection: Guarded, kind: PermissionKind): boolean {
  return accessTo(caller, collection, kind) !== 'none'
}

/** Whether a caller may do that with a document. */
export function mayWith(
  caller: Caller,
  collection: Guarded,
  kind: PermissionKind,
  { createdBy }: Pick<StoredDocument, 'createdBy'>,
): boolean {
  const access = accessTo(caller, collection, kind)
  return access === 'all' || (access === 'own' && createdBy === caller.user?.id)
}

/** The only user whose documents a permission opens to the caller; undefined where it opens all. */
export function creatorFor(caller: Caller, collection: Guarded, kind: PermissionKind): string | undefined {
  return accessTo(caller, collection, kind) === 'own' ? caller.user?.id : undefined
}

/** Whether a collection asks anywhere who created a document: elsewhere `created_by` is a field like any other. */
export function asksForOwner({ permissions }: Pick<StoredCollection, 'permissions'>): boolean {
  return permissionKinds.some((kind) => permissions[kind]?.includes(ownerWord))
}

/**
 * Refuses what a caller may not do with a document of a collection where something like it is allowed.
 *
 * @throws {SvcError} `NOT_FOUND` where the caller may not even read it, `FORBIDDEN`
 */
export function requireMayWith(
  { caller }: Pick<Context, 'caller'>,
  collection: StoredCollection,
  kind: PermissionKind,
  document: Pick<StoredDocument, 'id' | 'createdBy'>,
): void {
  if (mayWith(caller, collection, kind, document)) return
  const { name, permissions } = collection
  const reason: Reason = {
    ...{ kind: 'permission', collection: name, permission: kind },
    ...{ wanted: permissions[kind] ?? [], roles: rolesOf(caller) },
  }
  if (!mayWith(caller, collection, 'read', document)) throw noSuchDocument(collection, document.id, reason)
  throw new SvcError('FORBIDDEN', `To ${kind} "${document.id}" in "${name}" is for who created it.`, [], { reason })
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
  const { secret: mayReadAll, user } = caller
  return { mayReadAll, roles: rolesOf(caller), collections: collectionsToRead(caller), user: user?.id }
}

/** The roles a caller has for permissions; a key alone has none. `owner` is a word, whatever roles are called. */
export function rolesOf({ user }: Caller): readonly string[] {
  return user ? [anyUser, ...user.roles.filter((role) => role !== ownerWord)] : []
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
  const isGuarded = permissionKinds.some((kind) => (permissions[kind]?.length ?? 0) > 0)
  const hasRules = fieldRuleKinds.some((kind) => Object.keys(permissions[kind] ?? {}).length > 0)
  if (!(isGuarded || hasRules) || caller.secret) return
  const message = `"${name}" has permissions. Managing it takes the project's secret key.`
  throw new SvcError('FORBIDDEN', message, [], { reason: { kind: 'caller', needs: 'secret key' } })
}
