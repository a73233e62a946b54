import pLimit from 'p-limit'
import { mergeFields } from '../../client/protocol/model/document.js'
import { placed, SvcError } from '../../client/protocol/model/errors.js'
import { type Json, type JsonObject, objectOfMany } from '../../client/protocol/model/json.js'
import { otherKeyOf } from '../../client/protocol/model/seed/keys.js'
import type { ReadRow } from '../../seeds/records/record.js'
import { misuse } from '../base/failure.js'
import type { Client } from '../base/target-command.js'
import { hashOf } from '../files/hash.js'
import type { OpenChunk } from './send-chunk.js'

type Collection = ReturnType<Client['collection']>

// Of the 8 KB of an encoded query (contract 10.7) and its 200 tests (10.11), with room for the field and the page.
const maxEncoded = 7_000
// One document for each value does not fill a page of 100, after which another would be asked for.
const maxValues = 99
const listsAtOnce = 4

/** What a seed is read from: JSON, or cells, which are read by their looks. */
export type Seeds = 'values' | 'cells'

/** Finds ids of documents, by the keys of their values. */
type Find = (keys: readonly string[]) => Promise<Map<string, string>>

/** The field that rows and documents are known by. */
interface Field {
  readonly name: string
  /** Undefined for who is not known by it. */
  keyIn(fields: JsonObject): string | undefined
  /** What a list asks for, which may find more. */
  textOf(key: string): string
  /** By which it is known where there is none of the key itself. */
  otherKeyOf(key: string): string
}

/** By the text of a string, number or boolean: a row of CSV need not have the type that the document has. */
function byText(name: string): Field {
  return { name, keyIn: (fields) => textOf(fields[name]), textOf: (key) => key, otherKeyOf: (key) => key }
}

/** As a seed of an emulator goes by its key: the number 1 is another value than the text "1". */
function byValue(name: string, seeds: Seeds): Field {
  return {
    name,
    keyIn: (fields) => (textOf(fields[name]) === undefined ? undefined : JSON.stringify(fields[name])),
    textOf: (key) => String(JSON.parse(key)),
    otherKeyOf: seeds === 'cells' ? otherKeyOf : (key) => key,
  }
}

/** A chunk whose documents are looked for before its turn. */
interface OpenLookup {
  readonly known: ReturnType<Find>
  /** Values that documents were created with since it began. */
  readonly created: Set<string>
}

/**
 * Sends rows as changes of the documents that have the same value in `field`, and creates the others.
 * Rows of one value are merged in their order, so that the last one wins. A field that none of the first rows has is
 * most likely misspelled, and would create all of them once more.
 *
 * Documents are looked for while chunks before are still written: of these, only what is created changes which document
 * has a value. Such values are looked for once more.
 */
export function openUpserts(collection: Collection, name: string, seeds?: Seeds): OpenChunk {
  let isThere = false
  const field = seeds === undefined ? byText(name) : byValue(name, seeds)
  const find = finderIn(collection, field)
  const lookups: OpenLookup[] = []
  return (opened) => {
    const lookup = beginLookup(find, valuesOf(opened, field))
    lookups.push(lookup)
    return async (rows, idempotencyKey) => {
      // Chunks are sent in order, so those before it are dealt with.
      while (lookups[0] !== lookup) lookups.shift()
      const byValue = mergeRows(rows, field)
      isThere ||= byValue.size > 0
      if (!isThere) throw misuse(`No row has a value in "${name}", the field of --by.`)
      if (seeds !== undefined) requireValues(rows, field)
      const known = await lookup.known
      const recent = await find([...byValue.keys()].filter((value) => lookup.created.has(value)))
      const changed = new Map<string, JsonObject>()
      const created = new Map<string, JsonObject>()
      for (const [value, fields] of byValue) {
        const id = known.get(value) ?? recent.get(value)
        if (id !== undefined) changed.set(id, withoutId(fields, name))
        else created.set(value, withoutId(fields, name))
      }
      if (changed.size > 0) await collection.updateMany(objectOfMany(changed), { returning: false })
      // After a crash, some of them may be known: what is created is another request then.
      await create(collection, [...created.values()], `${idempotencyKey}-${hashOf([...created.keys()])}`)
      for (const one of lookups) for (const value of created.keys()) one.created.add(value)
      // Apart, and last: repeated after a crash, the rows above are known and changed, and these must be the same request.
      const keyless = rowsWithoutValue(rows, field)
      await create(collection, keyless, `${idempotencyKey}-keyless`)
      return { created: created.size + keyless.length, newIds: name === 'id' ? created.size : 0 }
    }
  }
}

function beginLookup(find: Find, values: readonly string[]): OpenLookup {
  const known = find(values)
  // It fails for who awaits it, which is later.
  known.catch(() => undefined)
  return { known, created: new Set() }
}

async function create(collection: Collection, rows: readonly JsonObject[], idempotencyKey: string): Promise<void> {
  if (rows.length === 0) return
  await collection.createMany(rows, { idempotencyKey, returning: false }).catch((error) => {
    // What is created has other indices than the rows, of which several may be one document.
    throw placed(error, (path) => path.slice(1))
  })
}

function valuesOf(rows: readonly ReadRow[], { keyIn }: Field): string[] {
  return [...new Set(rows.flatMap(({ fields }) => keyIn(fields) ?? []))]
}

function mergeRows(rows: readonly ReadRow[], { keyIn }: Field): Map<string, JsonObject> {
  const merged = new Map<string, JsonObject>()
  for (const { fields } of rows) {
    const value = keyIn(fields)
    if (value === undefined) continue
    const before = merged.get(value)
    merged.set(value, before ? mergeFields(before, { fields, remove: {}, append: {} }) : fields)
  }
  return merged
}

/** @throws {SvcError} that names the rows by their index, as the service would */
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

/** What a row is known by: the text of a string, number or boolean. Anything else knows no document. */
function textOf(value: Json | undefined): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
}

/** `id` names the document; it is not among its fields. */
function withoutId(fields: JsonObject, name: string): JsonObject {
  if (name !== 'id') return fields
  const { id: _, ...rest } = fields
  return rest
}

/** Finds the id of the first document with each value; few lists at once, whoever asks. */
function finderIn(collection: Collection, { name, keyIn, textOf, otherKeyOf }: Field): Find {
  const limit = pLimit(listsAtOnce)
  return async (keys) => {
    const known = new Map<string, string>()
    const texts = [...new Set(keys.map(textOf))]
    await limit.map(inPieces(texts), async (some) => {
      for await (const { id, data } of collection.iterate({ where: { [name]: { in: some } } })) {
        const key = keyIn(name === 'id' ? { id } : data)
        if (key !== undefined && !known.has(key)) known.set(key, id)
      }
    })
    for (const key of keys) {
      const id = known.get(key) ?? known.get(otherKeyOf(key))
      if (id !== undefined) known.set(key, id)
    }
    return known
  }
}

/** Values that one list can ask for. */
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

/** Of a value and the comma behind it; a comma in the value itself is escaped. Half of a surrogate pair has no encoding. */
function encodedLength(value: string): number {
  return encodeURIComponent(`${value.replaceAll(',', '\\,')},`.toWellFormed()).length
}
