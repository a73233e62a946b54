import { type Issue, SvcError } from './errors.js'
import { canonicalJson, isObject, type Json, type JsonObject, type JsonText, setOwn } from './json.js'
import type { AppUser } from './user.js'

/** The fields of a document: any JSON object. */
export type Fields = JsonObject

/** Spec, "Document". Times are ISO 8601 UTC with milliseconds. */
export interface Document<Data = Fields> {
  readonly id: string
  /** Name of its collection, where the wire form tells it. */
  readonly collection?: string
  /** Id of its collection, where the wire form tells it. */
  readonly collectionId?: string
  readonly data: Data
  readonly createdAt: string
  readonly updatedAt: string
  /** Counts the writes, from 1; its `etag`. Present on a document that was asked for or written alone, not in a list. */
  readonly version?: number
}

/** A linked record that `populate` put in the place of its id. The wire writes it in the dialect's shape. */
export class LinkedRecord {
  constructor(readonly record: OutgoingDocument | OutgoingUser) {}
}

export type PopulatedValue = Json | JsonText | LinkedRecord | readonly PopulatedValue[] | PopulatedFields
export interface PopulatedFields {
  readonly [field: string]: PopulatedValue
}

/** A document of a list, which does not say who created it: its data are the database's text. */
export type ListedDocument = Required<Document<JsonText>>

/** A document as it is stored. */
export interface StoredDocument extends ListedDocument {
  /** The user who created it, or has been given it; null where there is none. No answer to an app shows it. */
  readonly createdBy: string | null
}

/** A user as one is stored. */
export type StoredUser = AppUser<JsonText>

/** A document on its way out, as it is stored or with linked records in its fields. */
export type OutgoingDocument = Required<Document<JsonText | PopulatedFields>>

/** A user on the way out, as one is stored or with linked records in the fields. */
export type OutgoingUser = AppUser<JsonText | PopulatedFields>

/** The fields of a stored record. What is stored is always an object. */
export function fieldsOf({ data }: { readonly data: JsonText }): Fields {
  return data.toJSON() as Fields
}

/** What an update asks for: plain fields and array operators, applied in the order fields, remove, append. */
export interface DocumentUpdate {
  readonly fields: Fields
  readonly remove: JsonObject
  readonly append: JsonObject
}

/**
 * Fields merged at the top level, then `$remove`, then `$append`. Contract 3.2 and 3.3.
 *
 * @throws {SvcError} `VALIDATION_ERROR` if an operator meets a field that is not an array.
 */
export function mergeFields(before: Fields, { fields, remove, append }: DocumentUpdate): Fields {
  requireNoOperator(fields)
  requireNoOperator(remove, ['$remove'])
  requireNoOperator(append, ['$append'])
  const after: Fields = { ...before }
  for (const [key, value] of Object.entries(fields)) setOwn(after, key, value)
  for (const [key, value] of Object.entries(remove)) {
    const unwanted = new Set(items(value).map(identityOf))
    setOwn(
      after,
      key,
      arrayAt(after, key, '$remove').filter((item) => !unwanted.has(identityOf(item))),
    )
  }
  for (const [key, value] of Object.entries(append)) {
    const array = arrayAt(after, key, '$append')
    // One look at each item: arrays of 100,000 can meet here.
    const known = new Set(array.map(identityOf))
    const added = items(value).filter((item) => {
      const before = known.size
      return known.add(identityOf(item)).size > before
    })
    setOwn(after, key, [...array, ...added])
  }
  return after
}

/** No field is named as an operator. @throws {SvcError} `VALIDATION_ERROR` */
export function requireNoOperator(fields: Fields, place: Issue['path'] = []): void {
  const operator = operatorNames.find((name) => Object.hasOwn(fields, name))
  if (operator === undefined) return
  throw new SvcError('VALIDATION_ERROR', `"${operator}" works in updates only, and is not a valid field name.`, [
    { path: [...place, operator], message: 'works in updates only', type: 'operator' },
  ])
}

/** What no field is called, at the top level. */
export const operatorNames: readonly string[] = ['$append', '$remove']

/** Takes `$append` and `$remove` off a body. What is left are plain fields. */
export function splitOperators(
  body: JsonObject,
  place: Issue['path'] = [],
): { operators: Pick<DocumentUpdate, 'remove' | 'append'>; rest: JsonObject } {
  if (!Object.hasOwn(body, '$append') && !Object.hasOwn(body, '$remove')) {
    return { operators: { append: {}, remove: {} }, rest: body }
  }
  const { $append: append = {}, $remove: remove = {}, ...rest } = body
  if (!isObject(append)) throw operatorShape([...place, '$append'])
  if (!isObject(remove)) throw operatorShape([...place, '$remove'])
  return { operators: { append, remove }, rest }
}

function operatorShape(path: Issue['path']) {
  return new SvcError('VALIDATION_ERROR', `"${path.at(-1)}" takes an object of field names and items.`, [
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

/** What two values share if they are deeply equal, to look one up among many; no text of a document begins with U+0000. */
function identityOf(value: Json): Json {
  return typeof value === 'object' && value !== null ? `\0${canonicalJson(value)}` : value
}

/** What an operator is given for a field: one item, or an array of them. */
export function items(value: Json): Json[] {
  return Array.isArray(value) ? value : [value]
}

/** Whether a text could be an id at all; what could not is simply not found. Contract 2.1. */
export function isId(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)
}
