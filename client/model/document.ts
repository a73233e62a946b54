import { SvcError } from './errors.js'
import { equalJson, isObject, type Json, type JsonObject, type JsonText, setOwn } from './json.js'
import type { OutgoingUser } from './user.js'

/** The fields of a document: any JSON object. */
export type Fields = JsonObject

/** Spec, "Document". Times are ISO 8601 UTC with milliseconds. */
export interface Document<Data = Fields> {
  readonly id: string
  /** Name of its collection; empty where the wire form has no room for it. */
  readonly collection: string
  /** Id of its collection; empty where the wire form has no room for it. */
  readonly collectionId: string
  readonly data: Data
  readonly createdAt: string
  readonly updatedAt: string
  /** Counts the writes, from 1; its `etag`. 0 where the wire did not say it. */
  readonly version: number
}

/** A linked record that `populate` put in the place of its id. The wire writes it in the dialect's shape. */
export class Linked {
  constructor(readonly record: OutgoingDocument | OutgoingUser) {}
}

export type PopulatedValue = Json | Linked | readonly PopulatedValue[] | PopulatedFields
export interface PopulatedFields {
  readonly [field: string]: PopulatedValue
}

/** A document on its way out: its data is the database's text, or fields with linked records in them. */
export type OutgoingDocument = Document<JsonText | PopulatedFields>

/** What an update asks for: plain fields and array operators, applied in the order fields, remove, append. */
export interface Changes {
  readonly fields: Fields
  readonly remove: JsonObject
  readonly append: JsonObject
}

/**
 * Fields merged at the top level, then `$remove`, then `$append`. Contract 3.2 and 3.3.
 *
 * @throws {SvcError} `VALIDATION_ERROR` if an operator meets a field that is not an array.
 */
export function mergeFields(before: Fields, { fields, remove, append }: Changes): Fields {
  for (const part of [fields, remove, append]) requireNoOperator(part)
  const after: Fields = { ...before }
  for (const [key, value] of Object.entries(fields)) setOwn(after, key, value)
  for (const [key, value] of Object.entries(remove)) {
    const unwanted = items(value)
    setOwn(
      after,
      key,
      arrayAt(after, key).filter((item) => !unwanted.some((other) => equalJson(item, other))),
    )
  }
  for (const [key, value] of Object.entries(append)) {
    const array = [...arrayAt(after, key)]
    for (const item of items(value)) if (!array.some((other) => equalJson(item, other))) array.push(item)
    setOwn(after, key, array)
  }
  return after
}

/** No field is named as an operator. @throws {SvcError} `VALIDATION_ERROR` */
export function requireNoOperator(fields: Fields): void {
  const operator = operatorNames.find((name) => Object.hasOwn(fields, name))
  if (operator === undefined) return
  throw new SvcError('VALIDATION_ERROR', `"${operator}" works in updates only, and is no name of a field.`, [
    { path: [operator], message: 'works in updates only', type: 'operator' },
  ])
}

/** What no field is called, at the top level. */
export const operatorNames: readonly string[] = ['$append', '$remove']

/** Takes `$append` and `$remove` off a body. What is left are plain fields. */
export function splitOperators(body: JsonObject): { operators: Pick<Changes, 'remove' | 'append'>; rest: JsonObject } {
  const { $append: append = {}, $remove: remove = {}, ...rest } = body
  if (!isObject(append)) throw operatorShape('$append')
  if (!isObject(remove)) throw operatorShape('$remove')
  return { operators: { append, remove }, rest }
}

function operatorShape(name: string) {
  return new SvcError('VALIDATION_ERROR', `"${name}" takes an object of field names and items.`, [
    { path: [name], message: 'expected an object', type: 'object' },
  ])
}

function arrayAt(data: Fields, key: string): Json[] {
  const value = Object.hasOwn(data, key) ? data[key] : undefined
  if (value === undefined || value === null) return []
  if (Array.isArray(value)) return value
  throw new SvcError('VALIDATION_ERROR', `"${key}" is not an array.`, [
    { path: [key], message: 'is not an array', type: 'array' },
  ])
}

function items(value: Json): Json[] {
  return Array.isArray(value) ? value : [value]
}
