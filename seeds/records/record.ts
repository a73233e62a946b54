import { isUtf8 } from 'node:buffer'
import { parseExactJson } from '../../client/protocol/model/exact-json.js'
import { isObject, type JsonObject } from '../../client/protocol/model/json.js'

/** A row of an input, or what is wrong with it. */
export type InputRecord = ReadRow | BadRow
export interface ReadRow extends RowPosition {
  readonly bytes: number
  readonly fields: JsonObject
  /** An integer that a number would change, and that is kept as text. */
  readonly kept?: string | undefined
}
export interface BadRow extends RowPosition {
  readonly problem: string
  readonly text: string
}

/** Where a row stands: its number from 1, the line it begins on, and how much of the input it takes to get past it. */
export interface RowPosition {
  readonly number: number
  readonly line: number
  readonly endByte: number
}

/** Records travel in handfuls: one promise for each would cost more than reading it. */
export type Records = AsyncGenerator<InputRecord[], void, undefined>

/** A record that is longer than any body may be is refused, and not held in memory. */
export const mostRecordBytes = 12 * 1024 * 1024

const maxQuoted = 10_000
// `1e400` and numbers of over 300 digits are no doubles; JSON.parse makes Infinity of them.
const suspiciousNumber = /[eE]\+?\d{3}|\d{300}/

/** JSON text as a row. What JSON or UTF-8 cannot be is a bad row, never another value. */
function readRow(bytes: Buffer, place: RowPosition): InputRecord {
  const text = bytes.toString('utf8')
  const bad = (problem: string): BadRow => ({ ...place, problem, text: text.slice(0, maxQuoted) })
  if (text.includes('\ufffd') && !isUtf8(bytes)) return bad('is not UTF-8')
  let fields: unknown
  let kept: string | undefined
  try {
    fields = parseExactJson(text, (literal) => {
      kept ??= literal
    })
  } catch {
    return bad('is not JSON')
  }
  if (!isObject(fields)) return bad('is not a JSON object')
  if (suspiciousNumber.test(text) && hasInfinity(fields)) return bad('holds a number that is too large')
  return { ...place, bytes: bytes.length, fields, ...(kept === undefined ? {} : { kept }) }
}

/** A record of which each piece of the input brings a part. Of one that is too long only the first part is kept. */
export function openRecord() {
  let parts: Buffer[] = []
  let bytes = 0
  return {
    isEmpty: () => bytes === 0,
    add(part: Buffer) {
      bytes += part.length
      if (bytes <= mostRecordBytes) parts.push(Buffer.from(part))
      else parts.length = Math.min(parts.length, 1)
    },
    /** What is kept so far, as text. */
    text: () => Buffer.concat(parts).toString('utf8'),
    /** The record that ends with this part; the next one begins. */
    close(last: Buffer, place: RowPosition): InputRecord {
      const isTooLong = bytes + last.length > mostRecordBytes
      const whole = Buffer.concat(isTooLong ? [...parts.slice(0, 1)] : [...parts, last])
      parts = []
      bytes = 0
      if (!isTooLong) return readRow(whole, place)
      return { ...place, problem: 'is too long', text: whole.toString('utf8', 0, 200) }
    },
  }
}

function hasInfinity(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isFinite(value)
  return typeof value === 'object' && value !== null && Object.values(value).some(hasInfinity)
}
