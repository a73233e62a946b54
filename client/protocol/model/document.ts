import { type Issue, SvcError } from './errors.js'
import { canonicalJson, isObject, type Json, type JsonObject, type JsonText, setOwn } from './json.js'
import type { AppUser } from './user.js'

/** The fields of a document: any JSON object. */
export type Fields = JsonObject

/** Spec, "Document". Times are ISO 8601 UTC with milliseconds. */
export interface Document<Data = Fields> {
  readonly id: string
  /** Name of its collection, if the wire form includes it. */
  readonly collection?: string
  /** Id of its collection, if the wire form includes it. */
  readonly collectionId?: string
  readonly data: Data
  readonly createdAt: string
  readonly updatedAt: string
  /** Counts writes from 1, like its `etag`. Absent in lists. */
  readonly version?: number
}

/** A populated record. The wire encodes it in the shape of the dialect. */
export class LinkedRecord {
  constructor(readonly record: OutgoingDocument | OutgoingUser) {}
}

export type PopulatedValue = Json | JsonText | LinkedRecord | readonly PopulatedValue[] | PopulatedFields
export interface PopulatedFields {
  readonly [field: string]: PopulatedValue
}

/** A document in a list, without its creator. Its data is the text from the database. */
export type ListedDocument = Required<Document<JsonText>>

/** A document in the database. */
export interface StoredDocument extends ListedDocument {
  /** User who created the document, or received it by transfer. Never sent to apps. */
  readonly createdBy: string | null
}

/** A user in the database. */
export type StoredUser = AppUser<JsonText>

/** A document to encode, possibly populated. */
export type OutgoingDocument = Required<Document<JsonText | PopulatedFields>>

/** A user to encode, possibly populated. */
export type OutgoingUser = AppUser<JsonText | PopulatedFields>

/** Parses the fields of a stored record, which are always an object. */
export function parseFields({ data }: { readonly data: JsonText }): Fields {
  return data.toJSON() as Fields
}

/** Fields and operators of an update, applied in the order fields, remove, append, unset. */
export interface DocumentUpdate {
  readonly fields: Fields
  readonly remove: JsonObject
  readonly append: JsonObject
  /** Names of fields to remove. */
  readonly unset: readonly string[]
}

/**
 * Merges fields at the top level, then applies `$remove`, then `$append`, then `$unset`. Contract 3.2, 3.3 and 13.6.
 *
 * @throws {SvcError} `VALIDATION_ERROR` if an operator is used on a field that is not an array
 */
export function mergeFields(before: Fields, { fields, remove, append, unset }: DocumentUpdate): Fields {
  requireNoOperator(remove, ['$remove'])
  requireNoOperator(append, ['$append'])
  const after: Fields = { ...before }
  for (const [key, value] of Object.entries(fields)) setOwn(after, key, value)
  for (const [key, value] of Object.entries(remove)) {
    const unwanted = new Set(items(value).map(toComparable))
    setOwn(
      after,
      key,
      arrayAt(after, key, '$remove').filter((item) => !unwanted.has(toComparable(item))),
    )
  }
  for (const [key, value] of Object.entries(append)) {
    const array = arrayAt(after, key, '$append')
    // Uses a set, because both arrays may have 100,000 items.
    const known = new Set(array.map(toComparable))
    const added = items(value).filter((item) => {
      const before = known.size
      return known.add(toComparable(item)).size > before
    })
    setOwn(after, key, [...array, ...added])
  }
  for (const key of unset) delete after[key]
  return after
}

/** Refuses fields named like an operator. @throws {SvcError} `VALIDATION_ERROR` */
export function requireNoOperator(fields: Fields, place: Issue['path'] = []): void {
  const operator = operatorNames.find((name) => Object.hasOwn(fields, name))
  if (operator === undefined) return
  throw new SvcError('VALIDATION_ERROR', `"${operator}" works only in updates and is not a valid field name.`, [
    { path: [...place, operator], message: 'works only in updates', type: 'operator' },
  ])
}

/** Names that top-level fields cannot have. */
export const operatorNames: readonly string[] = ['$append', '$remove', '$unset']

/** The places in which an update may have operators: beside `data` or the fields, and inside `data`. */
export interface OperatorPlaces {
  readonly beside: boolean
  readonly inside: boolean
}

export const everywhere: OperatorPlaces = { beside: true, inside: true }
export const nowhere: OperatorPlaces = { beside: false, inside: false }

/** The operators of an update. */
export type UpdateOperators = Omit<DocumentUpdate, 'fields'>

export const noOperators: UpdateOperators = { append: {}, remove: {}, unset: [] }

/** Separates `$append`, `$remove` and `$unset` from the plain fields of a body. */
export function splitOperators(
  body: JsonObject,
  place: Issue['path'] = [],
): { operators: UpdateOperators; rest: JsonObject } {
  if (!operatorNames.some((name) => Object.hasOwn(body, name))) return { operators: noOperators, rest: body }
  const { $append: append = {}, $remove: remove = {}, $unset: unset = [], ...rest } = body
  if (!isObject(append)) throw operatorShape([...place, '$append'])
  if (!isObject(remove)) throw operatorShape([...place, '$remove'])
  return { operators: { append, remove, unset: readNames(unset, [...place, '$unset']) }, rest }
}

function readNames(value: Json, path: Issue['path']): string[] {
  return items(value).map((name, at) => {
    if (typeof name === 'string') return name
    throw new SvcError('VALIDATION_ERROR', '"$unset" takes names of fields, such as ["draft"].', [
      { path: Array.isArray(value) ? [...path, at] : path, message: 'expected the name of a field', type: 'string' },
    ])
  })
}

function operatorShape(path: Issue['path']) {
  return new SvcError('VALIDATION_ERROR', `"${path.at(-1)}" must be an object that maps fields to items.`, [
    { path, message: 'expected an object', type: 'object' },
  ])
}

function arrayAt(data: Fields, key: string, operator: string): Json[] {
  const value = Object.hasOwn(data, key) ? data[key] : undefined
  if (value === undefined || value === null) return []
  if (Array.isArray(value)) return value
  throw new SvcError('VALIDATION_ERROR', `"${key}" is not an array.`, [
    { path: [operator, key], message: 'is not an array', type: 'array' },
  ])
}

/** Returns the same value for deeply equal values, for use in a set. Cannot collide with text, which never contains U+0000. */
function toComparable(value: Json): Json {
  return typeof value === 'object' && value !== null ? `\0${canonicalJson(value)}` : value
}

/** Wraps a single item of an operator in an array. */
export function items(value: Json): Json[] {
  return Array.isArray(value) ? value : [value]
}

/** Returns the time at which an id was made: its first 48 bits. */
export function idTime(id: string): string {
  return new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)).toISOString()
}

/** Tells whether text has the format of an id. Other text is answered with not found. Contract 2.1. */
export function isId(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)
}
