import { isUtf8 } from 'node:buffer'
import { parseExactJson } from '../../client/protocol/model/exact-json.js'
import { isObject, type JsonObject } from '../../client/protocol/model/json.js'

/** A row of an input, or its problem. */
export type InputRecord = ReadRow | BadRow
export interface ReadRow extends RowPosition {
  readonly bytes: number
  readonly fields: JsonObject
  /** Integer kept as text, because a number would change it. */
  readonly kept?: string | undefined
}
export interface BadRow extends RowPosition {
  readonly problem: string
  readonly text: string
}

/** Position of a row: number from 1, first line, and offset of its end in the input. */
export interface RowPosition {
  readonly number: number
  readonly line: number
  readonly endByte: number
}

/** Records in groups, because one promise per record would cost more than reading it. */
export type Records = AsyncGenerator<InputRecord[], void, undefined>

/** Records larger than any body are refused and not kept in memory. */
export const maxRecordBytes = 12 * 1024 * 1024

const maxQuoted = 10_000
// Matches `1e400` and numbers of over 300 digits, which JSON.parse turns into Infinity.
const suspiciousNumber = /[eE]\+?\d{3}|\d{300}/

/** Parses JSON text to a row. Invalid JSON or UTF-8 is a bad row, never a changed value. */
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
  if (suspiciousNumber.test(text) && hasInfinity(fields)) return bad('contains a number that is too large')
  return { ...place, bytes: bytes.length, fields, ...(kept === undefined ? {} : { kept }) }
}

/** Collects a record from chunks of the input. Keeps only the first part of a record that is too long. */
export function openRecord() {
  let parts: Buffer[] = []
  let bytes = 0
  return {
    isEmpty: () => bytes === 0,
    add(part: Buffer) {
      bytes += part.length
      if (bytes <= maxRecordBytes) parts.push(Buffer.from(part))
      else parts.length = Math.min(parts.length, 1)
    },
    /** Returns the collected text. */
    text: () => Buffer.concat(parts).toString('utf8'),
    /** Completes the record with its last part and starts the next one. */
    close(last: Buffer, place: RowPosition): InputRecord {
      const isTooLong = bytes + last.length > maxRecordBytes
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
