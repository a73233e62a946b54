/** A file of operations from its first line to its last, or on from where it was stopped. */

import { type ImportSource, isUnchanged } from '../../seeds/records/input.js'
import { CliFailure, exits } from '../base/failure.js'
import type { ImportState, StateFile } from '../imports/state.js'
import { newImportState } from '../imports/state.js'
import { count } from '../terminal/print.js'
import { type BadLine, type Operation, type OperationKind, readOperations } from './operations.js'
import type { Refusals } from './refusals.js'
import { gatherOperations, type SendOptions, sendOperations } from './send-operations.js'

type Counts = { readonly [Kind in OperationKind]: number }

/** What a file says before anything of it is carried out. */
export interface Preview {
  readonly counts: Counts
  readonly operations: number
  /** By collection, the line that names it first. */
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
  /** Once aborted, nothing more is sent; what is in flight is awaited. */
  readonly signal: AbortSignal
  /** Receives how far it is after each handful. */
  onDone(reached: Reached): void
}

/** How far a file is dealt with, by an earlier run that was stopped and by this one. */
export interface Reached extends Refusals {
  /** Operations of the file, the refused ones among them. */
  readonly done: number
}

export interface RunResult extends Reached {
  /** Carried out by this run. */
  readonly accepted: Counts
  readonly isWhole: boolean
}

/** So many refusals are kept for the run that goes on, which writes them again with each handful; the count is of all. */
const maxKept = 1_000

/** What an earlier run has left. */
export function reachedBefore({ found }: StateFile): Reached {
  return { done: found?.done ?? 0, refused: found?.refused ?? 0, refusals: found?.refusals ?? [] }
}

/**
 * Carries the operations out in their order, many at a time, and keeps how far it has come after each handful. What is kept
 * stays: until the command is at its end, the same command goes on, and finds that there is nothing left to do.
 *
 * @throws {CliFailure} `FILE_CHANGED` where it is not the file that was previewed any more: nothing of the other one is sent
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
    // What was read until now is of the same file, if that is the same still.
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
      ? ['nothing was done', 'Give the same command again: it counts and asks anew.']
      : [`${count(done)} operations are dealt with`, 'A new run begins with the first line: take out what is done.']
  return new CliFailure('FILE_CHANGED', exits.invalid, `"${name}" was changed meanwhile; ${reached}.`, hint)
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
