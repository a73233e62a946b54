import { type ImportSource, isReadOnce, type ReadOptions, readRecords } from '../../seeds/records/input.js'
import type { Client } from '../base/target-command.js'
import { type ImportResult, type ImportStep, runImport } from './run-import.js'
import type { OpenChunk } from './send-chunk.js'
import { type ImportState, newImportState, type StateFile } from './state.js'
import { openUpserts, type Seeds } from './upsert.js'

export interface ImportOptions {
  readonly client: Client
  readonly collection: string
  /** The field that identifies a document; left out, every row becomes a new one. */
  readonly upsertBy: string | undefined
  /**
   * Of a seed: then a row without a value in that field is refused, rather than created once more each time, and 1 is another
   * value than "1". What cells say is only looked for as the other where it is not there.
   */
  readonly seeds?: Seeds
  readonly read: ReadOptions
  readonly signal: AbortSignal
  /** Receives the ids of new documents, for a caller that may have to delete them again; not with `upsertBy`. */
  onCreated?(ids: readonly string[]): void
}

/** What became of an input. All records before the one where it was stopped are dealt with: `accepted` or `refused`. */
export interface ImportSummary {
  readonly file: string
  readonly accepted: number
  readonly refused: number
  /** Of `accepted`, those that were to have an id that is not there: they were created under another. */
  readonly newIds: number
  /** Documents that are new, by earlier runs of the same import too. */
  readonly created: number
  /** Of `accepted`, those that an earlier run of the same import created. */
  readonly acceptedBefore: number
  /** False where it was stopped; the same command goes on. */
  readonly isWhole: boolean
}

const maxOpen = 3

/**
 * Imports one input, or the rest of it where an earlier import of the same was stopped. Its state stays: an import of
 * several inputs is repeated as a whole.
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
    open: openerOf(options),
    maxOpen,
    // Two requests at once could both create a document of the same key.
    sendsInOrder: options.upsertBy !== undefined,
    isReadOnce: isReadOnce(input),
    signal: options.signal,
  })
}

function openerOf({ client, collection, upsertBy, seeds, onCreated }: ImportOptions): OpenChunk {
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
