import type { Collection } from '../../client/model/collection.js'
import { type Changes, type Fields, mergeFields, type OutgoingDocument } from '../../client/model/document.js'
import { SvcError } from '../../client/model/errors.js'
import { JsonText } from '../../client/model/json.js'
import { checkFields, withDefaults } from '../../client/model/schema.js'
import { deleteDocuments, insertDocuments, lockDocuments, type Place, writeDocuments } from '../store/documents.js'
import { noSuchCollection, noSuchDocument, requireCollectionForCreate, requireOpenCollection } from './collections.js'
import { type Context, inTransaction } from './context.js'
import { isId } from './ids.js'
import { dropForgotten, mentionsFiles } from './owned-files.js'
import { requireLight } from './weight.js'

/** The versions a write may meet, from `if-match`; left out, any will do. Contract 3.8. */
export type VersionGuard = readonly number[] | 'any'

/** Gives documents their files, in the transaction that writes them. */
type Adopt = (ctx: Context, collection: Collection) => Promise<unknown>

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
  const whole = many.map((fields) => withDefaults(collection.schema, fields))
  requireValid(collection, whole)
  if (whole.length === 0) return []
  const rows = whole.map((fields) => ({ id: ctx.backend.newId(now), json: JSON.stringify(fields) }))
  const documents = await insertDocuments(ctx.db, place(ctx, collection, now), rows)
  if (documents.length > 0) return documents
  // The collection was removed since it was looked up.
  ctx.backend.known.collections.clear()
  throw noSuchCollection(name)
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
    const documents = await requireDocuments(ctx, collection, unique, guard)
    if (unique.length > 0) await deleteDocuments(ctx.db, place(ctx, collection, ctx.backend.now()), unique)
    return [...documents.values()].some((document) => mentionsFiles(textOf(document)))
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
    const before = await requireDocuments(ctx, collection, ids, guard)
    const after = [...edits].map(([id, edit]) => edit(fieldsOf(before.get(id))))
    requireValid(collection, after)
    // A merge can outgrow what one request could send.
    after.forEach(requireLight)
    const rows = ids.map((id, at) => ({ id, json: JSON.stringify(after[at]) }))
    if (rows.length === 0) return []
    const written = await writeDocuments(ctx.db, place(ctx, collection, ctx.backend.now()), rows)
    await adopt?.(ctx, collection)
    hasForgotten = await dropForgotten(
      ctx,
      rows.map(({ id, json }) => ({ id, before: textOf(before.get(id)), after: json })),
    )
    const byId = new Map(written.map((document) => [document.id, document]))
    return ids.flatMap((id) => byId.get(id) ?? [])
  })
  if (hasForgotten) ctx.backend.sweepFilesSoon()
  return documents
}

async function requireDocuments(
  ctx: Context,
  collection: Collection,
  ids: readonly string[],
  guard: VersionGuard,
): Promise<Map<string, OutgoingDocument>> {
  const illFormed = ids.find((id) => !isId(id))
  if (illFormed !== undefined) throw noSuchDocument(collection, illFormed)
  const documents = await lockDocuments(ctx.db, collection, ids)
  for (const id of ids) {
    const document = documents.get(id)
    if (!document) throw noSuchDocument(collection, id)
    if (guard !== 'any' && !guard.includes(document.version)) {
      throw new SvcError('CONFLICT', `Document "${id}" has changed since: it is at version ${document.version}.`)
    }
  }
  return documents
}

function requireValid({ schema }: Collection, many: readonly Fields[]) {
  const issues = many.flatMap((fields, at) =>
    checkFields(schema, fields).map((issue) => (many.length > 1 ? { ...issue, path: [at, ...issue.path] } : issue)),
  )
  if (issues[0]) throw new SvcError('VALIDATION_ERROR', `${issues[0].message}.`, issues)
}

function fieldsOf(document: OutgoingDocument | undefined): Fields {
  return JSON.parse(textOf(document))
}

function textOf(document: OutgoingDocument | undefined): string {
  return document?.data instanceof JsonText ? document.data.text : '{}'
}

function place(ctx: Context, collection: Collection, now: Date): Place {
  return { project: ctx.project.id, collection, at: now.toISOString() }
}
