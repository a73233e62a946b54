/** What an answer must hold. A service that answers otherwise is another one, or speaks another dialect. */
import { isObject, type Json, type JsonObject } from '../model/json.js'

/** Reads a header by its name in lower case. */
export type HeaderReader = (name: string) => string | null | undefined

/** The value, if it is what it must be. @throws {TypeError} */
export function expect<Value>(isSo: unknown, value: Value): Value {
  if (isSo) return value
  throw new TypeError('The service speaks another dialect.')
}

/** @throws {TypeError} */
export function asObject(body: Json | undefined): JsonObject {
  return expect(isObject(body), body as JsonObject)
}

/** A record of the service's own, its names in camel case: `created_at` is `createdAt`. @throws {TypeError} */
export function readRecord(record: Json | undefined): JsonObject {
  const named: JsonObject = {}
  for (const [name, value] of Object.entries(asObject(record))) {
    named[name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())] = value
  }
  return named
}

/** The number in a header; nothing where there is none. */
export function numberIn(text: string | null | undefined): number | undefined {
  return text ? Number(text) : undefined
}
