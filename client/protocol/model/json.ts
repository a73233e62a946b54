/** JSON as TypeScript sees it, and JSON text that needs no second parse. */
export type Json = null | boolean | number | string | Json[] | JsonObject
export interface JsonObject {
  [key: string]: Json
}

/**
 * JSON that is already text, as the database hands it out. It may stand wherever a value
 * may stand in an answer; `writeJson` copies it as it is.
 */
export class JsonText {
  constructor(readonly text: string) {}

  toJSON(): Json {
    return JSON.parse(this.text)
  }
}

/** A part of an answer that is worked out when its turn to be written comes: all of them at once may take too much memory. */
export class Later {
  constructor(readonly write: () => Writable) {}
}

/** What `writeJson` takes: JSON in which any part may already be text, or be worked out later. */
export type Writable =
  | undefined
  | null
  | boolean
  | number
  | string
  | JsonText
  | Later
  | readonly Writable[]
  | WritableObject
export interface WritableObject {
  readonly [key: string]: Writable
}

/** The object that a value is; an empty one if it is none. */
export function objectIn(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}

/** What a value is, in one word: `Object`, `Array`, `Date`, `BigInt`, `Function`, `Map`, … */
export function valueKind(value: unknown): string {
  return {}.toString.call(value).slice(8, -1)
}

export function isObject(value: unknown): value is JsonObject {
  return Object(value) === value && !Array.isArray(value)
}

/** As `Object.fromEntries`, which takes V8 ten times as long for a thousand keys. It has no prototype. */
export function objectOfMany<Value>(entries: Iterable<readonly [string, Value]>): { [key: string]: Value } {
  const members: { [key: string]: Value } = Object.create(null)
  for (const [key, value] of entries) members[key] = value
  return members
}

/** The value in a text; `null` if it is not JSON. */
export function parseJson(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** The object in a text; an empty one if there is none. */
export function parseObject(text: string): JsonObject {
  return objectIn(parseJson(text))
}

/** As `JSON.stringify`, except that a `JsonText` is copied and never parsed. Own keys only. */
export function writeJson(value: Writable): string {
  if (value instanceof JsonText) return value.text
  if (value instanceof Later) return writeJson(value.write())
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null'
  if (Array.isArray(value)) return `[${value.map(writeJson).join(',')}]`
  let text = ''
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue
    text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${writeJson(member)}`
  }
  return `{${text}}`
}

/** Deep equality of JSON values; the order of an object's keys does not count. */
export function equalJson(one: Json | undefined, other: Json | undefined): boolean {
  if (one === other) return true
  if (Array.isArray(one)) {
    return Array.isArray(other) && one.length === other.length && one.every((item, at) => equalJson(item, other[at]))
  }
  if (!isObject(one) || !isObject(other)) return false
  const keys = Object.keys(one)
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && equalJson(one[key], other[key]))
  )
}

/** A text that two values share if they are deeply equal: the keys of objects in one order. */
export function canonicalJson(value: Json): string {
  return JSON.stringify(inOrder(value))
}

/** The same value, its keys in one order. */
function inOrder(value: Json): Json {
  if (Array.isArray(value)) return value.map(inOrder)
  if (!isObject(value)) return value
  const ordered: JsonObject = {}
  for (const name of Object.keys(value).sort()) {
    const member = inOrder(value[name] ?? null)
    if (name === '__proto__') setOwn(ordered, name, member)
    else ordered[name] = member
  }
  return ordered
}

/** Sets an own property whatever its name, `__proto__` included. */
export function setOwn(target: JsonObject, key: string, value: Json): void {
  Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true })
}
