import type { AuditSubject } from '../../../client/protocol/model/access/audit.js'
import { isInScope } from '../../../client/protocol/model/access/key-scope.js'
import {
  type Collection,
  type CountedCollection,
  ownerWord,
  type PermissionKind,
  type Permissions,
  type Schema,
  type StoredCollection,
} from '../../../client/protocol/model/collection.js'
import { makesCollection } from '../../../client/protocol/model/create-on-write.js'
import { isId } from '../../../client/protocol/model/document.js'
import { SvcError } from '../../../client/protocol/model/errors.js'
import type { Reason } from '../../../client/protocol/model/requests/reason.js'
import { isCollectionName } from '../../../client/protocol/model/schema.js'
import {
  deleteCollection,
  insertCollection,
  selectCollection,
  selectCollections,
  selectCount,
  updateCollection,
} from '../../store/collections.js'
import { orphanCollectionFiles } from '../../store/files.js'
import { selectCoveredCount } from '../../store/memberships.js'
import { insertLeftNames, takeLeftName } from '../../store/realtime/left-names.js'
import { sequencerFor } from '../../store/sequencer/sequencer.js'
import { schemaSeenBy } from '../access/closed-fields.js'
import { countPermission } from '../access/count-permissions.js'
import { type Grant, grantFor, partFor, requireGranted, requireManager } from '../access/grant.js'
import { noSuchCollection } from '../access/missing.js'
import { isOutOfScope, keyScopes, requireInScope, requireScope } from '../access/scopes.js'
import { audit } from '../audit/audit-log.js'
import type { Context } from '../context.js'
import type { Happened } from '../events/event-log.js'
import { openPauses } from '../pauses.js'
import { applyRules, requireRuleCount } from '../unique-values.js'
import { happened, inTransaction, makingRoom, publish, settingsChanged } from '../unit-of-work.js'
import { requireFieldRules } from './field-rules.js'
import { nameTargets, openTargetNames, resolveTargets } from './link-targets.js'
import { requireUnlinked } from './linked-collections.js'
import { requireMemberWords } from './member-words.js'
import { requireFieldSettings, requireRoom, requireSchema, requireSchemaSize } from './schemas.js'

export interface CollectionDefinition {
  readonly name: string
  readonly schema?: Schema
  readonly unique?: readonly (readonly string[])[]
  /** null: the default. */
  readonly title?: string | null
  readonly permissions?: Permissions
}

/** Spec, "Collections". @throws {SvcError} `INVALID_COLLECTION`, `COLLECTION_EXISTS`, `FORBIDDEN` */
export async function createCollection(
  ctx: Context,
  { name, schema = {}, permissions = {}, ...others }: CollectionDefinition,
): Promise<Collection> {
  requireName(name)
  requireSchemaSize(schema)
  requireSchema(schema)
  requirePermissions(permissions, schema)
  requireFieldSettings({ schema, permissions, ...others })
  const now = ctx.backend.now(ctx.project.id)
  const at = now.toISOString()
  const settings = { name, permissions, ...setUniqueAndTitle(others) }
  const asked = { id: ctx.backend.newId(now), ...settings, schema, createdAt: at, updatedAt: at }
  requireRuleCount(asked)
  requireManager(ctx, asked)
  const collection = await inTransaction(ctx, async (ctx) => {
    const collection = { ...asked, schema: await resolveTargets(ctx, asked, schema) }
    if (!(await insertCollection(ctx.db, ctx.project.id, collection))) throw nameTaken(name)
    await requireRoom(ctx, collection)
    await takeName(ctx, collection)
    happened(ctx, collectionEvent(ctx, 'created', collection))
    await auditCollection(ctx, 'created', { collection: name })
    return collection
  })
  return shownNamed(ctx, grantFor(ctx.caller, collection))
}

/** Returns the collection with the settings that are sent. */
export function mergeSettings(
  { unique, title, ...before }: StoredCollection,
  input: Partial<CollectionDefinition>,
): StoredCollection {
  const { unique: newUnique = unique, title: newTitle = title, ...others } = input
  return { ...before, ...others, ...setUniqueAndTitle({ unique: newUnique, title: newTitle }) }
}

/** Leaves them out if they are empty, as the database does. */
function setUniqueAndTitle({ unique = [], title }: Pick<CollectionDefinition, 'unique' | 'title'>) {
  return { ...(unique.length > 0 ? { unique } : {}), ...(typeof title === 'string' ? { title } : {}) }
}

/** Lists all collections of the project, oldest first. Parses a few per turn of the event loop. */
export async function listCollections(ctx: Context): Promise<Collection[]> {
  const collections: Collection[] = []
  const pauses = openPauses()
  const all = await selectCollections(ctx.db, ctx.project.id)
  const known = all.filter(({ name }) => !isOutOfScope(ctx.caller, name))
  const nameTargets = openTargetNames(known)
  for (const { bytes, read } of known) {
    const collection = shown(grantFor(ctx.caller, read()))
    collections.push({ ...collection, schema: nameTargets(collection.schema) })
    const pause = pauses.after(bytes)
    if (pause) await pause
  }
  return collections
}

export async function getCollection(ctx: Context, name: string): Promise<CountedCollection> {
  const collection = await requireCollection(ctx, name)
  const grant = grantFor(ctx.caller, collection)
  if (grant.read === 'none') return shownNamed(ctx, grant)
  const part = partFor(grant, 'read')
  const counting = part ? selectCoveredCount(ctx.db, part) : selectCount(ctx.db, collection.id)
  const [named, documentCount] = await Promise.all([shownNamed(ctx, grant), counting])
  return { ...named, documentCount }
}

/** Like `shown`, with the names of the collections that links lead to. */
async function shownNamed(ctx: Context, grant: Grant): Promise<Collection> {
  const collection = shown(grant)
  const schema = await nameTargets(ctx, collection.schema)
  return schema === collection.schema ? collection : { ...collection, schema }
}

/** Hides the permissions from callers who cannot read the collection. Contract 5.3. */
function shown(grant: Grant): Collection {
  const { collection: stored } = grant
  const schema = schemaSeenBy(grant)
  const collection = schema === stored.schema ? stored : { ...stored, schema }
  if (grant.read !== 'none') return collection
  const { permissions: _, ...open } = collection
  return open
}

/** Renames a collection or changes its settings. Doesn't check stored documents again. Contract 5.1. */
export async function changeCollection(
  ctx: Context,
  name: string,
  input: Partial<CollectionDefinition>,
): Promise<Collection> {
  if (input.name !== undefined) requireName(input.name)
  if (input.schema !== undefined) requireSchema(input.schema)
  const changed = await inTransaction(ctx, async (ctx) => {
    const before = await selectCollection(ctx.db, ctx.project.id, name, { lock: true })
    requireScope(ctx, 'admin', before?.name ?? name, name)
    if (!before) throw noSuchCollection(name)
    if (input.permissions !== undefined) requirePermissions(input.permissions, input.schema ?? before.schema)
    const asked = { ...mergeSettings(before, input), updatedAt: ctx.backend.now(ctx.project.id).toISOString() }
    requireManager(ctx, before)
    requireManager(ctx, asked)
    requireFieldSettings(asked, input)
    if (input.schema !== undefined) requireSchemaSize(input.schema, before.schema)
    const after = { ...asked, schema: await resolveTargets(ctx, asked, asked.schema, before.schema) }
    if (after.name !== before.name) await requireFreeName(ctx, after.name)
    await updateCollection(ctx.db, after)
    await requireRoom(ctx, after, before)
    await recordChange(ctx, after)
    await applyRules(ctx.db, before, after)
    if (after.name !== before.name) {
      await insertLeftNames(ctx.db, ctx.project.id, [before.name])
      await takeName(ctx, after)
    }
    happened(ctx, collectionEvent(ctx, 'changed', after))
    const renamed = after.name === before.name ? {} : { renamedTo: after.name }
    await auditCollection(ctx, 'changed', { collection: before.name, ...renamed, names: listChanges(input) })
    return after
  })
  return shownNamed(ctx, grantFor(ctx.caller, changed))
}

/**
 * Deletes a collection with all its documents and their files. They disappear at once; a sweep deletes their rows
 * later. Links to them stay, except that a link with `refuse` refuses the deletion.
 *
 * @throws {SvcError} `NOT_FOUND`, `DOCUMENT_IN_USE`
 */
export async function removeCollection(ctx: Context, name: string): Promise<{ id: string }> {
  const id = await inTransaction(makingRoom(ctx), async (ctx) => {
    const collection = await selectCollection(ctx.db, ctx.project.id, name, { lock: true })
    requireScope(ctx, 'admin', collection?.name ?? name, name)
    if (!collection) throw noSuchCollection(name)
    requireManager(ctx, collection)
    await deleteCollection(ctx.db, collection.id)
    await requireUnlinked(ctx, collection)
    await recordChange(ctx, { id: collection.id, updatedAt: ctx.backend.now(ctx.project.id).toISOString() })
    await insertLeftNames(ctx.db, ctx.project.id, [collection.name])
    await orphanCollectionFiles(ctx.db, collection.id)
    happened(ctx, collectionEvent(ctx, 'removed', collection))
    await auditCollection(ctx, 'removed', { collection: collection.name })
    return collection.id
  })
  ctx.backend.sweepSoon()
  ctx.backend.sweepFilesSoon()
  return { id }
}

function collectionEvent(
  { project }: Context,
  how: 'created' | 'changed' | 'removed',
  { id, name }: StoredCollection,
): Happened {
  return { kind: `collection.${how}`, projectId: project.id, collection: { id, name } }
}

function auditCollection(ctx: Context, how: 'created' | 'changed' | 'removed', subject: AuditSubject): Promise<void> {
  const { caller, project } = ctx
  return audit(ctx, { project: project.id, operation: `collection.${how}`, subject, caller })
}

function listChanges(input: Partial<CollectionDefinition>): string[] {
  return Object.entries(input).flatMap(([name, value]) => (value === undefined ? [] : [name]))
}

/** Restarts subscriptions under that name, because clients may know an earlier collection with it. */
async function takeName(ctx: Context, collection: StoredCollection): Promise<void> {
  if (await takeLeftName(ctx.db, ctx.project.id, collection.name)) await recordChange(ctx, collection, 'reset')
}

/** Notifies subscribers that the collection itself has changed. */
async function recordChange(
  ctx: Context,
  { id: collection, updatedAt: at }: Pick<StoredCollection, 'id' | 'updatedAt'>,
  kind: 'collection' | 'reset' = 'collection',
): Promise<void> {
  const project = ctx.project.id
  const seq = await sequencerFor(ctx.db).recordCollection(ctx.db, { project, collection, at, kind })
  publish(ctx, settingsChanged())
  publish(ctx, { kind: 'changes', project, seq })
}

/** Finds a collection by name or id. @throws {SvcError} `NOT_FOUND` */
async function requireCollection(ctx: Context, name: string): Promise<StoredCollection> {
  const collection = await findCollection(ctx, name)
  // Checks the scope first, so that a key doesn't learn which collections outside its scopes exist.
  requireInScope(ctx, collection?.name ?? name, name)
  if (!collection) throw noSuchCollection(name)
  return collection
}

/** Finds a collection by name or id. */
export async function findCollection(ctx: Context, name: string): Promise<StoredCollection | undefined> {
  const { backend, db, project } = ctx
  const read = () => selectCollection(db, project.id, name)
  // Encodes both parts as JSON, because concatenated they could match the collection of another project.
  return backend.caches.collections.of(JSON.stringify([project.id, name]), read)
}

/**
 * Finds a collection by name or id, and requires the permission. @throws {SvcError} `NOT_FOUND`, `UNAUTHORIZED`,
 * `FORBIDDEN`
 */
export async function requireGrant(ctx: Context, name: string, kind: PermissionKind): Promise<Grant> {
  const made = await makeMissing(ctx, name, kind)
  const grant = grantFor(ctx.caller, made ?? (await requireCollection(ctx, name)))
  countPermission(ctx.backend, grant, kind)
  requireGranted(grant, kind)
  return grant
}

/** Makes a missing collection if the project's setting says so. A user alone cannot, as for any other collection. */
async function makeMissing(ctx: Context, name: string, kind: PermissionKind): Promise<StoredCollection | undefined> {
  const { caller, project, leniency } = ctx
  const isMaking = makesCollection(project.settings, kind, leniency?.createOnWrite)
  if (!caller.key || !isMaking || !isCollectionName(name)) return undefined
  const known = await findCollection(ctx, name)
  if (known || !isInScope(keyScopes(caller), 'admin', name)) return known
  await createCollection(ctx, { name }).catch((error) => {
    // A concurrent request made it.
    if (!(error instanceof SvcError && error.code === 'COLLECTION_EXISTS')) throw error
  })
  return findCollection(ctx, name)
}

/** Finds the collection to create documents in. An invalid name has a separate error code. COL-06. */
export async function requireCreateGrant(ctx: Context, name: string): Promise<Grant> {
  if (!isId(name)) requireName(name)
  return requireGrant(ctx, name, 'create')
}

/** Checks early; the database rejects concurrent duplicates. @throws {SvcError} `COLLECTION_EXISTS` */
async function requireFreeName(ctx: Context, name: string): Promise<void> {
  const named = await selectCollection(ctx.db, ctx.project.id, name)
  if (named?.name === name) throw nameTaken(name)
}

function nameTaken(name: string): SvcError {
  const reason: Reason = { kind: 'taken', what: 'collection', name }
  return new SvcError('COLLECTION_EXISTS', `Collection "${name}" already exists.`, [], { reason })
}

function requireName(name: string) {
  if (isCollectionName(name)) return
  throw new SvcError(
    'INVALID_COLLECTION',
    `Invalid collection name "${name.slice(0, 80)}". Start with a letter, then use up to 62 letters, digits, "_" or "-". "documents", "batch" and "file" are reserved.`,
  )
}

/** Rejects `owner` for creating, because a document has no owner before it is created. */
export function requirePermissions(permissions: Permissions, schema: Schema): void {
  requireFieldRules(permissions)
  requireMemberWords(permissions, schema)
  const { create = [] } = permissions
  const at = create.indexOf(ownerWord)
  if (at < 0) return
  const message = `cannot contain "${ownerWord}", because a new document has no owner yet. Use "authenticated"`
  const issue = { path: ['permissions', 'create', at], message, type: 'owner' }
  throw new SvcError('VALIDATION_ERROR', `"permissions.create" ${message}.`, [issue])
}
