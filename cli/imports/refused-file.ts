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
import { hashOf } from '../files/hash.js'
import { isDevice, openedAs, realPlace } from '../files/places.js'
import { recordsFolder } from '../target/records-folder.js'
import type { RefusedRow } from './send-chunk.js'

/** A refused row as it is reported. */
export interface ReportedRefusal extends RefusedRow {
  readonly file: string
}

/** How much of a file of refused rows was written at some time. */
export interface RefusedSize {
  readonly path: string
  readonly bytes: number
}

const maxRemembered = 20

/**
 * Keeps refused rows in a file, one JSON object on a line, and remembers the first few. A device or a pipe takes them as they come.
 *
 * @throws {CliFailure} where it holds something else
 */
export async function openRefusedFile(path: string) {
  const whole = resolve(path)
  const isFile = !isDevice(whole)
  if (isFile) await requireRefusedRows(path)
  const first: ReportedRefusal[] = []
  /**
   * Whether no import that began earlier writes to it. Its lock is beside our own files: the folder is the user's. Where none can be
   * written, as on a disk that is read-only, each import is taken for the only one.
   */
  const isOurs = () => {
    if (!isFile) return false
    const folder = join(recordsFolder(), 'imports')
    const place = join(folder, hashOf(['refused', realPlace(whole)]).slice(0, 32))
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
    /** Removes what an earlier import left, once a new one begins. Imports at the same time share the file. */
    clear(): void {
      if (!isOurs()) return
      if (lstatSync(whole, { throwIfNoEntry: false })?.isFile()) rmSync(whole, { force: true })
      // A link stays, and leads to an empty file.
      else if (bytes() > 0) truncateSync(whole)
    },
    /**
     * Goes on behind what the states of a stopped import have saved: rows of its files that were written after that are going to be
     * refused once more.
     */
    resume(saved: readonly RefusedSize[], files: readonly string[]): void {
      const sizes = saved.filter((one) => one.path === whole).map((one) => one.bytes)
      const most = Math.max(...sizes)
      if (!isOurs() || sizes.length === 0 || bytes() <= most) return
      const after = textFrom(whole, most)
      if (!areRefusedRows(after)) return
      const beginnings = files.map(beginningOf)
      // The last piece is empty, or a line that was cut.
      const ofOthers = after
        .split(/(?<=\n)/)
        .filter((line) => line.endsWith('\n') && !beginnings.some((own) => line.startsWith(own)))
      truncateSync(whole, most)
      appendFileSync(whole, ofOthers.join(''))
    },
    size: (): RefusedSize => ({ path: whole, bytes: bytes() }),
    /** Whether it is the file that an input is read from, by whatever name. */
    isInput: (input: ImportSource) => isSameFile(fileOf(input), statSync(whole, inBigInts)),
    path,
    /** The first few of those that were written. */
    first: (): readonly ReportedRefusal[] => first,
  }
}

export type RefusedFile = Awaited<ReturnType<typeof openRefusedFile>>

const inBigInts = { bigint: true, throwIfNoEntry: false } as const

/** Stdin may be a file as well. */
function fileOf({ path, text }: ImportSource): BigIntStats | undefined {
  if (text !== undefined) return undefined
  return path === undefined ? fstatSync(0, { bigint: true }) : statSync(path, inBigInts)
}

function isSameFile(one: BigIntStats | undefined, other: BigIntStats | undefined): boolean {
  if (!one?.isFile() || !other?.isFile()) return false
  return one.dev === other.dev && one.ino === other.ino
}

/** @throws {CliFailure} where a file holds something else: it would be lost once an import begins. */
async function requireRefusedRows(path: string): Promise<void> {
  if (!statSync(path, { throwIfNoEntry: false })) return
  for await (const records of readJsonLines(createReadStream(path))) {
    if (records.every(isRefusedRow)) continue
    const message = `"${path}" holds something else than refused rows, which would be written over it.`
    throw misuse(message, 'Name another file for them, as in --refused other.ndjson, or move that one away.')
  }
}

/** How each line begins that is written here. */
const beginning = '{"file":'

function beginningOf(file: string): string {
  return `${beginning}${JSON.stringify(file)},`
}

function isRefusedRow(record: InputRecord): boolean {
  // A line may be cut, or longer than a row can be.
  if ('problem' in record) return areRefusedRows(record.text)
  const { file, record: number, line, reason, row, ...others } = record.fields
  return (
    [file, reason].every((text) => typeof text === 'string') &&
    [number, line].every((one) => Number.isSafeInteger(one)) &&
    (isObject(row) || typeof row === 'string') &&
    Object.keys(others).length === 0
  )
}

/** Whether each line begins as a refused row, the last one as far as it was written. What someone has edited does not. */
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
