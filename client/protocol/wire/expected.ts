/** What an answer must hold. A service that answers otherwise is another one, or speaks another dialect. */
import { SvcError } from '../model/errors.js'
import { isObject, type Json, type JsonObject } from '../model/json.js'

/** Reads a header by its name in lower case. */
export type HeaderReader = (name: string) => string | null | undefined

/** Finds out what a service speaks. */
export const detectCommand = 'svc dialects detect'

/** What to say of an answer whose form is not the one that was asked for. */
export function otherForm(axis: string, why = ''): SvcError {
  return new SvcError(
    'INVALID_RESPONSE',
    `${why}The service has another form of "${axis}". Find out which: ${detectCommand}`,
  )
}

/** The value, if it is what it must be. @throws {SvcError} that names the axis */
export function expect<Value>(isSo: unknown, value: unknown, axis = 'record'): Value {
  if (isSo) return value as Value
  throw otherForm(axis)
}

/** @throws {SvcError} */
export function asObject(body: Json | undefined, axis?: string): JsonObject {
  return expect(isObject(body), body, axis)
}

/** Whether each is a text that is not empty. */
export function areTexts(...values: unknown[]): boolean {
  return values.every((value) => typeof value === 'string' && value)
}

/** A record of the service's own, its names in camel case: `created_at` is `createdAt`. @throws {SvcError} */
export function decodeRecord<Item = JsonObject>(record: Json | undefined): Item {
  const named = Object.entries(asObject(record)).map(([name, value]) => [
    name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
    value,
  ])
  return Object.fromEntries(named) as Item
}

/** The number in a header; nothing where there is none. */
export function numberIn(text: string | null | undefined): number | undefined {
  return text ? Number(text) : undefined
}
