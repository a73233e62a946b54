import {
  appendFileSync,
  type BigIntStats,
  closeSync,
  createReadStream,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { isObject } from '../../client/protocol/model/json.js'
import type { ImportSource } from '../../seeds/records/input.js'
import { readJsonLines } from '../../seeds/records/json-lines.js'
import type { InputRecord } from '../../seeds/records/record.js'
import { misuse } from '../base/failure.js'
import { isFirstAt } from '../files/claim.js'
import { hashJson } from '../files/hash.js'
import { isDevice, openedAs, realPlace } from '../files/places.js'
import { recordsFolder } from '../target/records-folder.js'
import type { RefusedRow } from './send-chunk.js'

export interface ReportedRefusal extends RefusedRow {
  readonly file: string
}

/** Size of a file of refused rows at some point. */
export interface RefusedSize {
  readonly path: string
  readonly bytes: number
}

const maxRemembered = 20

/**
 * Appends refused rows to a file, one JSON object per line, and remembers the first few. Also writes to devices and
 * pipes.
 *
 * @throws {CliFailure} if the file holds something else
 */
export async function openRefusedFile(path: string) {
  const whole = resolve(path)
  const isFile = !isDevice(whole)
  if (isFile) await requireRefusedRows(path)
  const first: ReportedRefusal[] = []
  /**
   * Returns whether no earlier import writes to the file. The lock lies in our own folder, because the user owns the
   * other one. If that folder is read-only, each import assumes it is the only one.
   */
  const isOurs = () => {
    if (!isFile) return false
    const folder = join(recordsFolder(), 'imports')
    const place = join(folder, hashJson(['refused', realPlace(whole)]).slice(0, 32))
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      return isFirstAt(place)
    } catch {
      return true
    }
  }
  const bytes = () => (isFile && statSync(whole, { throwIfNoEntry: false })?.size) || 0
  return {
    write(file: string, refusals: readonly RefusedRow[]): void {
      if (refusals.length === 0) return
      const reported = refusals.map((refusal) => ({ file, ...refusal }))
      appendFileSync(openedAs(whole) ?? whole, reported.map((refusal) => `${JSON.stringify(refusal)}\n`).join(''))
      first.push(...reported.slice(0, maxRemembered - first.length))
    },
    /** Removes rows of an earlier import when a new one begins. Parallel imports share the file. */
    clear(): void {
      if (!isOurs()) return
      if (lstatSync(whole, { throwIfNoEntry: false })?.isFile()) rmSync(whole, { force: true })
      // Keeps a symlink and empties its target.
      else if (bytes() > 0) truncateSync(whole)
    },
    /** Truncates to the size that the interrupted import saved. Later rows of its files will be refused again. */
    resume(saved: readonly RefusedSize[], files: readonly string[]): void {
      const sizes = saved.filter((one) => one.path === whole).map((one) => one.bytes)
      const most = Math.max(...sizes)
      if (!isOurs() || sizes.length === 0 || bytes() <= most) return
      const after = textFrom(whole, most)
      if (!areRefusedRows(after)) return
      const beginnings = files.map(linePrefix)
      // The last piece is empty or an incomplete line.
      const otherRows = after
        .split(/(?<=\n)/)
        .filter((line) => line.endsWith('\n') && !beginnings.some((own) => line.startsWith(own)))
      truncateSync(whole, most)
      appendFileSync(whole, otherRows.join(''))
    },
    size: (): RefusedSize => ({ path: whole, bytes: bytes() }),
    /** Returns whether an input reads from this file, under any name. */
    isInput: (input: ImportSource) => isSameFile(statInput(input), statSync(whole, inBigInts)),
    path,
    /** Returns the first refused rows. */
    first: (): readonly ReportedRefusal[] => first,
  }
}

export type RefusedFile = Awaited<ReturnType<typeof openRefusedFile>>

const inBigInts = { bigint: true, throwIfNoEntry: false } as const

/** Stdin may be a file too. */
function statInput({ path, text }: ImportSource): BigIntStats | undefined {
  if (text !== undefined) return undefined
  return path === undefined ? fstatSync(0, { bigint: true }) : statSync(path, inBigInts)
}

function isSameFile(one: BigIntStats | undefined, other: BigIntStats | undefined): boolean {
  if (!one?.isFile() || !other?.isFile()) return false
  return one.dev === other.dev && one.ino === other.ino
}

/** @throws {CliFailure} if the file holds something else, which the import would overwrite */
async function requireRefusedRows(path: string): Promise<void> {
  if (!statSync(path, { throwIfNoEntry: false })) return
  for await (const records of readJsonLines(createReadStream(path))) {
    if (records.every(isRefusedRow)) continue
    const message = `"${path}" contains other data than refused rows, so it would be overwritten.`
    throw misuse(message, 'Choose another file, for example --refused other.ndjson, or move this one away.')
  }
}

/** Every line we write begins with this. */
const beginning = '{"file":'

function linePrefix(file: string): string {
  return `${beginning}${JSON.stringify(file)},`
}

function isRefusedRow(record: InputRecord): boolean {
  // A line may be incomplete, or longer than a row can be.
  if ('problem' in record) return areRefusedRows(record.text)
  const { file, record: number, line, reason, row, ...others } = record.fields
  return (
    [file, reason].every((text) => typeof text === 'string') &&
    [number, line].every((one) => Number.isSafeInteger(one)) &&
    (isObject(row) || typeof row === 'string') &&
    Object.keys(others).length === 0
  )
}

/** Returns whether every line looks like a refused row, the last one as far as it goes. Edited lines do not. */
function areRefusedRows(text: string): boolean {
  return text.split('\n').every((line) => beginning.startsWith(line.slice(0, beginning.length)))
}

function textFrom(file: string, offset: number): string {
  const descriptor = openSync(file, 'r')
  try {
    const rest = Buffer.alloc(fstatSync(descriptor).size - offset)
    return rest.toString('utf8', 0, readSync(descriptor, rest, 0, rest.length, offset))
  } finally {
    closeSync(descriptor)
  }
}
