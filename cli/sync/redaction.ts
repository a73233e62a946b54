/** Fields whose values stay where they are: a pull writes something else in their place, and a push leaves them alone. */
import { createHmac } from 'node:crypto'
import { isObject, type Json, type JsonObject, setOwn } from '../../client/protocol/model/json.js'
import type { Path } from '../../client/protocol/model/path.js'
import { ownValue } from '../records/own-value.js'

/** The document without these fields. */
export function withoutFields(data: JsonObject, paths: readonly Path[]): JsonObject {
  return paths.reduce((left, path) => changeAt(left, path, () => undefined), data)
}

/** Whether the document has the field. An array on the way counts as all of it. */
export function hasField(data: JsonObject, path: Path): boolean {
  let found = false
  changeAt(data, path, (value) => {
    found ||= value !== undefined
    return value
  })
  return found
}

/**
 * The document with a substitute for each of these values: of the same type, the same for equal values, and of which the value
 * cannot be found without the secret.
 */
export function redact(data: JsonObject, paths: readonly Path[], secret: string): JsonObject {
  const substituteOf = (value: Json | undefined) => (value === undefined ? undefined : substitute(value, secret))
  return paths.reduce((left, path) => changeAt(left, path, substituteOf), data)
}

/** The document with what another has in these fields, which is nothing where it has none. */
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

/** A copy in which the value at a path is another, or gone. An array that the path leads through is changed as a whole. */
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

/** A copy with another value of a field, or without it; its place among the others stays. */
function withMember(data: JsonObject, name: string, value: Json | undefined): JsonObject {
  const copy: JsonObject = {}
  for (const [key, member] of Object.entries(data)) {
    if (key !== name) setOwn(copy, key, member)
    else if (value !== undefined) setOwn(copy, key, value)
  }
  if (value !== undefined && !Object.hasOwn(data, name)) setOwn(copy, name, value)
  return copy
}
