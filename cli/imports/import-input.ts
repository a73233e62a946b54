import { type ImportSource, isReadOnce, type ReadOptions, readRecords } from '../../seeds/records/input.js'
import type { Client } from '../base/target-command.js'
import { type ImportResult, type ImportStep, runImport } from './run-import.js'
import type { OpenChunk } from './send-chunk.js'
import { type ImportState, newImportState, type StateFile } from './state.js'
import { openUpserts, type Seeds } from './upsert.js'

export interface ImportOptions {
  readonly client: Client
  readonly collection: string
  /** The field that identifies a document. Omit it to create a new document for every row. */
  readonly upsertBy: string | undefined
  /**
   * Set for seeds. Refuses rows without the key field instead of duplicating them on each run, and distinguishes 1
   * from "1". CSV cells match the other type only if nothing matches exactly.
   */
  readonly seeds?: Seeds
  readonly read: ReadOptions
  readonly signal: AbortSignal
  /** Called with the ids of new documents, for callers that may delete them again. Not called with `upsertBy`. */
  onCreated?(ids: readonly string[]): void
}

/** Summarizes an input. Every record before the stop is either `accepted` or `refused`. */
export interface ImportSummary {
  readonly file: string
  readonly accepted: number
  readonly refused: number
  /** Accepted documents whose id did not exist, so they got a new one. */
  readonly newIds: number
  /** New documents, including those from earlier runs of the same import. */
  readonly created: number
  /** Accepted documents from earlier runs of the same import. */
  readonly acceptedBefore: number
  /** False if the import was stopped. The same command resumes it. */
  readonly isWhole: boolean
}

const maxOpen = 3

/**
 * Imports one input, or the rest of it after an interruption. Keeps its state, because an import of several inputs is
 * repeated as a whole.
 */
export async function* importInput(
  input: ImportSource,
  file: StateFile,
  options: ImportOptions,
): AsyncGenerator<ImportStep, ImportSummary, undefined> {
  const { isOpen: _, ...from } = file.found ?? newImportState(input)
  const { state, isWhole } = from.isWhole
    ? { state: from, isWhole: true }
    : yield* importRest(input, file, from, options)
  if (isWhole) file.save({ ...state, isWhole })
  const { accepted, refused, newIds = 0, created = 0 } = state
  return { file: input.name, accepted, refused, newIds, created, acceptedBefore: from.accepted, isWhole }
}

function importRest(
  input: ImportSource,
  state: StateFile,
  from: ImportState,
  options: ImportOptions,
): AsyncGenerator<ImportStep, ImportResult, undefined> {
  return runImport({
    records: readRecords(input, { ...options.read, signal: options.signal }),
    state,
    from,
    open: createOpener(options),
    maxOpen,
    // Two parallel requests could create the same key twice.
    sendsInOrder: options.upsertBy !== undefined,
    isReadOnce: isReadOnce(input),
    signal: options.signal,
  })
}

function createOpener({ client, collection, upsertBy, seeds, onCreated }: ImportOptions): OpenChunk {
  const into = client.collection(collection)
  if (upsertBy !== undefined) return openUpserts(into, upsertBy, seeds)
  return () => async (rows, idempotencyKey) => {
    const created = await into.createMany(
      rows.map(({ fields }) => fields),
      { idempotencyKey, returning: onCreated !== undefined },
    )
    onCreated?.(created.map(({ id }) => id))
    return { created: rows.length, newIds: 0 }
  }
}
