/** Finds the existing document for a document of a seed. */
import { isId, parseFields, type StoredDocument } from '../../../client/protocol/model/document.js'
import { SvcError } from '../../../client/protocol/model/errors.js'
import type { Json, JsonObject } from '../../../client/protocol/model/json.js'
import { findOtherKey } from '../../../client/protocol/model/seed/keys.js'
import { type Reference, referenceName, referencesIn } from '../../../client/protocol/model/seed/references.js'
import type { SeedDocument } from '../../../client/protocol/model/seed/steps.js'
import { selectDocument } from '../../store/documents.js'
import { selectIdsByField, selectMatching } from '../../store/seeds.js'
import { type OpenCollection, remember, resolve, type Seeding } from './seeding.js'

/** The existing document, if any, and the key it was found by. */
export interface Target {
  /** The key's value as JSON if the collection has a key, so that 1 and "1" differ. */
  readonly key: string | undefined
  /** Undefined if the document is new. */
  readonly id: string | undefined
}

/** @throws {SvcError} `VALIDATION_ERROR` for a document without the key, because each seed would create it again */
export async function findTarget(seeding: Seeding, open: OpenCollection, document: SeedDocument): Promise<Target> {
  if (open.key === undefined) return { key: undefined, id: (await findExisting(seeding, open, document))?.id }
  const key = readKey(seeding, open.key, document)
  open.byKey ??= await selectIdsByField(seeding.ctx.db, open.collection.id, open.key)
  const id = open.byKey.get(key)
  return { key, id: id ?? (open.isKeyGuessed ? open.byKey.get(findOtherKey(key)) : undefined) }
}

/** Finds the document that an earlier seed created: by id, then by key or, without a key, by its plain fields. */
export async function findExisting(
  seeding: Seeding,
  { collection, key }: OpenCollection,
  document: SeedDocument,
): Promise<StoredDocument | undefined> {
  const { db } = seeding.ctx
  const known = document.id !== undefined && isId(document.id) && (await selectDocument(db, collection, document.id))
  if (known) return known
  const asked = Object.entries(document.data).filter(([name]) => key === undefined || name === key)
  // Skips file URLs, because owned files get a new URL each time and other files may have been replaced.
  const comparable = asked.filter(([, value]) => !referencesIn(value).some((reference) => isOfFile(seeding, reference)))
  const whole = tryResolve(seeding, document, Object.fromEntries(comparable))
  const plain = Object.entries(whole ?? {}).filter(([, value]) => isPlain(value))
  return plain.length === 0 ? undefined : selectMatching(db, collection, JSON.stringify(Object.fromEntries(plain)))
}

/** Excludes documents in a collection named `files`. */
function isOfFile({ owned, known }: Seeding, { collection, document }: Reference): boolean {
  return collection === 'files' && (owned.has(document) || known.has(collection))
}

export function rememberDocument(
  seeding: Seeding,
  { collection, ids }: OpenCollection,
  { name, isReferred }: SeedDocument,
  { id, createdAt, updatedAt, fields }: Pick<StoredDocument, 'id' | 'createdAt' | 'updatedAt'> & { fields: JsonObject },
): void {
  if (name === undefined) return
  ids?.push([name, id])
  if (isReferred) remember(seeding, referenceName(collection.name), name, { ...fields, id, createdAt, updatedAt })
}

export function rememberThere(
  seeding: Seeding,
  open: OpenCollection,
  document: SeedDocument,
  there: StoredDocument,
): void {
  rememberDocument(seeding, open, document, { ...there, fields: parseFields(there) })
}

function readKey(seeding: Seeding, key: string, { name = '', data, hasReferences }: SeedDocument): string {
  const member = Object.hasOwn(data, key) ? { [key]: data[key] ?? null } : {}
  const value = (hasReferences ? resolve(seeding, name, member) : member)[key]
  if (value !== undefined && isPlain(value)) return JSON.stringify(value)
  const message = `needs a string, number or boolean in its key field "${key}"`
  throw new SvcError('VALIDATION_ERROR', `The document ${message}.`, [{ path: [key], message, type: 'key' }])
}

/**
 * Resolves references, or returns undefined if one is missing. Documents that stay unchanged don't need their
 * references.
 */
function tryResolve(seeding: Seeding, { name = '', hasReferences }: SeedDocument, data: JsonObject) {
  if (!hasReferences) return data
  try {
    // Uses an empty map, because a document that is only looked up must not promise ids.
    return resolve({ ...seeding, promised: new Map() }, name, data)
  } catch (error) {
    if (error instanceof SvcError) return undefined
    throw error
  }
}

function isPlain(value: Json): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value)
}
