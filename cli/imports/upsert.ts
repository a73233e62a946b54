import pLimit from 'p-limit'
import { mergeFields, noOperators } from '../../client/protocol/model/document.js'
import { placed, SvcError } from '../../client/protocol/model/errors.js'
import { type Json, type JsonObject, objectOfMany } from '../../client/protocol/model/json.js'
import { findOtherKey } from '../../client/protocol/model/seed/keys.js'
import type { ReadRow } from '../../seeds/records/record.js'
import { misuse } from '../base/failure.js'
import type { Client } from '../base/target-command.js'
import { hashJson } from '../files/hash.js'
import type { OpenChunk, SentRows } from './send-chunk.js'

type Collection = ReturnType<Client['collection']>

// Limits: 8 KB of encoded query (contract 10.7) and 200 tests (10.11), minus room for the field and the page.
const maxEncoded = 7_000
// One document per value never fills a page of 100, so no second page is needed.
const maxValues = 99
const listsAtOnce = 4

/** Format of a seed: JSON values, or cells whose type is guessed. */
export type Seeds = 'values' | 'cells'

/** Finds document ids by the keys of their values. */
type Find = (keys: readonly string[]) => Promise<Map<string, string>>

/** The field that identifies rows and documents. */
interface Field {
  readonly name: string
  /** Undefined if the fields have no usable value. */
  keyIn(fields: JsonObject): string | undefined
  /** Text for the query, which may match more. */
  keyText(key: string): string
  /** Fallback key if nothing matches exactly. */
  fallbackKey(key: string): string
}

/** Compares the text of a string, number, or boolean, because CSV rows may lack the document's type. */
function byText(name: string): Field {
  return { name, keyIn: (fields) => keyText(fields[name]), keyText: (key) => key, fallbackKey: (key) => key }
}

/** Compares values like a seed's key: the number 1 differs from the text "1". */
function byValue(name: string, seeds: Seeds): Field {
  return {
    name,
    keyIn: (fields) => (keyText(fields[name]) === undefined ? undefined : JSON.stringify(fields[name])),
    keyText: (key) => String(JSON.parse(key)),
    fallbackKey: seeds === 'cells' ? findOtherKey : (key) => key,
  }
}

/** Lookup of a chunk that starts before it is sent. */
interface OpenLookup {
  readonly known: ReturnType<Find>
  /** Values created since the lookup began. */
  readonly created: Set<string>
}

/**
 * Updates the documents with the same value in `field` and creates the others. Merges rows with the same value in
 * order, so the last one wins. Refuses a field that none of the first rows has, because a typo would duplicate every
 * document.
 *
 * Looks up documents while earlier chunks are being written. Only documents created since then can change the result,
 * so those values are looked up again.
 */
export function openUpserts(collection: Collection, name: string, seeds?: Seeds): OpenChunk {
  const field = seeds === undefined ? byText(name) : byValue(name, seeds)
  const find = createFinder(collection, field)
  const upserts: Upserts = { collection, field, seeds, find, lookups: [], hasValues: false }
  return (opened) => {
    const lookup = beginLookup(find, keysIn(opened, field))
    upserts.lookups.push(lookup)
    return (rows, idempotencyKey) => upsertRows(upserts, lookup, rows, idempotencyKey)
  }
}

/** The upserts of one import. */
interface Upserts {
  readonly collection: Collection
  readonly field: Field
  readonly seeds: Seeds | undefined
  readonly find: Find
  /** Lookups of open chunks, in order. */
  readonly lookups: OpenLookup[]
  /** Whether any row so far has a value in the field. */
  hasValues: boolean
}

async function upsertRows(
  upserts: Upserts,
  lookup: OpenLookup,
  rows: readonly ReadRow[],
  idempotencyKey: string,
): Promise<SentRows> {
  const { collection, field, seeds, find, lookups } = upserts
  // Earlier chunks are done, because chunks are sent in order.
  while (lookups[0] !== lookup) lookups.shift()
  const byValue = mergeRows(rows, field)
  upserts.hasValues ||= byValue.size > 0
  if (!upserts.hasValues) throw misuse(`No row has a value in "${field.name}", the field of --by.`)
  if (seeds !== undefined) requireValues(rows, field)
  const known = await lookup.known
  const recent = await find([...byValue.keys()].filter((value) => lookup.created.has(value)))
  const { changed, created } = splitByExistence(byValue, (value) => known.get(value) ?? recent.get(value), field)
  if (changed.size > 0) await collection.updateMany(objectOfMany(changed), { returning: false })
  // After a crash, some documents exist already, so the request to create the rest has another key.
  await create(collection, [...created.values()], `${idempotencyKey}-${hashJson([...created.keys()])}`)
  for (const one of lookups) for (const value of created.keys()) one.created.add(value)
  // Creates rows without a value separately and last, so that a retry after a crash sends the identical request.
  const keyless = rowsWithoutValue(rows, field)
  await create(collection, keyless, `${idempotencyKey}-keyless`)
  return { created: created.size + keyless.length, newIds: field.name === 'id' ? created.size : 0 }
}

/** Splits the rows into changes by document id, and new documents by value. */
function splitByExistence(
  byValue: ReadonlyMap<string, JsonObject>,
  findId: (value: string) => string | undefined,
  { name }: Field,
) {
  const changed = new Map<string, JsonObject>()
  const created = new Map<string, JsonObject>()
  for (const [value, fields] of byValue) {
    const id = findId(value)
    if (id !== undefined) changed.set(id, withoutId(fields, name))
    else created.set(value, withoutId(fields, name))
  }
  return { changed, created }
}

function beginLookup(find: Find, values: readonly string[]): OpenLookup {
  const known = find(values)
  // Handled by the caller that awaits it later.
  known.catch(() => undefined)
  return { known, created: new Set() }
}

async function create(collection: Collection, rows: readonly JsonObject[], idempotencyKey: string): Promise<void> {
  if (rows.length === 0) return
  await collection.createMany(rows, { idempotencyKey, returning: false }).catch((error) => {
    // Removes the index, because several rows may merge into one document.
    throw placed(error, (path) => path.slice(1))
  })
}

function keysIn(rows: readonly ReadRow[], { keyIn }: Field): string[] {
  return [...new Set(rows.flatMap(({ fields }) => keyIn(fields) ?? []))]
}

function mergeRows(rows: readonly ReadRow[], { keyIn }: Field): Map<string, JsonObject> {
  const merged = new Map<string, JsonObject>()
  for (const { fields } of rows) {
    const value = keyIn(fields)
    if (value === undefined) continue
    const before = merged.get(value)
    merged.set(value, before ? mergeFields(before, { fields, ...noOperators }) : fields)
  }
  return merged
}

/** @throws {SvcError} naming the rows by index, as the service does */
function requireValues(rows: readonly ReadRow[], { name, keyIn }: Field): void {
  const message = `has no text, number or boolean in "${name}", the key`
  const issues = rows.flatMap(({ fields }, at) =>
    keyIn(fields) === undefined ? [{ path: [at], message, type: 'missing' }] : [],
  )
  if (issues.length > 0) throw new SvcError('VALIDATION_ERROR', `A row ${message}.`, issues)
}

function rowsWithoutValue(rows: readonly ReadRow[], { keyIn }: Field): JsonObject[] {
  return rows.flatMap(({ fields }) => (keyIn(fields) === undefined ? [fields] : []))
}

/** Returns the text of a string, number, or boolean. Other values identify no document. */
function keyText(value: Json | undefined): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
}

/** Removes `id`, which is not a field of the document. */
function withoutId(fields: JsonObject, name: string): JsonObject {
  if (name !== 'id') return fields
  const { id: _, ...rest } = fields
  return rest
}

/** Creates a function that finds the first document with each value, with few parallel requests. */
function createFinder(collection: Collection, { name, keyIn, keyText, fallbackKey }: Field): Find {
  const limit = pLimit(listsAtOnce)
  return async (keys) => {
    const known = new Map<string, string>()
    const texts = [...new Set(keys.map(keyText))]
    await limit.map(inPieces(texts), async (some) => {
      for await (const { id, data } of collection.iterate({ where: { [name]: { in: some } } })) {
        const key = keyIn(name === 'id' ? { id } : data)
        if (key !== undefined && !known.has(key)) known.set(key, id)
      }
    })
    for (const key of keys) {
      const id = known.get(key) ?? known.get(fallbackKey(key))
      if (id !== undefined) known.set(key, id)
    }
    return known
  }
}

/** Splits values into lists that fit one query. */
function inPieces(values: readonly string[]): string[][] {
  const pieces: string[][] = []
  let encoded = 0
  for (const value of values) {
    const last = pieces.at(-1)
    const length = encodedLength(value)
    encoded += length
    if (last && last.length < maxValues && encoded < maxEncoded) last.push(value)
    else {
      pieces.push([value])
      encoded = length
    }
  }
  return pieces
}

/** Includes the trailing comma. Escapes commas in the value, and replaces lone surrogates, which have no encoding. */
function encodedLength(value: string): number {
  return encodeURIComponent(`${value.replaceAll(',', '\\,')},`.toWellFormed()).length
}
