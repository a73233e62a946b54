/** Which document that is there a document of a seed means. */
import { isId, parseFields, type StoredDocument } from '../../../client/protocol/model/document.js'
import { SvcError } from '../../../client/protocol/model/errors.js'
import type { Json, JsonObject } from '../../../client/protocol/model/json.js'
import { findOtherKey } from '../../../client/protocol/model/seed/keys.js'
import { type Reference, referenceName, referencesIn } from '../../../client/protocol/model/seed/references.js'
import type { SeedDocument } from '../../../client/protocol/model/seed/steps.js'
import { selectDocument } from '../../store/documents.js'
import { selectIdsByField, selectMatching } from '../../store/seeds.js'
import { type OpenCollection, remember, resolved, type Seeding } from './seeding.js'

/** What a document is known by. */
export interface Target {
  /** The value of the key as JSON, where the collection has one: a number is not the text of it. */
  readonly key: string | undefined
  /** Undefined where it is new. */
  readonly id: string | undefined
}

/** @throws {SvcError} `VALIDATION_ERROR` for a document without the key: each seed would create it once more */
export async function findTarget(seeding: Seeding, open: OpenCollection, document: SeedDocument): Promise<Target> {
  if (open.key === undefined) return { key: undefined, id: (await findThere(seeding, open, document))?.id }
  const key = keyOf(seeding, open.key, document)
  open.byKey ??= await selectIdsByField(seeding.ctx.db, open.collection.id, open.key)
  const id = open.byKey.get(key)
  return { key, id: id ?? (open.isKeyGuessed ? open.byKey.get(findOtherKey(key)) : undefined) }
}

/** The document that an earlier seed made, by its id, else by its key or, where it has none, its plain fields. */
export async function findThere(
  seeding: Seeding,
  { collection, key }: OpenCollection,
  document: SeedDocument,
): Promise<StoredDocument | undefined> {
  const { db } = seeding.ctx
  const known = document.id !== undefined && isId(document.id) && (await selectDocument(db, collection, document.id))
  if (known) return known
  const asked = Object.entries(document.data).filter(([name]) => key === undefined || name === key)
  // A file that it owns has another address each time, and any other may have been replaced.
  const comparable = asked.filter(([, value]) => !referencesIn(value).some((reference) => isOfFile(seeding, reference)))
  const whole = resolvedIfThere(seeding, document, Object.fromEntries(comparable))
  const plain = Object.entries(whole ?? {}).filter(([, value]) => isPlain(value))
  return plain.length === 0 ? undefined : selectMatching(db, collection, JSON.stringify(Object.fromEntries(plain)))
}

/** Not of a document in a collection of that name. */
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

function keyOf(seeding: Seeding, key: string, { name = '', data, hasReferences }: SeedDocument): string {
  const member = Object.hasOwn(data, key) ? { [key]: data[key] ?? null } : {}
  const value = (hasReferences ? resolved(seeding, name, member) : member)[key]
  if (value !== undefined && isPlain(value)) return JSON.stringify(value)
  const message = `has no text, number or boolean in "${key}", the key`
  throw new SvcError('VALIDATION_ERROR', `It ${message}.`, [{ path: [key], message, type: 'key' }])
}

/** Nothing is written of what is left alone, so what it refers to need not be there either. */
function resolvedIfThere(seeding: Seeding, { name = '', hasReferences }: SeedDocument, data: JsonObject) {
  if (!hasReferences) return data
  try {
    // Of what is only looked for, nothing is promised.
    return resolved({ ...seeding, promised: new Map() }, name, data)
  } catch (error) {
    if (error instanceof SvcError) return undefined
    throw error
  }
}

function isPlain(value: Json): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value)
}
