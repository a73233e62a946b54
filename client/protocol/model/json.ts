/** Types and helpers for JSON, including JSON text that is copied without parsing. */
export type Json = null | boolean | number | string | Json[] | JsonObject
export interface JsonObject {
  [key: string]: Json
}

/**
 * JSON text from the database. Can replace any value in a response; `writeJson` copies it without parsing.
 */
export class JsonText {
  constructor(readonly text: string) {}

  toJSON(): Json {
    return JSON.parse(this.text)
  }
}

/** A part of a response that is encoded lazily, when it is written, to save memory. */
export class Later {
  constructor(readonly write: () => Writable) {}
}

/** Input of `writeJson`: JSON in which any part may be text already, or lazy. */
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

/** Returns the value if it is an object, otherwise an empty object. */
export function objectIn(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}

/** Names the kind of a value: `Object`, `Array`, `Date`, `BigInt`, `Function`, `Map`, … */
export function valueKind(value: unknown): string {
  return {}.toString.call(value).slice(8, -1)
}

/** Names the type of a JSON value, such as `array`. */
export function jsonType(value: Json): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

export function isObject(value: unknown): value is JsonObject {
  return Object(value) === value && !Array.isArray(value)
}

/** Works like `Object.fromEntries`, but ten times as fast in V8 for a thousand keys. The result has no prototype. */
export function objectOfMany<Value>(entries: Iterable<readonly [string, Value]>): { [key: string]: Value } {
  const members: { [key: string]: Value } = Object.create(null)
  for (const [key, value] of entries) members[key] = value
  return members
}

/** Parses JSON; `null` if invalid. */
export function parseJson(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Parses a JSON object; an empty object if invalid. */
export function parseObject(text: string): JsonObject {
  return objectIn(parseJson(text))
}

/** Works like `JSON.stringify`, but copies `JsonText` without parsing. Own keys only. */
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

/** Compares JSON values deeply. Ignores the order of keys. */
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

/** Serializes with sorted keys, so that deeply equal values give the same text. */
export function canonicalJson(value: Json): string {
  return JSON.stringify(inOrder(value))
}

/** Sorts keys at all levels. */
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

/** Reads an own property of any name, including `__proto__`. */
export function readField(fields: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(fields, name) ? fields[name] : undefined
}

/** Sets an own property of any name, including `__proto__`. */
export function setOwn(target: JsonObject, key: string, value: Json): void {
  Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true })
}
