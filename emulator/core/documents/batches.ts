import type { StoredCollection } from '../../../client/protocol/model/collection.js'
import {
  type Changes,
  type Fields,
  mergeFields,
  type OutgoingDocument,
} from '../../../client/protocol/model/document.js'
import { plainError } from '../../../client/protocol/model/error-words.js'
import { type Issue, placed, SvcError } from '../../../client/protocol/model/errors.js'
import { JsonText } from '../../../client/protocol/model/json.js'
import { sizes } from '../../../client/protocol/model/limits.js'
import { checkFields, withDefaults } from '../../../client/protocol/model/schema.js'
import {
  deleteDocuments,
  insertDocuments,
  lockDocuments,
  lockDocumentVersions,
  type NewData,
  type Place,
  updateDocumentData,
} from '../../store/documents.js'
import {
  noSuchCollection,
  noSuchDocument,
  requireCollectionForCreate,
  requireOpenCollection,
} from '../collections/collections.js'
import { may } from '../collections/permissions.js'
import type { Context } from '../context.js'
import { dropForgotten } from '../files/owned-files.js'
import { isId } from '../ids.js'
import { openPauses } from '../pauses.js'
import { inTransaction, publishing } from '../unit-of-work.js'
import { countValues, requireLight } from './weight.js'

/** The versions a write may meet, from `if-match`; left out, any will do. Contract 3.8. */
export type VersionGuard = readonly number[] | 'any'

/** Gives documents their files, in the transaction that writes them. */
type Adopt = (ctx: Context, collection: StoredCollection) => Promise<unknown>

/**
 * Creates all documents or none, in the order given. Contract 3.6.
 *
 * @throws {SvcError} `VALIDATION_ERROR` whose issues begin with the index of the document, where there are several.
 */
export async function createDocuments(
  ctx: Context,
  name: string,
  many: readonly Fields[],
): Promise<OutgoingDocument[]> {
  const collection = await requireCollectionForCreate(ctx, name)
  const now = ctx.backend.now()
  const texts = await textsOf(collection, many.length, (at) => withSchema(collection, many[at] ?? {}))
  if (texts.length === 0) return []
  const rows = texts.map((text) => ({ id: ctx.backend.newId(now), ...text }))
  const { documents } = await recording(ctx, () => insertDocuments(ctx.db, place(ctx, collection, now), rows))
  // The collection was removed since it was looked up.
  if (documents.length === 0) throw noSuchCollection(name)
  return shownTo(ctx, collection, documents)
}

/** Changes some fields of each of several documents; all of them or none. */
export function updateDocuments(
  ctx: Context,
  name: string,
  updates: ReadonlyMap<string, Changes>,
): Promise<OutgoingDocument[]> {
  const edits = [...updates].map(([id, changes]) => [id, (before: Fields) => mergeFields(before, changes)] as const)
  return changeDocuments(ctx, name, new Map(edits))
}

/** Removes all of these documents, or none if one of them does not exist. */
export async function removeDocuments(
  ctx: Context,
  name: string,
  ids: readonly string[],
  guard: VersionGuard = 'any',
): Promise<{ ids: readonly string[] }> {
  const collection = await requireOpenCollection(ctx, name, 'delete')
  const unique = [...new Set(ids)]
  const hasFiles = await inTransaction(ctx, async (ctx) => {
    const documents = await requireAll(ctx, collection, unique, guard, (ids) =>
      lockDocumentVersions(ctx.db, collection, ids),
    )
    if (unique.length === 0) return false
    await recording(ctx, () => deleteDocuments(ctx.db, place(ctx, collection, ctx.backend.now()), unique))
    return [...documents.values()].some(({ hasFiles }) => hasFiles)
  })
  // The database has taken the files from their documents.
  if (hasFiles) ctx.backend.sweepFilesSoon()
  return { ids: unique }
}

/** Locks documents, works out their new fields from the old, and writes them; answers in the order asked. */
export async function changeDocuments(
  ctx: Context,
  name: string,
  edits: ReadonlyMap<string, (before: Fields) => Fields>,
  { guard = 'any', adopt }: { guard?: VersionGuard; adopt?: Adopt } = {},
): Promise<OutgoingDocument[]> {
  const collection = await requireOpenCollection(ctx, name, 'update')
  const ids = [...edits.keys()]
  let hasForgotten = false
  const documents = await inTransaction(ctx, async (ctx) => {
    const before = await requireAll(ctx, collection, ids, guard, (ids) => lockDocuments(ctx.db, collection, ids))
    const texts = await textsOf(collection, ids.length, (at) => {
      const id = ids[at] ?? ''
      const after = edits.get(id)?.(fieldsOf(before.get(id))) ?? {}
      // A merge can outgrow what one request could send.
      requireLight(after)
      return after
    })
    const rows = ids.flatMap((id, at) => (texts[at] ? [{ id, ...texts[at] }] : []))
    if (rows.length === 0) return []
    const here = place(ctx, collection, ctx.backend.now())
    const { documents: written } = await recording(ctx, () => updateDocumentData(ctx.db, here, rows))
    // As the database writes them, with spaces.
    requireAnswerable(written.reduce((sum, document) => sum + bytesInAnswer(textOf(document)), 0))
    await adopt?.(ctx, collection)
    hasForgotten = await dropForgotten(
      ctx,
      rows.map(({ id, json }) => ({ id, before: textOf(before.get(id)), after: json })),
    )
    const byId = new Map(written.map((document) => [document.id, document]))
    return ids.flatMap((id) => byId.get(id) ?? [])
  })
  if (hasForgotten) ctx.backend.sweepFilesSoon()
  return shownTo(ctx, collection, documents)
}

/** What a write answers: who may not read learns nothing of what is kept. Contract 5.3. */
function shownTo({ caller }: Context, collection: StoredCollection, documents: readonly OutgoingDocument[]) {
  if (may(caller, collection, 'read')) return [...documents]
  return documents.map((document) => ({ ...document, data: new JsonText('{}') }))
}

/** @throws {SvcError} `NOT_FOUND`, `CONFLICT` */
async function requireAll<Locked extends { readonly version: number }>(
  ctx: Context,
  collection: StoredCollection,
  ids: readonly string[],
  guard: VersionGuard,
  lock: (ids: readonly string[]) => Promise<Map<string, Locked>>,
): Promise<Map<string, Locked>> {
  const illFormed = ids.find((id) => !isId(id))
  if (illFormed !== undefined) throw noSuchDocument(collection, illFormed)
  const documents = await lock(ids)
  for (const id of ids) {
    const document = documents.get(id)
    if (!document) throw noSuchDocument(collection, id)
    if (guard !== 'any' && !guard.includes(document.version)) {
      const now = may(ctx.caller, collection, 'read') ? `: it is at version ${document.version}` : ''
      throw new SvcError('CONFLICT', `Document "${id}" has changed since${now}.`)
    }
  }
  return documents
}

/** So many documents as JSON text, each once it has been checked, and a few of them in a turn of the event loop. */
async function textsOf(
  { schema }: StoredCollection,
  count: number,
  fieldsAt: (at: number) => Fields,
): Promise<Omit<NewData, 'id'>[]> {
  const texts: Omit<NewData, 'id'>[] = []
  const issues: Issue[] = []
  const pauses = openPauses()
  let bytes = 0
  for (let at = 0; at < count; at++) {
    const fields = indexed(count > 1 ? [at] : [], () => fieldsAt(at))
    const found = checkFields(schema, fields)
    issues.push(...(count > 1 ? found.map((issue) => ({ ...issue, path: [at, ...issue.path] })) : found))
    const text = JSON.stringify(fields)
    bytes += bytesInAnswer(text)
    requireAnswerable(bytes)
    texts.push({ json: text, values: countValues(fields) })
    const pause = pauses.after(text.length)
    if (pause) await pause
  }
  if (issues[0]) throw new SvcError('VALIDATION_ERROR', `${issues[0].message}.`, issues)
  return texts
}

/** What is wrong with one of several, by its index. */
function indexed(place: Issue['path'], read: () => Fields): Fields {
  try {
    return read()
  } catch (error) {
    throw placed(error, (path) => [...place, ...path])
  }
}

/** Defaults can make a document heavier than what was sent. */
function withSchema({ schema }: StoredCollection, fields: Fields): Fields {
  const whole = withDefaults(schema, fields)
  if (whole !== fields) requireLight(whole)
  return whole
}

/** A write answers what it wrote: more than an answer may hold is not written. Contract 10.10. */
function requireAnswerable(bytes: number): void {
  if (bytes > sizes.mostAnswerBytes) throw plainError('RESULT_TOO_LARGE')
}

function bytesInAnswer(text: string): number {
  return Buffer.byteLength(text) + mostEnvelopeBytes
}

/** What stands around the data of a document at most: its id, times and collection. */
const mostEnvelopeBytes = 512

function fieldsOf(document: OutgoingDocument | undefined): Fields {
  return JSON.parse(textOf(document))
}

function textOf(document: OutgoingDocument | undefined): string {
  return document?.data instanceof JsonText ? document.data.text : '{}'
}

/** Publishes the changes that a write has recorded. */
function recording<Recorded extends { readonly seq: number | null }>(ctx: Context, write: () => Promise<Recorded>) {
  const project = ctx.project.id
  return publishing(ctx, (recorded) => ({ kind: 'changes', project, seq: recorded?.seq ?? null }), write)
}

function place(ctx: Context, collection: StoredCollection, now: Date): Place {
  return { project: ctx.project.id, collection, at: now.toISOString() }
}
