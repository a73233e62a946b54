/** How far an import has come, so that the same command goes on where it stopped. */
import { createHash, randomUUID } from 'node:crypto'
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { isObject } from '../../client/protocol/model/json.js'
import type { Input } from '../records/input.js'

export interface ImportState {
  /** Part of every idempotency key: what was sent twice is created once. */
  readonly id: string
  readonly file: string
  /** Records of the file, from its beginning, that are dealt with. */
  readonly done: number
  readonly endByte: number
  readonly accepted: number
  readonly refused: number
  /** Whether the whole file is dealt with; kept as long as the other files of the import are not. */
  readonly isWhole?: boolean
}

/** Where one import keeps its state: in one file, named after what is imported, and to where. */
export interface StateFile {
  readonly found: ImportState | undefined
  save(state: ImportState): void
  remove(): void
}

/** For what is imported in one go, or cannot be read twice. */
export const noState: StateFile = { found: undefined, save: () => undefined, remove: () => undefined }

/**
 * The state of importing this input into this collection of this service. It is another import once
 * the file has changed, and stdin has none: it cannot be read twice.
 */
export async function openState(folder: string, input: Input, into: readonly string[]): Promise<StateFile> {
  if (input.path === undefined) return noState
  const identity = [resolve(input.path), input.bytes, input.changedAt, ...into]
  const name = createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 32)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const file = join(folder, `${name}.json`)
  return {
    found: readState(file),
    save(state) {
      // Whole or not at all: a process that is killed here leaves the state from before.
      writeFileSync(`${file}.new`, JSON.stringify(state), { mode: 0o600 })
      renameSync(`${file}.new`, file)
    },
    remove: () => rmSync(file, { force: true }),
  }
}

export function newState(input: Input): ImportState {
  return { id: `import-${randomUUID()}`, file: input.name, done: 0, endByte: 0, accepted: 0, refused: 0 }
}

function readState(file: string): ImportState | undefined {
  if (!existsSync(file)) return undefined
  try {
    const state: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return isObject(state) && typeof state.id === 'string' && typeof state.done === 'number'
      ? (state as unknown as ImportState)
      : undefined
  } catch {
    return undefined
  }
}
