/** Redacts fields: a pull writes substitutes, and a push leaves the service's values alone. */
import { createHmac } from 'node:crypto'
import { isObject, type Json, type JsonObject, setOwn } from '../../client/protocol/model/json.js'
import type { Path } from '../../client/protocol/model/path.js'
import { ownValue } from '../records/own-value.js'

export function withoutFields(data: JsonObject, paths: readonly Path[]): JsonObject {
  return paths.reduce((left, path) => changeAt(left, path, () => undefined), data)
}

/** Tells whether the document has the field. A path into an array counts as the whole array. */
export function hasField(data: JsonObject, path: Path): boolean {
  let found = false
  changeAt(data, path, (value) => {
    found ||= value !== undefined
    return value
  })
  return found
}

/** Replaces values with substitutes of the same type. Equal values get equal substitutes, which only the secret can link. */
export function redact(data: JsonObject, paths: readonly Path[], secret: string): JsonObject {
  const toSubstitute = (value: Json | undefined) => (value === undefined ? undefined : substitute(value, secret))
  return paths.reduce((left, path) => changeAt(left, path, toSubstitute), data)
}

/** Takes these fields from `kept`, and removes those that it lacks. */
export function keepFields(data: JsonObject, kept: JsonObject, paths: readonly Path[]): JsonObject {
  return paths.reduce((left, path) => keepAt(left, kept, path), data)
}

function keepAt(data: JsonObject, kept: JsonObject, [name = '', ...rest]: readonly string[]): JsonObject {
  const [value, there] = [ownValue(data, name), ownValue(kept, name)]
  if (rest.length === 0 || Array.isArray(value) || Array.isArray(there)) return withMember(data, name, there)
  if (!isObject(value)) return data
  return withMember(data, name, keepAt(value, isObject(there) ? there : {}, rest))
}

function substitute(value: Json, secret: string): Json {
  if (Array.isArray(value)) return []
  if (typeof value === 'number') return 0
  if (typeof value === 'boolean') return false
  if (typeof value !== 'string') return value === null ? null : {}
  const hash = createHmac('sha256', secret).update(value).digest('hex').slice(0, 12)
  if (/^[^\s@]+@[^\s@]+$/.test(value)) return `redacted-${hash}@example.com`
  if (/^https?:\/\//i.test(value)) return `https://example.com/redacted-${hash}`
  return /^\d{4}-\d\d-\d\dT/.test(value) ? '1970-01-01T00:00:00.000Z' : `redacted-${hash}`
}

/** Copies a document and changes the value at a path. An array on the path changes as a whole. */
function changeAt(
  data: JsonObject,
  [name = '', ...rest]: readonly string[],
  change: (value: Json | undefined) => Json | undefined,
): JsonObject {
  const value = ownValue(data, name)
  const isOnTheWay = rest.length > 0 && !Array.isArray(value)
  if (isOnTheWay && !isObject(value)) return data
  return withMember(data, name, isOnTheWay && isObject(value) ? changeAt(value, rest, change) : change(value))
}

/** Copies a document and sets or removes a field. Keeps the order of fields. */
function withMember(data: JsonObject, name: string, value: Json | undefined): JsonObject {
  const copy: JsonObject = {}
  for (const [key, member] of Object.entries(data)) {
    if (key !== name) setOwn(copy, key, member)
    else if (value !== undefined) setOwn(copy, key, value)
  }
  if (value !== undefined && !Object.hasOwn(data, name)) setOwn(copy, name, value)
  return copy
}
