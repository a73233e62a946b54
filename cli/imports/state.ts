/** How far an import has come, so that the same command goes on where it stopped. */
import { randomUUID } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { mkdir, readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { isObject, parseJson } from '../../client/protocol/model/json.js'
import { type ImportSource, isReadOnce } from '../../seeds/records/input.js'
import { CliFailure, exits } from '../base/failure.js'
import type { Refusal } from '../bulk/refusals.js'
import { claim } from '../files/claim.js'
import { hashOf } from '../files/hash.js'
import { isProcessThere } from '../target/emulator-health.js'
import type { RefusedSize } from './refused-file.js'

export interface ImportState {
  /** Part of every idempotency key, random for each import and kept while it may go on: what is sent twice is created once. */
  readonly id: string
  readonly file: string
  /** Records of the file, from its beginning, that are dealt with. */
  readonly done: number
  readonly endByte: number
  readonly accepted: number
  readonly refused: number
  /** Of a file of operations, the first of those that were refused. */
  readonly refusals?: readonly Refusal[]
  /** Of `accepted`, those whose id was not there; left out, none. */
  readonly newIds?: number
  /** Documents that are new; left out, none. */
  readonly created?: number
  /** How many documents the collection had when the import began; left out where the key does not see that. */
  readonly documentsBefore?: number | undefined
  /** Saved while requests were under way: of those behind `done`, the outcome is unknown where nothing was saved later. */
  readonly isOpen?: boolean
  /** Whether the whole file is dealt with; kept as long as the other files of the import are not. */
  readonly isWhole?: boolean
  /** How much of the file of refused rows was written by then. */
  readonly refusedFile?: RefusedSize
}

/** Where one import keeps its state: in one file, named after what is imported, and to where. */
export interface StateFile {
  readonly found: ImportState | undefined
  /** How many documents the collection had when the import began, where that is known. */
  readonly documentsBefore?: number | undefined
  save(state: ImportState): void
  remove(): void
}

/** For what is imported in one go, or cannot be read twice. */
export const noState: StateFile = { found: undefined, save: () => undefined, remove: () => undefined }

interface StateOptions {
  /** Whether what is known of it counts no more: it stays until something is saved, as a run that is not confirmed loses nothing. */
  readonly restart?: boolean
  /** Whether only this process may be at it until it ends. */
  readonly isLocked?: boolean
}

/**
 * The state of importing this input into this collection of this service. It is another import once
 * the file has changed, and stdin and pipes have none: they cannot be read twice.
 *
 * @throws {CliFailure} `BAD_STATE` if the state is damaged, `IN_USE` where another process is at the same
 */
export async function openState(
  folder: string,
  input: ImportSource,
  into: readonly string[],
  { restart = false, isLocked = true }: StateOptions = {},
): Promise<StateFile> {
  if (input.path === undefined || isReadOnce(input)) return noState
  const identity = [resolve(input.path), input.bytes, input.changedAt, ...into]
  const name = hashOf(identity).slice(0, 32)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const message = `Another run of the same command is at "${input.name}".`
  if (isLocked) claim(join(folder, name), { message, hint: 'Wait for it, or stop it' })
  const file = join(folder, `${name}.json`)
  await removeDrafts(folder, `${name}.json.`)
  return {
    found: restart ? undefined : readState(file, input),
    save(state) {
      // Whole or not at all: a process that is killed here, or a machine, leaves the state from before.
      const name = `${file}.${process.pid}.new`
      const draft = openSync(name, 'w', 0o600)
      try {
        writeFileSync(draft, JSON.stringify(state))
        fsyncSync(draft)
      } finally {
        closeSync(draft)
      }
      renameSync(name, file)
    },
    remove: () => rmSync(file, { force: true }),
  }
}

/** Those of processes that were killed while they saved. */
async function removeDrafts(folder: string, start: string) {
  for (const name of await readdir(folder)) {
    const pid = name.startsWith(start) ? Number(/^(\d{1,10})\.new$/.exec(name.slice(start.length))?.[1]) : 0
    if (pid > 0 && !isProcessThere({ pid })) rmSync(join(folder, name), { force: true })
  }
}

export function newImportState(input: ImportSource): ImportState {
  return { id: `import-${randomUUID()}`, file: input.name, done: 0, endByte: 0, accepted: 0, refused: 0 }
}

/** Throws where it cannot be read: an import that began anew instead would create everything twice. */
function readState(file: string, input: ImportSource): ImportState | undefined {
  if (!existsSync(file)) return undefined
  const state = parseJson(readFileSync(file, 'utf8'))
  if (isState(state)) return state
  const message = `What an earlier run with "${input.name}" has done cannot be read: "${file}" is damaged.`
  throw new CliFailure('BAD_STATE', exits.invalid, message, 'Begin anew with --restart.')
}

function isState(value: unknown): value is ImportState {
  if (!isObject(value)) return false
  const { id, file, done, endByte, accepted, refused, refusals = [] } = value
  return (
    [id, file].every((text) => typeof text === 'string') &&
    [done, endByte, accepted, refused].every((number) => Number.isSafeInteger(number)) &&
    Array.isArray(refusals) &&
    refusals.every(isRefusal)
  )
}

function isRefusal(value: unknown): boolean {
  if (!isObject(value)) return false
  const { line, id, code, problem } = value
  return Number.isSafeInteger(line) && [id, code, problem].every((text) => typeof text === 'string')
}
