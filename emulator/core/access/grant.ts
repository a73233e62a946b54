/** Works out what a caller may do with a collection. Other rooms read a grant and decide nothing themselves. Contract 5.3. */
import { isInScope, type ScopeAction } from '../../../client/protocol/model/access/key-scope.js'
import {
  type FieldRuleKind,
  fieldRuleKinds,
  ownerWord,
  type PermissionKind,
  permissionKinds,
  type StoredCollection,
} from '../../../client/protocol/model/collection.js'
import type { StoredDocument } from '../../../client/protocol/model/document.js'
import { SvcError } from '../../../client/protocol/model/errors.js'
import { overlap, type Path, parsePath } from '../../../client/protocol/model/path.js'
import type { Reason } from '../../../client/protocol/model/requests/reason.js'
import type { Caller, Context } from '../context.js'
import { noSuchDocument } from './missing.js'
import { collectionsToRead, requireScope, scopesOf } from './scopes.js'

/** The role that every signed-in user has. Contract 5.3. */
const anyUser = 'authenticated'

/** Which documents of a collection a permission opens: all, those that the caller created, or none. Decision 71. */
export type Reach = 'all' | 'own' | 'none'

type Guarded = Pick<StoredCollection, 'name' | 'permissions'>

/** The rights of one caller in one collection, worked out once per request. */
export interface Grant<Collection extends Guarded = StoredCollection>
  extends Readonly<Record<PermissionKind, Reach>>,
    Readonly<Record<FieldRuleKind, readonly Path[]>> {
  readonly caller: Caller
  readonly collection: Collection
}

export function grantFor<Collection extends Guarded>(caller: Caller, collection: Collection): Grant<Collection> {
  const roles = rolesOf(caller)
  const reach = (kind: PermissionKind) => reachOf(caller, roles, collection, kind)
  const closed = (rule: FieldRuleKind) => closedFields(caller, roles, collection, rule)
  return {
    caller,
    collection,
    create: reach('create'),
    read: reach('read'),
    update: reach('update'),
    delete: reach('delete'),
    hidden: closed('hidden'),
    readonly: closed('readonly'),
  }
}

function reachOf(
  caller: Caller,
  roles: readonly string[],
  { name, permissions }: Guarded,
  kind: PermissionKind,
): Reach {
  if (!isInScope(scopesOf(caller), actions[kind], name)) return 'none'
  const wanted = permissions[kind] ?? []
  if (caller.secret || wanted.length === 0 || roles.some((role) => wanted.includes(role))) return 'all'
  return caller.user && wanted.includes(ownerWord) ? 'own' : 'none'
}

const noFields: readonly Path[] = []

/** Lists the fields that are hidden from the caller or read-only; of nested ones, only the outermost. */
function closedFields(
  caller: Caller,
  roles: readonly string[],
  { permissions }: Guarded,
  rule: FieldRuleKind,
): readonly Path[] {
  const fields = permissions[rule]
  if (fields === undefined || caller.secret) return noFields
  const closed = Object.entries(fields).filter(([, wanted]) => !wanted.some((role) => roles.includes(role)))
  return outermost(closed.map(([name]) => parsePath(name)))
}

/** Drops the paths that lie within another one. */
export function outermost(paths: readonly Path[]): readonly Path[] {
  return paths.filter((path) => !paths.some((other) => other.length < path.length && overlap(other, path)))
}

/** Tells whether the caller may do that with this document. */
export function allows(
  grant: Grant<Guarded>,
  kind: PermissionKind,
  { createdBy }: Pick<StoredDocument, 'createdBy'>,
): boolean {
  return grant[kind] === 'all' || (grant[kind] === 'own' && createdBy === grant.caller.user?.id)
}

/** Returns the only user whose documents the permission opens, or undefined if it opens all. */
export function creatorFor(grant: Grant, kind: PermissionKind): string | undefined {
  return grant[kind] === 'own' ? grant.caller.user?.id : undefined
}

/** The scope that a key needs for each permission. */
const actions: { readonly [Kind in PermissionKind]: ScopeAction } = {
  create: 'write',
  read: 'read',
  update: 'write',
  delete: 'write',
}

/** Returns what SQL needs to know about a caller to select only what that caller may read. */
export function readerFor(caller: Caller) {
  const { secret: mayReadAll, user } = caller
  return { mayReadAll, roles: rolesOf(caller), collections: collectionsToRead(caller), user: user?.id }
}

/** Returns the caller's roles. A key alone has none, and `owner` is a permission word even if a role has that name. */
export function rolesOf({ user }: Caller): readonly string[] {
  return user ? [anyUser, ...user.roles.filter((role) => role !== ownerWord)] : []
}

function permissionReason({ caller, collection }: Grant, kind: PermissionKind): Reason {
  const { name, permissions } = collection
  const wanted = permissions[kind] ?? []
  return { kind: 'permission', collection: name, permission: kind, wanted, roles: rolesOf(caller) }
}

/**
 * Refuses a caller for whom the permission opens no document at all.
 *
 * @throws {SvcError} `UNAUTHORIZED` if a user's token might help, `FORBIDDEN` if the user or the key may not
 */
export function requireGranted(grant: Grant, kind: PermissionKind): void {
  if (grant[kind] !== 'none') return
  const { caller, collection } = grant
  const { name } = collection
  requireScope(grant, actions[kind], name)
  const reason = permissionReason(grant, kind)
  if (caller.user) {
    throw new SvcError('FORBIDDEN', `You don't have permission to ${kind} documents in "${name}".`, [], { reason })
  }
  const message = `Sign in as a user with permission to ${kind} documents in "${name}".`
  throw new SvcError('UNAUTHORIZED', message, [], { reason })
}

/**
 * Refuses a caller for whom the permission opens other documents, but not this one.
 *
 * @throws {SvcError} `NOT_FOUND` if the caller may not even read it, `FORBIDDEN`
 */
export function requireAllowed(
  grant: Grant,
  kind: PermissionKind,
  document: Pick<StoredDocument, 'id' | 'createdBy'>,
): void {
  if (allows(grant, kind, document)) return
  const { collection } = grant
  const reason = permissionReason(grant, kind)
  if (!allows(grant, 'read', document)) throw noSuchDocument(collection, document.id, reason)
  const message = `You don't have permission to ${kind} document "${document.id}".`
  throw new SvcError('FORBIDDEN', message, [], { reason })
}

/** Managing collections needs a key, and the secret key if the collection has permissions. Contract 5.3. */
export function requireManager({ caller }: Pick<Context, 'caller'>, { name, permissions }: StoredCollection): void {
  if (!caller.key) {
    const message = 'Send an API key to manage collections. A user token is not enough.'
    throw new SvcError('FORBIDDEN', message, [], { reason: { kind: 'caller', needs: 'key' } })
  }
  requireScope({ caller }, 'admin', name)
  const isGuarded = permissionKinds.some((kind) => (permissions[kind]?.length ?? 0) > 0)
  const hasRules = fieldRuleKinds.some((kind) => Object.keys(permissions[kind] ?? {}).length > 0)
  if (!(isGuarded || hasRules) || caller.secret) return
  const message = `"${name}" has permissions. Send the project's secret key to manage it.`
  throw new SvcError('FORBIDDEN', message, [], { reason: { kind: 'caller', needs: 'secret key' } })
}
