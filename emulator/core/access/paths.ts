/** Removes, finds, and restores values at paths. A path that meets an array continues in each item. */
import { equalJson, isObject, type Json, type JsonObject, setOwn } from '../../../client/protocol/model/json.js'
import type { Path } from '../../../client/protocol/model/path.js'

/** Copies only what changes, and leaves the value itself untouched. */
export function without<Value extends Json>(value: Value, paths: readonly Path[]): Value {
  return paths.reduce((rest, path) => withoutPath(rest, path) as Value, value)
}

function withoutPath(value: Json, path: readonly string[]): Json {
  if (Array.isArray(value)) return value.map((item) => withoutPath(item, path))
  const [field, ...deeper] = path
  if (field === undefined || !isObject(value) || !Object.hasOwn(value, field)) return value
  const copy = { ...value }
  if (deeper.length === 0) delete copy[field]
  else setOwn(copy, field, withoutPath(value[field] ?? null, deeper))
  return copy
}

/** Tells whether a path has a value, including in items of arrays. */
export function holds(value: Json | undefined, path: readonly string[]): boolean {
  if (Array.isArray(value)) return value.some((item) => holds(item, path))
  const [field, ...deeper] = path
  const inside = field === undefined ? undefined : readMember(value, field)
  return inside !== undefined && (deeper.length === 0 || holds(inside, deeper))
}

/** A value as stored, and as the caller sees it. */
export interface Stored {
  readonly full: Json | undefined
  readonly seen: Json | undefined
}

/** `around`: a value that contains the path was replaced, so the path cannot keep its value. */
export type Standing = 'absent' | 'same' | 'other' | 'around'

/**
 * Compares a write at a path with what the caller sees there. Never looks at hidden values, so a refusal reveals
 * nothing.
 */
export function compare({ full, seen }: Stored, after: Json | undefined, path: readonly string[]): Standing {
  const [field, ...deeper] = path
  if (after === undefined) return 'absent'
  if (field === undefined) return equalJson(after, seen) ? 'same' : 'other'
  if (isObject(full) && isObject(after)) {
    return compare(memberPair({ full, seen }, field), readMember(after, field), deeper)
  }
  const isGiven = holds(after, path)
  if (holdsObjects(full) && equalJson(after, seen)) return isGiven ? 'same' : 'absent'
  if (isGiven) return 'other'
  return isObject(full) || holdsObjects(full) ? 'around' : 'absent'
}

/** Restores the stored value at a path that `compare` found absent or the same. */
export function restore<Value extends Json | undefined>(
  full: Json | undefined,
  after: Value,
  path: readonly string[],
): Value {
  return restored(full, after, path) as Value
}

function restored(full: Json | undefined, after: Json | undefined, path: readonly string[]): Json | undefined {
  const [field, ...deeper] = path
  if (field === undefined || holdsObjects(full)) return full
  if (!isObject(full)) return after
  const is = readMember(after, field)
  const value = restored(readMember(full, field), is, deeper)
  if (value === is) return after
  const whole: JsonObject = isObject(after) ? { ...after } : {}
  setOwn(whole, field, value ?? null)
  return whole
}

function holdsObjects(value: Json | undefined): boolean {
  return Array.isArray(value) && value.some((item) => typeof item === 'object' && item !== null)
}

function memberPair({ full, seen }: Stored, field: string): Stored {
  return { full: readMember(full, field), seen: readMember(seen, field) }
}

function readMember(value: Json | undefined, field: string): Json | undefined {
  return isObject(value) && Object.hasOwn(value, field) ? value[field] : undefined
}
