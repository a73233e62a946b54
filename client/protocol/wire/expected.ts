/** What an answer must hold. A service that answers otherwise is another one, or speaks another dialect. */
import { isObject, type Json, type JsonObject } from '../model/json.js'

/** Reads a header by its name in lower case. */
export type HeaderReader = (name: string) => string | null | undefined

/** The value, if it is what it must be. @throws {TypeError} */
export function expect<Value>(isSo: unknown, value: unknown): Value {
  if (isSo) return value as Value
  throw new TypeError('The service speaks another dialect.')
}

/** @throws {TypeError} */
export function asObject(body: Json | undefined): JsonObject {
  return expect(isObject(body), body)
}

/** Whether each is a text that is not empty. */
export function areTexts(...values: unknown[]): boolean {
  return values.every((value) => typeof value === 'string' && value)
}

/** A record of the service's own, its names in camel case: `created_at` is `createdAt`. @throws {TypeError} */
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
