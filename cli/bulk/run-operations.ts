/** Runs a file of operations from the start, or resumes an interrupted run. */

import { type ImportSource, isUnchanged } from '../../seeds/records/input.js'
import { CliFailure, exits } from '../base/failure.js'
import type { ImportState, StateFile } from '../imports/state.js'
import { newImportState } from '../imports/state.js'
import { count } from '../terminal/print.js'
import { type BadLine, type Operation, type OperationKind, readOperations } from './operations.js'
import type { Refusals } from './refusals.js'
import { gatherOperations, type SendOptions, sendOperations } from './send-operations.js'

type Counts = { readonly [Kind in OperationKind]: number }

/** Summarizes a file before it runs. */
export interface Preview {
  readonly counts: Counts
  readonly operations: number
  /** First line that names each collection. */
  readonly collections: ReadonlyMap<string, number>
  readonly bad: readonly BadLine[]
}

const maxBadLines = 1_000
const none: Counts = { create: 0, update: 0, replace: 0, delete: 0 }

export async function previewOperations(input: ImportSource, collection: string | undefined): Promise<Preview> {
  const counts = { ...none }
  const collections = new Map<string, number>()
  const bad: BadLine[] = []
  for await (const handful of readOperations(input, collection)) {
    for (const read of handful) {
      if ('problem' in read) {
        if (bad.length < maxBadLines) bad.push(read)
        continue
      }
      counts[read.kind]++
      if (!collections.has(read.collection)) collections.set(read.collection, read.line)
    }
  }
  return { counts, operations: total(counts), collections, bad }
}

export interface RunOptions extends Pick<SendOptions, 'client'> {
  readonly collection: string | undefined
  readonly state: StateFile
  /** Once aborted, nothing more is sent. Requests in flight are awaited. */
  readonly signal: AbortSignal
  /** Called with the progress after each batch. */
  onDone(reached: Reached): void
}

/** Progress through a file, including earlier runs. */
export interface Reached extends Refusals {
  /** Operations processed, including refused ones. */
  readonly done: number
}

export interface RunResult extends Reached {
  /** Operations this run applied. */
  readonly accepted: Counts
  readonly isWhole: boolean
}

/** Refusals to keep in the state file, which is rewritten after each batch. The count covers all. */
const maxKept = 1_000

/** Returns the progress of an earlier run. */
export function reachedBefore({ found }: StateFile): Reached {
  return { done: found?.done ?? 0, refused: found?.refused ?? 0, refusals: found?.refusals ?? [] }
}

/**
 * Sends the operations in order, in batches, and saves the progress after each batch. Running the same command again
 * resumes, or finds nothing left to do.
 *
 * @throws {CliFailure} `FILE_CHANGED` if the file changed since the preview. Nothing from the changed file is sent.
 */
export async function runOperations(input: ImportSource, options: RunOptions): Promise<RunResult> {
  const { client, collection, state: file, signal, onDone } = options
  const { isOpen: _, ...from } = file.found ?? newImportState(input)
  let state: ImportState = from
  let accepted = none
  const refusals = [...reachedBefore(file).refusals]
  const reached = (): Reached => ({ done: state.done, refused: state.refused, refusals })
  const waiting = gatherOperations()

  async function flush(): Promise<void> {
    // Checks before each batch that the lines read so far come from the same file.
    if (!(await isUnchanged(input))) throw fileChanged(input, state.done)
    const operations = waiting.take()
    if (operations.length === 0) return
    const isRepeated = file.found !== undefined && state.done === from.done
    const carried = await sendOperations(operations, { client, id: state.id, isRepeated })
    accepted = added(accepted, carried.accepted)
    refusals.push(...carried.refused.toSorted((one, other) => one.line - other.line))
    state = {
      ...state,
      done: state.done + operations.length,
      refused: state.refused + carried.refused.length,
      refusals: refusals.slice(0, maxKept),
    }
    file.save({ ...state, isOpen: true })
    onDone(reached())
  }

  if (!(await isUnchanged(input))) throw fileChanged(input, state.done)
  file.save({ ...state, isOpen: true })
  let at = 0
  for await (const operation of operationsOf(input, collection)) {
    if ('problem' in operation) throw fileChanged(input, state.done)
    at++
    if (at <= from.done) continue
    if (waiting.isFullFor(operation)) await flush()
    if (signal.aborted) break
    waiting.add(operation)
  }
  if (!signal.aborted) await flush()
  file.save(state)
  return { ...reached(), accepted, isWhole: !signal.aborted }
}

async function* operationsOf(input: ImportSource, collection: string | undefined): AsyncGenerator<Operation | BadLine> {
  for await (const handful of readOperations(input, collection)) yield* handful
}

function fileChanged({ name }: ImportSource, done: number): CliFailure {
  const [reached, hint] =
    done === 0
      ? ['nothing was sent', 'Run the same command again.']
      : [
          `${count(done)} operations processed`,
          'A new run starts at the first line: remove the operations that are done.',
        ]
  return new CliFailure('FILE_CHANGED', exits.invalid, `"${name}" changed while it was being read; ${reached}.`, hint)
}

function added(one: Counts, other: Counts): Counts {
  return {
    create: one.create + other.create,
    update: one.update + other.update,
    replace: one.replace + other.replace,
    delete: one.delete + other.delete,
  }
}

function total({ create, update, replace, delete: removed }: Counts): number {
  return create + update + replace + removed
}
