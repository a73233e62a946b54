import { isUtf8 } from 'node:buffer'
import { isObject, type JsonObject } from '../../client/model/json.js'

/** A row of an input, or what is wrong with it. */
export type InputRecord = ReadRow | BadRow
export interface ReadRow extends Place {
  readonly bytes: number
  readonly fields: JsonObject
}
export interface BadRow extends Place {
  readonly problem: string
  readonly text: string
}

/** Where a row stands: its number from 1, the line it begins on, and how much of the input it takes to get past it. */
export interface Place {
  readonly number: number
  readonly line: number
  readonly endByte: number
}

/** Records travel in handfuls: one promise for each would cost more than reading it. */
export type Records = AsyncGenerator<InputRecord[], void, undefined>

/** A record that is longer than any body may be is damage, and is not held in memory. */
export const mostRecordBytes = 12 * 1024 * 1024

const mostQuoted = 10_000
// `1e400` and numbers of over 300 digits are no doubles; JSON.parse makes Infinity of them.
const suspiciousNumber = /[eE]\+?\d{3}|\d{300}/

/** JSON text as a row. What JSON or UTF-8 cannot be is a bad row, never another value. */
export function readRow(bytes: Buffer, place: Place): InputRecord {
  const text = bytes.toString('utf8')
  const bad = (problem: string): BadRow => ({ ...place, problem, text: text.slice(0, mostQuoted) })
  if (text.includes('\ufffd') && !isUtf8(bytes)) return bad('is not UTF-8')
  let fields: unknown
  try {
    fields = JSON.parse(text)
  } catch {
    return bad('is not JSON')
  }
  if (!isObject(fields)) return bad('is not a JSON object')
  if (suspiciousNumber.test(text) && hasInfinity(fields)) return bad('holds a number that is too large')
  return { ...place, bytes: bytes.length, fields }
}

function hasInfinity(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isFinite(value)
  return typeof value === 'object' && value !== null && Object.values(value).some(hasInfinity)
}
