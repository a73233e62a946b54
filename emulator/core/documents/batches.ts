import type { StoredCollection } from '../../../client/protocol/model/collection.js'
import { type DocumentUpdate, type Fields, isId, type StoredDocument } from '../../../client/protocol/model/document.js'
import {
  deleteDocuments,
  lockDocuments,
  lockDocumentVersions,
  type NewData,
  updateDocumentData,
} from '../../store/documents.js'
import { guardFields } from '../access/field-guard.js'
import { type Grant, requireAllowed } from '../access/grant.js'
import { noSuchCollection, noSuchDocument } from '../access/missing.js'
import { requireCreateGrant, requireGrant } from '../collections/collections.js'
import { workLong } from '../concurrency/long-reads.js'
import type { Context } from '../context.js'
import { orphanForgotten } from '../files/owned-files.js'
import { inTransaction } from '../unit-of-work.js'
import { openMerge } from './merging.js'
import { requireLight } from './weight.js'
import {
  bytesInAnswer,
  checkAndSerialize,
  insertAll,
  openCompleter,
  openReplaceCompleter,
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
export async function createDocuments(ctx: Context, name: string, many: readonly Fields[]): Promise<StoredDocument[]> {
  const grant = await requireCreateGrant(ctx, name)
  const { collection } = grant
  const guard = guardFields(grant)
  const complete = openCompleter(collection)
  const texts = await checkAndSerialize(collection, many, (fields) => guard.created(fields, complete(fields)))
  const createdBy = ctx.caller.user?.id
  // Puts the new property first: after a spread, V8 takes ten times as long to add it.
  const owned = texts.map(({ text }) => ({ createdBy, ...text }))
  const [first] = owned
  if (!first) return []
  const write = (texts: readonly Omit<NewData, 'id'>[]) => insertAll(ctx, collection, texts)
  const isJoined = owned.length === 1 && !ctx.pending && ctx.db.capabilities.runsWritersTogether
  const documents = isJoined
    ? await ctx.backend.joinedCreates.insert({ db: ctx.db, collection: collection.id }, first, write)
    : await write(owned)
  // The collection was removed after it was looked up.
  if (documents.length === 0) throw noSuchCollection(name)
  return shownTo(grant, documents)
}

/** Changes some fields of several documents: all of them or none. */
export async function updateDocuments(
  ctx: Context,
  name: string,
  updates: ReadonlyMap<string, DocumentUpdate>,
): Promise<StoredDocument[]> {
  const merge = await openMerge(ctx, name, updates.values())
  const edits = [...updates].map(([id, changes]) => [id, (before: Fields) => merge(before, changes)] as const)
  return workLong(ctx, (ctx) => changeDocuments(ctx, name, new Map(edits)))
}

/** Removes all of these documents, or none if one of them does not exist. */
export async function removeDocuments(
  ctx: Context,
  name: string,
  ids: readonly string[],
  guard: VersionGuard = 'any',
): Promise<{ ids: readonly string[] }> {
  const grant = await requireGrant(ctx, name, 'delete')
  const { collection } = grant
  const unique = [...new Set(ids)]
  const hasFiles = await inTransaction(ctx, async (ctx) => {
    const targets = unique.map((id) => ({ id }))
    const wanted = { grant, kind: 'delete', guard } as const
    const documents = await requireAll(wanted, targets, (ids) => lockDocumentVersions(ctx.db, collection, ids))
    if (unique.length === 0) return false
    await publishRecorded(ctx, () =>
      deleteDocuments(ctx.db, place(ctx, collection, ctx.backend.now(ctx.project.id)), unique),
    )
    return documents.some(({ before }) => before.hasFiles)
  })
  // The database has detached the files from their documents.
  if (hasFiles) ctx.backend.sweepFilesSoon()
  return { ids: unique }
}

/** Locks documents, computes their new fields from the old ones, and writes them. Returns them in the order of the request. */
export async function changeDocuments(
  ctx: Context,
  name: string,
  edits: ReadonlyMap<string, (before: Fields) => Fields>,
  { guard = 'any', adopt, isWhole = false }: { guard?: VersionGuard; adopt?: Adopt; isWhole?: boolean } = {},
): Promise<StoredDocument[]> {
  const grant = await requireGrant(ctx, name, 'update')
  const { collection } = grant
  const fields = guardFields(grant)
  const complete = openReplaceCompleter(fields, isWhole)
  const targets = [...edits].map(([id, edit]) => ({ id, edit }))
  let hasForgotten = false
  const documents = await inTransaction(ctx, async (ctx) => {
    const wanted = { grant, kind: 'update', guard } as const
    const locked = await requireAll(wanted, targets, (ids) => lockDocuments(ctx.db, collection, ids))
    const texts = await checkAndSerialize({ ...collection, schema: fields.schema }, locked, ({ before, edit }) => {
      const after = complete(fields.changed(before, edit))
      // A merge can grow a document beyond what one request could send.
      requireLight(after)
      return after
    })
    const rows = texts.map(({ item, text }) => ({ id: item.id, ...text }))
    if (rows.length === 0) return []
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
  return shownTo(grant, documents)
}

/**
 * Pairs each target with its document before the write.
 *
 * @throws {SvcError} `NOT_FOUND`, `FORBIDDEN`, `CONFLICT`
 */
async function requireAll<
  Target extends { readonly id: string },
  Locked extends Pick<StoredDocument, 'version' | 'createdBy'>,
>(
  { grant, kind, guard }: { grant: Grant; kind: 'update' | 'delete'; guard: VersionGuard },
  targets: readonly Target[],
  lock: (ids: readonly string[]) => Promise<Map<string, Locked>>,
): Promise<(Target & { readonly before: Locked })[]> {
  const ids = targets.map(({ id }) => id)
  const illFormed = ids.find((id) => !isId(id))
  if (illFormed !== undefined) throw noSuchDocument(grant.collection, illFormed)
  const documents = await lock(ids)
  return targets.map((target) => {
    const { id } = target
    const before = documents.get(id)
    if (!before) throw noSuchDocument(grant.collection, id)
    const { version, createdBy } = before
    requireAllowed(grant, kind, { id, createdBy })
    requireVersion(grant, { id, version, createdBy }, guard)
    return { ...target, before }
  })
}
