/** Determines a caller's rights in a collection. Other rooms only read the grant. Contract 5.3. */
import { isInScope, type ScopeAction } from '../../../client/protocol/model/access/key-scope.js'
import { parseMemberWord } from '../../../client/protocol/model/access/member-word.js'
import {
  authenticatedWord,
  type CallerWordKind,
  classifyWord,
  type PartWordKind,
} from '../../../client/protocol/model/access/permission-words.js'
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
import { noCreator } from '../../store/creators.js'
import type { Covered, Part } from '../../store/memberships.js'
import type { Caller, Context } from '../context.js'
import { noSuchDocument } from './missing.js'
import { collectionsToRead, keyScopes, requireScope } from './scopes.js'

/** Documents that a permission covers: all, none, or a part. Decision 71, contract 13.9. */
export type Reach = 'all' | 'none' | Part

/** The paths at which documents list the caller as a member, by the id of the document. */
export type Memberships = ReadonlyMap<string, ReadonlySet<string>>

export const noMemberships: Memberships = new Map()

type Guarded = Pick<StoredCollection, 'name' | 'permissions'>

/** The rights of one caller in one collection, computed once per request. */
export interface Grant<Collection extends Guarded = StoredCollection>
  extends Readonly<Record<PermissionKind, Reach>>,
    Readonly<Record<FieldRuleKind, readonly Path[]>> {
  readonly caller: Caller
  readonly collection: Collection
}

export function grantFor<Collection extends Guarded>(caller: Caller, collection: Collection): Grant<Collection> {
  const roles = callerRoles(caller)
  const reach = (kind: PermissionKind) => findReach(caller, roles, collection, kind)
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

function findReach(
  caller: Caller,
  roles: readonly string[],
  { name, permissions }: Guarded,
  kind: PermissionKind,
): Reach {
  if (!isInScope(keyScopes(caller), actions[kind], name)) return 'none'
  const wanted = permissions[kind] ?? []
  if (caller.secret || wanted.length === 0 || roles.some((role) => wanted.includes(role))) return 'all'
  if (!caller.user) return 'none'
  const part = { ...partReaders.owner(wanted), ...partReaders.member(wanted) }
  return part.own || part.members.length > 0 ? part : 'none'
}

/** Reads the part that words of each kind cover. */
const partReaders = {
  owner: (words) => ({ own: words.includes(ownerWord) }),
  member: (words) => ({ members: words.flatMap((word) => parseMemberWord(word) ?? []) }),
} as const satisfies { readonly [Kind in PartWordKind]: (words: readonly string[]) => Partial<Part> }

const noFields: readonly Path[] = []

/** Lists the fields that are hidden or read-only for the caller, and only the outermost of nested ones. */
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

/** Drops paths that lie within another one. */
export function outermost(paths: readonly Path[]): readonly Path[] {
  return paths.filter((path) => !paths.some((other) => other.length < path.length && overlap(other, path)))
}

/** Checks whether the caller has the permission for this document. `findMemberships` returns the memberships. */
export function allows(
  grant: Grant<Guarded>,
  kind: PermissionKind,
  { id, createdBy }: Pick<StoredDocument, 'id' | 'createdBy'>,
  memberships: Memberships = noMemberships,
): boolean {
  const reach = grant[kind]
  if (reach === 'all' || reach === 'none') return reach === 'all'
  const held = memberships.get(id)
  const covered: { readonly [Name in keyof Part]: boolean } = {
    own: reach.own && createdBy === grant.caller.user?.id,
    members: held !== undefined && reach.members.some(({ path }) => held.has(path)),
  }
  return Object.values(covered).includes(true)
}

/** Returns the part of the collection that the permission covers, or undefined if it covers all documents. */
export function partFor(
  grant: Grant<Guarded & Pick<StoredCollection, 'id'>>,
  kind: PermissionKind,
): Covered | undefined {
  const { caller, collection } = grant
  const reach = grant[kind]
  if (reach === 'all') return undefined
  const part = reach === 'none' ? { own: false, members: [] } : reach
  return { user: caller.user?.id ?? noCreator, collection: collection.id, ...part }
}

/** The key scope that each permission needs. */
const actions: { readonly [Kind in PermissionKind]: ScopeAction } = {
  create: 'write',
  read: 'read',
  update: 'write',
  delete: 'write',
}

/** Returns the caller's data that SQL needs to select only readable documents. */
export function readerFor(caller: Caller) {
  const { secret: mayReadAll, user } = caller
  return { mayReadAll, roles: callerRoles(caller), collections: collectionsToRead(caller), user: user?.id }
}

/** Returns the words that stand for the caller in every document. A key alone has none. */
export function callerRoles({ user }: Caller): readonly string[] {
  return user ? Object.values(wordReaders).flatMap((wordsOf) => wordsOf(user)) : []
}

const wordReaders: { readonly [Kind in CallerWordKind]: (user: NonNullable<Caller['user']>) => readonly string[] } = {
  authenticated: () => [authenticatedWord],
  // A role of that name makes nobody an owner or a member.
  role: ({ roles }) => roles.filter((role) => classifyWord(role) === 'role'),
}

function permissionReason({ caller, collection }: Grant, kind: PermissionKind): Reason {
  const { name, permissions } = collection
  const wanted = permissions[kind] ?? []
  return { kind: 'permission', collection: name, permission: kind, wanted, roles: callerRoles(caller) }
}

/**
 * Refuses a caller for whom the permission covers no documents at all.
 *
 * @throws {SvcError} `UNAUTHORIZED` if a user's token might help, `FORBIDDEN` if the user or the key lacks the right
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
 * Refuses a caller for whom the permission covers other documents, but not this one.
 *
 * @throws {SvcError} `NOT_FOUND` if the caller cannot read it either, `FORBIDDEN`
 */
export function requireAllowed(
  grant: Grant,
  kind: PermissionKind,
  document: Pick<StoredDocument, 'id' | 'createdBy'>,
  memberships?: Memberships,
): void {
  if (allows(grant, kind, document, memberships)) return
  const { collection } = grant
  const reason = permissionReason(grant, kind)
  if (!allows(grant, 'read', document, memberships)) throw noSuchDocument(collection, document.id, reason)
  const message = `You don't have permission to ${kind} document "${document.id}".`
  throw new SvcError('FORBIDDEN', message, [], { reason })
}

/**
 * Refuses to create documents of which the caller would not be a member.
 *
 * @throws {SvcError} `FORBIDDEN`
 */
export function requireCreatable(grant: Grant, ids: readonly string[], memberships: Memberships): void {
  if (ids.every((id) => allows(grant, 'create', { id, createdBy: null }, memberships))) return
  const { name } = grant.collection
  const message = `You can create documents in "${name}" only if they list you as a member.`
  throw new SvcError('FORBIDDEN', message, [], { reason: permissionReason(grant, 'create') })
}

/** Requires a key, and the secret key if the collection has permissions. Contract 5.3. */
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
