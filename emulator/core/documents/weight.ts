/** Limits the content and size of a document, both as sent and after a merge. Contract 2.4. */
import { type Issue, SvcError } from '../../../client/protocol/model/errors.js'
import { formatBytes, formatCount } from '../../../client/protocol/model/figures.js'
import { isObject, type Json, type JsonObject } from '../../../client/protocol/model/json.js'
import { sizes } from '../../../client/protocol/model/limits.js'
import type { LimitName } from '../../../client/protocol/model/requests/reason.js'

interface Measure {
  depth: number
  keys: number
  /** Members of objects and items of arrays, at all levels. */
  values: number
  /** An upper bound for its size as JSON. */
  maxBytes: number
  /** Extra digits in PostgreSQL, which writes numbers without exponents. */
  digits: number
}

/** Measures of walked objects, so that no large one is walked twice. */
const known = new WeakMap<JsonObject, Measure>()
/** Below this size, walking an object again is faster than remembering its measure. */
const maxForgottenBytes = 16 * 1024

function remember(fields: JsonObject, measure: Measure): void {
  if (measure.maxBytes > maxForgottenBytes || !isWithin(measure)) known.set(fields, measure)
}

/**
 * Refuses texts, numbers and field names that PostgreSQL cannot store. Walks the whole body once, and remembers the measure of
 * the body or its `data` for `requireLight`. The caller has already limited the depth.
 *
 * @throws {SvcError} `VALIDATION_ERROR` with issues whose paths begin with `place`
 * @returns how many bytes it looked at
 */
export function requireStorable(body: JsonObject, place: Issue['path'] = []): number {
  const path = [...place]
  const whole = emptyMeasure()
  const { data } = body
  if (isObject(data)) {
    const inner = emptyMeasure()
    measureMembers(data, inner, 1, [...path, 'data'])
    remember(data, inner)
    addMember(whole, 'data', path)
    whole.depth = inner.depth + 1
    whole.keys += inner.keys
    whole.values += inner.values + 1
    whole.maxBytes += inner.maxBytes
    whole.digits += inner.digits
    if (Object.keys(body).length > 1) measureMembers(body, whole, 1, path, 'data')
  } else measureMembers(body, whole, 1, path)
  remember(body, whole)
  return whole.maxBytes
}

/** Whether a large object was walked and found to be so small that no part of it can exceed a limit. */
export function isLight(body: JsonObject): boolean {
  const whole = known.get(body)
  return whole !== undefined && isWithin(whole)
}

/**
 * Refuses a document that is too deep, has too many keys or is too large.
 *
 * @throws {SvcError} `PAYLOAD_TOO_LARGE`
 * @returns how many bytes it looked at
 */
export function requireLight(fields: JsonObject): number {
  const before = known.get(fields)
  const measure = before ?? measureFields(fields)
  if (!before) remember(fields, measure)
  const { depth, keys, values, maxBytes, digits } = measure
  if (isWithin(measure)) return before ? 0 : maxBytes
  if (depth > sizes.maxDocumentDepth) throw tooDeep()
  if (keys > sizes.maxDocumentKeys) throw tooManyKeys()
  if (values > sizes.maxDocumentValues) throw tooManyValues()
  // Few documents come near the limit, so only those are serialized to measure them exactly.
  if (Buffer.byteLength(JSON.stringify(fields)) + digits > sizes.maxDocumentBytes) throw tooHeavy()
  return maxBytes
}

/** Like `requireLight`, for objects that `requireStorable` has walked. An object without a remembered measure is small. */
export function requireWalkedLight(fields: JsonObject): number {
  return known.has(fields) ? requireLight(fields) : 0
}

/** A text this short holds few values, because each takes at least two characters. */
const shortCharacters = 500

/** Returns an upper bound for the members and items at all levels. Counts them only if the text is long. */
export function maxValuesIn(fields: JsonObject, text: string): number {
  return text.length <= shortCharacters ? text.length / 2 : (known.get(fields) ?? measureFields(fields)).values
}

function isWithin({ depth, keys, values, maxBytes, digits }: Measure): boolean {
  const { maxDocumentDepth, maxDocumentKeys, maxDocumentValues, maxDocumentBytes } = sizes
  const isShallow = depth <= maxDocumentDepth
  const hasFew = keys <= maxDocumentKeys && values <= maxDocumentValues
  return isShallow && hasFew && maxBytes + digits <= maxDocumentBytes
}

export function tooDeep() {
  const most = sizes.maxDocumentDepth
  return overLimit('document depth', most, `The document is nested too deeply (max ${most} levels).`)
}

export function tooManyKeys() {
  const most = sizes.maxDocumentKeys
  return overLimit('document keys', most, `The document has too many keys (max ${formatCount(most)}).`)
}

export function tooManyValues() {
  const most = sizes.maxDocumentValues
  return overLimit('document values', most, `The document has too many values (max ${formatCount(most)}).`)
}

export function tooHeavy() {
  const most = sizes.maxDocumentBytes
  return overLimit('document bytes', most, `The document is too large (max ${formatBytes(most)}).`)
}

export function overLimit(limit: LimitName, most: number, message: string): SvcError {
  return new SvcError('PAYLOAD_TOO_LARGE', message, [], { reason: { kind: 'limit', limit, most } })
}

/** The longest JSON of a text: its quotes, and an escape for each code unit. */
const textBytes = (text: string) => 2 + 6 * text.length
/** The longest JSON of a number, with its separator. */
const scalarBytes = 26

function emptyMeasure(): Measure {
  return { depth: 1, keys: 0, values: 0, maxBytes: 3, digits: 0 }
}

function measureFields(fields: JsonObject): Measure {
  const whole = emptyMeasure()
  measureMembers(fields, whole, 1, [])
  return whole
}

/** `level` is the level of the container. Values without members don't count as a level. */
function measureMembers(
  container: JsonObject | readonly Json[],
  whole: Measure,
  level: number,
  path: (string | number)[],
  except?: string,
): void {
  if (level > whole.depth) whole.depth = level
  if (Array.isArray(container)) {
    for (let at = 0; at < container.length; at++) {
      path.push(at)
      measureValue(container[at] ?? null, whole, level, path)
      path.pop()
    }
    return
  }
  const fields = container as JsonObject
  for (const name of Object.keys(fields)) {
    if (name === except) continue
    path.push(name)
    addMember(whole, name, path)
    measureValue(fields[name] ?? null, whole, level, path)
    path.pop()
  }
}

function addMember(whole: Measure, name: string, path: readonly (string | number)[]): void {
  if (name === '') throw unstorable('a field without a name', 'field_name', path)
  // A UTF-16 code unit takes at most three bytes.
  const isLong = name.length * 3 > sizes.maxFieldNameBytes && Buffer.byteLength(name) > sizes.maxFieldNameBytes
  if (isLong) throw unstorable(`a field name of over ${formatBytes(sizes.maxFieldNameBytes)}`, 'field_name', path)
  requireText(name, path)
  whole.keys++
  whole.maxBytes += textBytes(name) + 1
}

function measureValue(value: Json, whole: Measure, level: number, path: (string | number)[]): void {
  whole.values++
  if (typeof value === 'string') {
    requireText(value, path)
    whole.maxBytes += textBytes(value) + 1
  } else if (typeof value === 'object' && value !== null) {
    whole.maxBytes += 3
    measureMembers(value, whole, level + 1, path)
  } else {
    whole.maxBytes += scalarBytes
    if (typeof value === 'number') whole.digits += countExtraDigits(value, path)
  }
}

/** Counts the digits that PostgreSQL adds: `1e300` is five bytes in a body, but 301 in the database. */
function countExtraDigits(value: number, path: readonly (string | number)[]): number {
  if (!Number.isFinite(value)) throw unstorable('a number that is too large', 'finite_number', path)
  const size = Math.abs(value)
  return value === 0 || (size < 1e21 && size >= 1e-6) ? 0 : Math.ceil(Math.abs(Math.log10(size)))
}

function requireText(text: string, path: readonly (string | number)[]): void {
  if (!text.isWellFormed()) throw unstorable('half of a surrogate pair', 'unicode', path)
  if (text.includes('\0')) throw unstorable('the character U+0000', 'unicode', path)
}

function unstorable(message: string, type: string, path: readonly (string | number)[]): SvcError {
  const shown = path.map((part) => (typeof part === 'string' ? part.slice(0, 80) : part))
  return new SvcError('VALIDATION_ERROR', `The body contains ${message}.`, [{ path: shown, message, type }])
}
