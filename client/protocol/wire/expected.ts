/** Checks the form of responses. Other forms come from another service or another dialect. */
import { SvcError } from '../model/errors.js'
import { isObject, type Json, type JsonObject } from '../model/json.js'

/** Reads a header by its lower-case name. */
export type HeaderReader = (name: string) => string | null | undefined

/** Command that detects the dialect of a service. */
export const detectCommand = 'svc dialects detect'

/** Creates the error for a response in another form than the dialect's. */
export function otherForm(axis: string, why = ''): SvcError {
  return new SvcError(
    'INVALID_RESPONSE',
    `${why}The service has another form of "${axis}". Find out which: ${detectCommand}`,
  )
}

/** Returns the value if the condition holds. @throws {SvcError} that names the axis */
export function expect<Value>(isSo: unknown, value: unknown, axis = 'record'): Value {
  if (isSo) return value as Value
  throw otherForm(axis)
}

/** @throws {SvcError} */
export function asObject(body: Json | undefined, axis?: string): JsonObject {
  return expect(isObject(body), body, axis)
}

/** Tells whether all values are non-empty strings. */
export function areTexts(...values: unknown[]): boolean {
  return values.every((value) => typeof value === 'string' && value)
}

/**
 * Decodes a record and its names to camel case: `created_at` becomes `createdAt`. A time without a zone is UTC.
 *
 * @throws {SvcError}
 */
export function decodeRecord<Item = JsonObject>(record: Json | undefined): Item {
  const named = Object.entries(asObject(record)).map(([snake, value]) => {
    const name = snake.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())
    return [name, /At$/.test(name) && /T[\d:.]+$/.test(value as string) ? `${value}Z` : value]
  })
  return Object.fromEntries(named) as Item
}

/** Parses the number in a header; undefined without one. */
export function numberIn(text: string | null | undefined): number | undefined {
  return text ? Number(text) : undefined
}
