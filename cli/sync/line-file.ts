/** Files of JSON, a value a line, that only grow. */
import {
  appendFileSync,
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { parseJson } from '../../client/protocol/model/json.js'

/** What is in it, `null` for a line that is not JSON, and whether its last line was cut by a crash or a full disk: that one is left out. */
export function readLines(file: string): { readonly values: readonly unknown[]; readonly isCut: boolean } {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const whole = text.slice(0, text.lastIndexOf('\n') + 1)
  const lines = whole.split('\n').filter((line) => line !== '')
  return { values: lines.map(parseJson), isCut: whole !== text }
}

/** They are on disk before the call returns, and none becomes a part of a line that was cut. */
export function appendLines(file: string, values: readonly unknown[]): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  appendFileSync(file, `${isLastCut(file) ? '\n' : ''}${textOf(values)}`, { mode: 0o600 })
}

/** Replaces all of them: the file is the one before or the new one, never a part. */
export function rewriteLines(file: string, values: readonly unknown[]): void {
  writeFileSync(`${file}.new`, textOf(values), { mode: 0o600 })
  renameSync(`${file}.new`, file)
}

/**
 * Puts the last of its pieces first, each as it is: the file is the one before or the new one.
 *
 * @param ends where each piece ends, in bytes
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

/** Whether its last line was cut. */
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

function textOf(values: readonly unknown[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join('')
}
