/** What a document may hold and weigh, as it is sent and as a merge leaves it. Contract 2.4. */
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
  /** As JSON it takes no more bytes than this. */
  mostBytes: number
  /** What PostgreSQL writes more of its numbers than JavaScript does, which has exponents. */
  digits: number
}

/** Of what was walked: nothing large is walked twice to be weighed. */
const known = new WeakMap<JsonObject, Measure>()
/** To walk so little again is faster than to remember it. */
const mostForgottenBytes = 16 * 1024

function remember(fields: JsonObject, measure: Measure): void {
  if (measure.mostBytes > mostForgottenBytes || !isWithin(measure)) known.set(fields, measure)
}

/**
 * Refuses what PostgreSQL cannot hold: texts, numbers and field names. It walks all of it, once: what a document among it weighs,
 * the body itself or its `data`, is kept for `requireLight`. The depth is known to be small.
 *
 * @throws {SvcError} `VALIDATION_ERROR` whose issue says where, behind `place`
 * @returns how much it looked at, in bytes
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
    whole.mostBytes += inner.mostBytes
    whole.digits += inner.digits
    if (Object.keys(body).length > 1) measureMembers(body, whole, 1, path, 'data')
  } else measureMembers(body, whole, 1, path)
  remember(body, whole)
  return whole.mostBytes
}

/** Whether a walk has found so little in a large object that no part of it can be too much. */
export function isLight(body: JsonObject): boolean {
  const whole = known.get(body)
  return whole !== undefined && isWithin(whole)
}

/**
 * Refuses a document that is too deep, has too many keys or is too heavy.
 *
 * @throws {SvcError} `PAYLOAD_TOO_LARGE`
 * @returns how much it looked at, in bytes
 */
export function requireLight(fields: JsonObject): number {
  const before = known.get(fields)
  const measure = before ?? measureOf(fields)
  if (!before) remember(fields, measure)
  const { depth, keys, values, mostBytes, digits } = measure
  if (isWithin(measure)) return before ? 0 : mostBytes
  if (depth > sizes.maxDocumentDepth) throw tooDeep()
  if (keys > sizes.maxDocumentKeys) throw tooManyKeys()
  if (values > sizes.maxDocumentValues) throw tooManyValues()
  // Few documents come near the limit; only those are written out to be weighed.
  if (Buffer.byteLength(JSON.stringify(fields)) + digits > sizes.maxDocumentBytes) throw tooHeavy()
  return mostBytes
}

/** As `requireLight`, for what `requireStorable` has walked: whatever it does not remember is light. */
export function requireWalkedLight(fields: JsonObject): number {
  return known.has(fields) ? requireLight(fields) : 0
}

/** In so short a text there are few values: each takes two characters of it at least. */
const shortCharacters = 500

/** At most how many members and items a document has, at all levels; counted where its text is long. */
export function mostValuesIn(fields: JsonObject, text: string): number {
  return text.length <= shortCharacters ? text.length / 2 : (known.get(fields) ?? measureOf(fields)).values
}

function isWithin({ depth, keys, values, mostBytes, digits }: Measure): boolean {
  const { maxDocumentDepth, maxDocumentKeys, maxDocumentValues, maxDocumentBytes } = sizes
  const isShallow = depth <= maxDocumentDepth
  const hasFew = keys <= maxDocumentKeys && values <= maxDocumentValues
  return isShallow && hasFew && mostBytes + digits <= maxDocumentBytes
}

export function tooDeep() {
  const most = sizes.maxDocumentDepth
  return overLimit('document depth', most, `A document is at most ${most} levels deep.`)
}

export function tooManyKeys() {
  const most = sizes.maxDocumentKeys
  return overLimit('document keys', most, `A document has at most ${formatCount(most)} keys.`)
}

export function tooManyValues() {
  const most = sizes.maxDocumentValues
  return overLimit('document values', most, `A document has at most ${formatCount(most)} values.`)
}

export function tooHeavy() {
  const most = sizes.maxDocumentBytes
  return overLimit('document bytes', most, `A document is at most ${formatBytes(most)}.`)
}

/** A body that is too large by one of its figures. */
export function overLimit(limit: LimitName, most: number, message: string): SvcError {
  return new SvcError('PAYLOAD_TOO_LARGE', message, [], { reason: { kind: 'limit', limit, most } })
}

/** What a text may take at most: quotes around it, and an escape for each of its units. */
const textBytes = (text: string) => 2 + 6 * text.length
/** The longest number, with what stands between two values. */
const scalarBytes = 26

function emptyMeasure(): Measure {
  return { depth: 1, keys: 0, values: 0, mostBytes: 3, digits: 0 }
}

function measureOf(fields: JsonObject): Measure {
  const whole = emptyMeasure()
  measureMembers(fields, whole, 1, [])
  return whole
}

/** `level` is that of the container; a value without members has none. */
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
  // No character of UTF-16 takes more than three bytes.
  const isLong = name.length * 3 > sizes.maxFieldNameBytes && Buffer.byteLength(name) > sizes.maxFieldNameBytes
  if (isLong) throw unstorable(`a field name of over ${formatBytes(sizes.maxFieldNameBytes)}`, 'field_name', path)
  requireText(name, path)
  whole.keys++
  whole.mostBytes += textBytes(name) + 1
}

function measureValue(value: Json, whole: Measure, level: number, path: (string | number)[]): void {
  whole.values++
  if (typeof value === 'string') {
    requireText(value, path)
    whole.mostBytes += textBytes(value) + 1
  } else if (typeof value === 'object' && value !== null) {
    whole.mostBytes += 3
    measureMembers(value, whole, level + 1, path)
  } else {
    whole.mostBytes += scalarBytes
    if (typeof value === 'number') whole.digits += digitsOf(value, path)
  }
}

/** `1e300` is five bytes in a body, and 301 as the database writes it. */
function digitsOf(value: number, path: readonly (string | number)[]): number {
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
  return new SvcError('VALIDATION_ERROR', `The body holds ${message}.`, [{ path: shown, message, type }])
}
