/** Converts parameters to text and columns to values, for both drivers. */
import type { SqlValue } from './port.js'

/** Formats a parameter for PostgreSQL. */
export function writeValue(value: SqlValue): string | null {
  if (value === null || typeof value === 'string') return value
  if (Array.isArray(value))
    return `{${value.every(isPlain) ? JSON.stringify(value).slice(1, -1) : value.map(quoted).join(',')}}`
  return String(value)
}

/** Returns the parser for a column type. Types that are not listed stay text. */
export function columnReader(typeId: number): (text: string) => unknown {
  return readers.get(typeId) ?? asText
}

const asText = (text: string) => text

const readers = new Map<number, (text: string) => unknown>([
  [16, (text) => text === 't'],
  [20, Number],
  [21, Number],
  [23, Number],
  [700, Number],
  [701, Number],
  [1184, isoTime],
])

/** Turns `2026-11-21 03:29:10.65+00`, the format of a UTC session, into `2026-11-21T03:29:10.650Z`. */
function isoTime(text: string): string {
  const fraction = text.slice(20, text.length - 3)
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${text[19] === '.' ? fraction.padEnd(3, '0').slice(0, 3) : '000'}Z`
}

/**
 * Whether JSON and PostgreSQL arrays quote the text the same way: unless it has control characters or lone surrogates.
 */
function isPlain(item: string): boolean {
  return !/\p{Cc}/u.test(item) && item.isWellFormed()
}

function quoted(item: string): string {
  return `"${item.replace(/["\\]/g, '\\$&')}"`
}
