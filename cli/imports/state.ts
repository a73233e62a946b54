/** Saves the progress of an import, so that the same command can resume it. */
import { randomUUID } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { mkdir, readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { isObject, parseJson } from '../../client/protocol/model/json.js'
import { type ImportSource, isReadOnce } from '../../seeds/records/input.js'
import { CliFailure, exits } from '../base/failure.js'
import type { Refusal } from '../bulk/refusals.js'
import { claim } from '../files/claim.js'
import { hashJson } from '../files/hash.js'
import { isProcessThere } from '../target/emulator-health.js'
import type { RefusedSize } from './refused-file.js'

export interface ImportState {
  /**
   * Part of every idempotency key. Random per import and kept on resume, so that a repeated request creates nothing
   * twice.
   */
  readonly id: string
  readonly file: string
  /** Records done, counted from the start of the file. */
  readonly done: number
  readonly endByte: number
  readonly accepted: number
  readonly refused: number
  /** The first refused operations, for a file of operations. */
  readonly refusals?: readonly Refusal[]
  /** Accepted documents whose id did not exist. Defaults to 0. */
  readonly newIds?: number
  /** New documents. Defaults to 0. */
  readonly created?: number
  /** Number of documents in the collection before the import. Omitted if the key cannot read it. */
  readonly documentsBefore?: number | undefined
  /**
   * Whether requests were in flight when this was saved. Without a later save, the outcome of records after `done` is
   * unknown.
   */
  readonly isOpen?: boolean
  /** Whether the file is complete. Kept until all files of the import are. */
  readonly isWhole?: boolean
  /** Size of the file of refused rows at that time. */
  readonly refusedFile?: RefusedSize
}

/** State file of one import, named after its input and target. */
export interface StateFile {
  readonly found: ImportState | undefined
  /** Number of documents in the collection before the import, if known. */
  readonly documentsBefore?: number | undefined
  save(state: ImportState): void
  remove(): void
}

/** For imports that run in one go or cannot be read twice. */
export const noState: StateFile = { found: undefined, save: () => undefined, remove: () => undefined }

interface StateOptions {
  /** Ignores earlier progress. The file stays until the next save, so an unconfirmed run loses nothing. */
  readonly restart?: boolean
  /** Locks the state until this process ends. */
  readonly isLocked?: boolean
}

/**
 * Opens the state for this input, collection, and service. A changed file is a new import. Stdin and pipes have no
 * state, because they cannot be read twice.
 *
 * @throws {CliFailure} `BAD_STATE` if the state is damaged, `IN_USE` if another process imports the same
 */
export async function openState(
  folder: string,
  input: ImportSource,
  into: readonly string[],
  { restart = false, isLocked = true }: StateOptions = {},
): Promise<StateFile> {
  if (input.path === undefined || isReadOnce(input)) return noState
  const identity = [resolve(input.path), input.bytes, input.changedAt, ...into]
  const name = hashJson(identity).slice(0, 32)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const message = `Another run of the same command is importing "${input.name}".`
  if (isLocked) claim(join(folder, name), { message, hint: 'Wait for it, or stop it' })
  const file = join(folder, `${name}.json`)
  await removeDrafts(folder, `${name}.json.`)
  return {
    found: restart ? undefined : readState(file, input),
    save(state) {
      // Renames atomically, so that a crash leaves the previous state.
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

/** Removes drafts of processes that were killed while saving. */
async function removeDrafts(folder: string, start: string) {
  for (const name of await readdir(folder)) {
    const pid = name.startsWith(start) ? Number(/^(\d{1,10})\.new$/.exec(name.slice(start.length))?.[1]) : 0
    if (pid > 0 && !isProcessThere({ pid })) rmSync(join(folder, name), { force: true })
  }
}

export function newImportState(input: ImportSource): ImportState {
  return { id: `import-${randomUUID()}`, file: input.name, done: 0, endByte: 0, accepted: 0, refused: 0 }
}

/** Throws if the state is unreadable, because starting over would create everything twice. */
function readState(file: string, input: ImportSource): ImportState | undefined {
  if (!existsSync(file)) return undefined
  const state = parseJson(readFileSync(file, 'utf8'))
  if (isState(state)) return state
  const message = `Cannot read the progress of an earlier run with "${input.name}": "${file}" is damaged.`
  throw new CliFailure('BAD_STATE', exits.invalid, message, 'Start over with --restart.')
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
