import type { StoredCollection } from '../../../client/protocol/model/collection.js'
import { type DocumentUpdate, type Fields, isId, type StoredDocument } from '../../../client/protocol/model/document.js'
import { JsonText } from '../../../client/protocol/model/json.js'
import {
  deleteDocuments,
  lockDocuments,
  lockDocumentVersions,
  type NewData,
  updateDocumentData,
} from '../../store/documents.js'
import { listUniqueRules } from '../../store/unique-rules.js'
import { guardFields } from '../access/field-guard.js'
import { type Grant, type Memberships, requireAllowed, requireCreatable } from '../access/grant.js'
import { findMemberships, memberFields } from '../access/memberships.js'
import { noSuchCollection, noSuchDocument } from '../access/missing.js'
import { requireCreateGrant, requireGrant } from '../collections/collections.js'
import { workLong } from '../concurrency/long-reads.js'
import type { Context } from '../context.js'
import { keepOwned, orphanForgotten } from '../files/owned-files.js'
import { changeUniqueValues, requireCurrentRules, requireDistinct, withCurrentRules } from '../unique-values.js'
import { inTransaction } from '../unit-of-work.js'
import { removeDependants } from './dependants.js'
import { collectLinks } from './links.js'
import { openChanges } from './merging.js'
import {
  bytesInAnswer,
  checkAndSerialize,
  type Edit,
  insertAll,
  mergeEdit,
  openCompleter,
  place,
  publishRecorded,
  requireAnswerable,
  requireVersion,
  shownTo,
  type VersionGuard,
} from './writing.js'

/** Assigns files to their documents, in the transaction that writes the documents. */
export type Adopt = (ctx: Context, collection: StoredCollection) => Promise<unknown>

/**
 * Creates all documents or none, in the given order. Contract 3.6.
 *
 * @throws {SvcError} `VALIDATION_ERROR`. With several documents, the path of each issue begins with the index of the document.
 */
export function createDocuments(ctx: Context, name: string, many: readonly Fields[]): Promise<StoredDocument[]> {
  return withCurrentRules(ctx, () => createAsKnown(ctx, name, many))
}

async function createAsKnown(ctx: Context, name: string, many: readonly Fields[]): Promise<StoredDocument[]> {
  const grant = await requireCreateGrant(ctx, name)
  const { collection } = grant
  const guard = guardFields(grant)
  const complete = openCompleter(collection)
  const links = collectLinks(collection, many.length, grant.hidden)
  const texts = await checkAndSerialize(
    collection,
    many,
    (fields) => links.note(guard.created(fields, complete(fields))),
    listUniqueRules(collection),
  )
  if (grant.create !== 'all') await requireMember(ctx, grant, texts)
  const linked = await links.resolve(ctx)
  const createdBy = ctx.caller.user?.id
  // Puts the new property first: after a spread, V8 takes ten times as long to add it.
  const owned = texts.map(({ text }, at) => ({ createdBy, links: linked[at], ...text }))
  const [first] = owned
  if (!first) return []
  requireDistinct(collection, owned)
  async function write(texts: readonly Omit<NewData, 'id'>[]) {
    const documents = await insertAll(ctx, collection, texts)
    if (documents.length > 0 || linked.length === 0) return documents
    // Fails a group of requests, so that each is written alone and learns about its own links.
    if (texts.length > owned.length) throw new Error('A linked record of a group is missing.')
    await links.require(ctx)
    return documents
  }
  const isJoined = owned.length === 1 && !ctx.pending && ctx.db.capabilities.runsWritersTogether
  const documents = isJoined
    ? await ctx.backend.joinedCreates.insert({ db: ctx.db, collection: collection.id }, first, write)
    : await write(owned)
  // The collection was removed after it was looked up, or has other rules.
  if (documents.length === 0) {
    await requireCurrentRules(ctx, collection)
    throw noSuchCollection(name)
  }
  return shownTo(ctx, grant, documents)
}

/** Checks the permission to create by the values that are written, with defaults. @throws {SvcError} `FORBIDDEN` */
async function requireMember(
  { db }: Context,
  grant: Grant,
  texts: readonly { readonly text: Omit<NewData, 'id'> }[],
): Promise<void> {
  const documents = texts.map(({ text }, at) => ({ id: String(at), data: new JsonText(text.json) }))
  const ids = documents.map(({ id }) => id)
  requireCreatable(grant, ids, await findMemberships(db, grant, documents))
}

/** Changes some fields of several documents: all of them or none. */
export async function updateDocuments(
  ctx: Context,
  name: string,
  updates: ReadonlyMap<string, DocumentUpdate>,
): Promise<StoredDocument[]> {
  const edits = [...updates].map(([id, changes]) => [id, mergeEdit(changes)] as const)
  return workLong(ctx, (ctx) => changeDocuments(ctx, name, new Map(edits), { skipsMissing: skipsMissing(ctx) }))
}

function skipsMissing({ leniency }: Context): boolean {
  return leniency?.skipsMissing === true
}

/** Removes all of these documents, or none if one of them does not exist. */
export function removeDocuments(
  ctx: Context,
  name: string,
  ids: readonly string[],
): Promise<{ ids: readonly string[] }> {
  return removeGuarded(ctx, name, ids, { guard: 'any', skipsMissing: skipsMissing(ctx) })
}

interface Removal {
  readonly guard: VersionGuard
  /** Whether ids that no document has are left out. */
  readonly skipsMissing: boolean
}

export function removeGuarded(
  ctx: Context,
  name: string,
  ids: readonly string[],
  removal: Removal,
): Promise<{ ids: readonly string[] }> {
  return withCurrentRules(ctx, () => removeAsKnown(ctx, name, ids, removal))
}

async function removeAsKnown(ctx: Context, name: string, asked: readonly string[], removal: Removal) {
  const grant = await requireGrant(ctx, name, 'delete')
  const { collection } = grant
  let ids: readonly string[] = []
  const hasFiles = await inTransaction(ctx, async (ctx) => {
    const targets = [...new Set(asked)].map((id) => ({ id }))
    const documents = await requireAll(ctx, { grant, kind: 'delete', ...removal }, targets, (ids) =>
      lockDocumentVersions(ctx.db, collection, ids, memberFields(grant)),
    )
    ids = documents.map(({ id }) => id)
    if (ids.length === 0) return false
    await keepOwned(ctx, ids)
    const hasDeletedMore = await removeDependants(ctx, { to: collection.id, ids })
    await publishRecorded(ctx, () =>
      deleteDocuments(ctx.db, place(ctx, collection, ctx.backend.now(ctx.project.id)), ids),
    )
    return hasDeletedMore || documents.some(({ before }) => before.hasFiles)
  })
  // The database has detached the files from their documents.
  if (hasFiles) ctx.backend.sweepFilesSoon()
  return { ids }
}

/** Locks documents, computes their new fields from the old ones, and writes them. Returns them in the order of the request. */
export function changeDocuments(
  ctx: Context,
  name: string,
  edits: ReadonlyMap<string, Edit>,
  options: ChangeOptions = {},
): Promise<StoredDocument[]> {
  return withCurrentRules(ctx, () => changeAsKnown(ctx, name, edits, options))
}

interface ChangeOptions {
  readonly guard?: VersionGuard
  readonly adopt?: Adopt | undefined
  readonly isWhole?: boolean
  /** Whether edits of ids that no document has are left out. */
  readonly skipsMissing?: boolean
}

async function changeAsKnown(
  ctx: Context,
  name: string,
  edits: ReadonlyMap<string, Edit>,
  { guard = 'any', adopt, isWhole = false, skipsMissing = false }: ChangeOptions,
): Promise<StoredDocument[]> {
  const grant = await requireGrant(ctx, name, 'update')
  const { collection } = grant
  const rules = listUniqueRules(collection)
  const targets = [...edits].map(([id, edit]) => ({ id, edit }))
  let hasForgotten = false
  const documents = await inTransaction(ctx, async (ctx) => {
    const wanted = { grant, kind: 'update', guard, skipsMissing } as const
    const locked = await requireAll(ctx, wanted, targets, (ids) => lockDocuments(ctx.db, collection, ids))
    const { checked, links, change } = openChanges(grant, targets.length, isWhole)
    const fieldsAfter = ({ before, edit, memberships }: (typeof locked)[number]) => change(before, edit, memberships)
    const texts = await checkAndSerialize(checked, locked, fieldsAfter, rules, ({ edit }) => edit)
    await links.require(ctx)
    const rows = texts.map(({ item, text }) => ({ id: item.id, ...text }))
    if (rows.length === 0) return []
    await changeUniqueValues(
      ctx,
      collection,
      texts.map(({ item: { id, before }, text: { claims } }) => ({ id, before, claims })),
    )
    const here = place(ctx, collection, ctx.backend.now(ctx.project.id))
    const { documents: written } = await publishRecorded(ctx, () => updateDocumentData(ctx.db, here, rows))
    // Counts the JSON as the database writes it, with spaces.
    requireAnswerable(written.reduce((sum, document) => sum + bytesInAnswer(document.data.text), 0))
    await adopt?.(ctx, collection)
    hasForgotten = await orphanForgotten(
      ctx,
      texts.map(({ item: { id, before }, text }) => ({ id, before: before.data.text, after: text.json })),
    )
    const byId = new Map(written.map((document) => [document.id, document]))
    return targets.flatMap(({ id }) => byId.get(id) ?? [])
  })
  if (hasForgotten) ctx.backend.sweepFilesSoon()
  return shownTo(ctx, grant, documents)
}

/**
 * Pairs each target with its document before the write.
 *
 * @throws {SvcError} `NOT_FOUND`, `FORBIDDEN`, `CONFLICT`
 */
async function requireAll<
  Target extends { readonly id: string },
  Locked extends Pick<StoredDocument, 'version' | 'createdBy' | 'data'>,
>(
  ctx: Context,
  { grant, kind, guard, skipsMissing }: Removal & { grant: Grant; kind: 'update' | 'delete' },
  asked: readonly Target[],
  lock: (ids: readonly string[]) => Promise<Map<string, Locked>>,
): Promise<(Target & { readonly before: Locked; readonly memberships: Memberships })[]> {
  const targets = skipsMissing ? asked.filter(({ id }) => isId(id)) : asked
  const ids = targets.map(({ id }) => id)
  const illFormed = ids.find((id) => !isId(id))
  if (illFormed !== undefined) throw noSuchDocument(grant.collection, illFormed)
  const documents = await lock(ids)
  if (documents.size < new Set(ids).size) await requireCurrentRules(ctx, grant.collection)
  const found = [...documents].map(([id, { data }]) => ({ id, data }))
  const memberships = await findMemberships(ctx.db, grant, found)
  return targets.flatMap((target) => {
    const { id } = target
    const before = documents.get(id)
    if (!before && skipsMissing) return []
    if (!before) throw noSuchDocument(grant.collection, id)
    const { version, createdBy } = before
    requireAllowed(grant, kind, { id, createdBy }, memberships)
    requireVersion(grant, { id, version, createdBy }, guard, memberships)
    return { ...target, before, memberships }
  })
}
