/** Append-only NDJSON files. */
import {
  appendFileSync,
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { parseJson } from '../../client/protocol/model/json.js'
import { readIfExists } from '../files/read-if-exists.js'

/** Reads all values; `null` stands for a line that is not JSON. Skips a last line that a crash or full disk cut off. */
export function readLines(file: string): { readonly values: readonly unknown[]; readonly isCut: boolean } {
  const text = readIfExists(file) ?? ''
  const whole = text.slice(0, text.lastIndexOf('\n') + 1)
  const lines = whole.split('\n').filter((line) => line !== '')
  return { values: lines.map(parseJson), isCut: whole !== text }
}

/** Appends before it returns. Starts a new line after one that was cut off. */
export function appendLines(file: string, values: readonly unknown[]): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  appendFileSync(file, `${isLastCut(file) ? '\n' : ''}${formatLines(values)}`, { mode: 0o600 })
}

/** Replaces the file atomically. */
export function rewriteLines(file: string, values: readonly unknown[]): void {
  writeFileSync(`${file}.new`, formatLines(values), { mode: 0o600 })
  renameSync(`${file}.new`, file)
}

/**
 * Reverses the order of the pieces, and replaces the file atomically.
 *
 * @param ends byte offset of the end of each piece
 */
export function reversePieces(file: string, ends: readonly number[]): void {
  const from = openSync(file, 'r')
  const to = openSync(`${file}.new`, 'w', 0o600)
  try {
    for (let at = ends.length - 1; at >= 0; at--) {
      const begin = ends[at - 1] ?? 0
      const piece = Buffer.alloc((ends[at] ?? begin) - begin)
      readSync(from, piece, 0, piece.length, begin)
      writeFileSync(to, piece)
    }
  } finally {
    closeSync(from)
    closeSync(to)
  }
  renameSync(`${file}.new`, file)
}

function isLastCut(file: string): boolean {
  if (!existsSync(file)) return false
  const descriptor = openSync(file, 'r')
  try {
    const last = Buffer.alloc(1)
    const { size } = fstatSync(descriptor)
    return size > 0 && readSync(descriptor, last, 0, 1, size - 1) === 1 && last.toString() !== '\n'
  } finally {
    closeSync(descriptor)
  }
}

function formatLines(values: readonly unknown[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join('')
}
