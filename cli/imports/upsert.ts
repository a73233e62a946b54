import pLimit from 'p-limit'
import { mergeFields } from '../../client/protocol/model/document.js'
import { placed, SvcError } from '../../client/protocol/model/errors.js'
import { type Json, type JsonObject, objectOfMany } from '../../client/protocol/model/json.js'
import type { ReadRow } from '../../seeds/records/record.js'
import { misuse } from '../base/failure.js'
import type { Client } from '../base/target-command.js'
import type { OpenChunk } from './send-chunk.js'

type Collection = ReturnType<Client['collection']>

// Of the 8 KB of an encoded query (contract 10.7) and its 200 tests (10.11), with room for the field and the page.
const mostEncoded = 7_000
// One document for each value does not fill a page of 100, after which another would be asked for.
const mostValues = 99
const listsAtOnce = 4

type Find = (values: readonly string[]) => Promise<Map<string, string>>

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
export function openUpserts(
  collection: Collection,
  field: string,
  { refusesKeyless }: { refusesKeyless: boolean },
): OpenChunk {
  let isThere = false
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
      if (!isThere) throw misuse(`No row has a value in "${field}", the field of --by.`)
      if (refusesKeyless) requireValues(rows, field)
      const known = await lookup.known
      const recent = await find([...byValue.keys()].filter((value) => lookup.created.has(value)))
      const changed = new Map<string, JsonObject>()
      const created = new Map<string, JsonObject>()
      for (const [value, fields] of byValue) {
        const id = known.get(value) ?? recent.get(value)
        if (id !== undefined) changed.set(id, withoutId(fields, field))
        else created.set(value, withoutId(fields, field))
      }
      if (changed.size > 0) await collection.updateMany(objectOfMany(changed), { returning: false })
      await create(collection, [...created.values()], idempotencyKey)
      for (const one of lookups) for (const value of created.keys()) one.created.add(value)
      // Apart, and last: repeated after a crash, the rows above are known and changed, and these must be the same request.
      await create(collection, rowsWithoutValue(rows, field), `${idempotencyKey}-keyless`)
      return field === 'id' ? created.size : 0
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

function valuesOf(rows: readonly ReadRow[], field: string): string[] {
  return [...new Set(rows.flatMap(({ fields }) => textOf(fields[field]) ?? []))]
}

function mergeRows(rows: readonly ReadRow[], field: string): Map<string, JsonObject> {
  const merged = new Map<string, JsonObject>()
  for (const { fields } of rows) {
    const value = textOf(fields[field])
    if (value === undefined) continue
    const before = merged.get(value)
    merged.set(value, before ? mergeFields(before, { fields, remove: {}, append: {} }) : fields)
  }
  return merged
}

/** @throws {SvcError} that names the rows by their index, as the service would */
function requireValues(rows: readonly ReadRow[], field: string): void {
  const message = `has no text, number or boolean in "${field}", the key`
  const issues = rows.flatMap(({ fields }, at) =>
    textOf(fields[field]) === undefined ? [{ path: [at], message, type: 'missing' }] : [],
  )
  if (issues.length > 0) throw new SvcError('VALIDATION_ERROR', `A row ${message}.`, issues)
}

function rowsWithoutValue(rows: readonly ReadRow[], field: string): JsonObject[] {
  return rows.flatMap(({ fields }) => (textOf(fields[field]) === undefined ? [fields] : []))
}

/** What a row is known by: the text of a string, number or boolean. Anything else knows no document. */
function textOf(value: Json | undefined): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
}

/** `id` names the document; it is not among its fields. */
function withoutId(fields: JsonObject, field: string): JsonObject {
  if (field !== 'id') return fields
  const { id: _, ...rest } = fields
  return rest
}

/** Finds the id of the first document with each value; few lists at once, whoever asks. */
function finderIn(collection: Collection, field: string): Find {
  const limit = pLimit(listsAtOnce)
  return async (values) => {
    const known = new Map<string, string>()
    await limit.map(inPieces(values), async (some) => {
      for await (const { id, data } of collection.iterate({ where: { [field]: { in: some } } })) {
        const value = field === 'id' ? id : textOf(data[field])
        if (value !== undefined && !known.has(value)) known.set(value, id)
      }
    })
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
    if (last && last.length < mostValues && encoded < mostEncoded) last.push(value)
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
