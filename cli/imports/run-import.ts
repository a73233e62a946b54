import type { BadRow, InputRecord, Records } from '../records/record.js'
import { type Chunk, gather } from './chunks.js'
import { type Refusal, type Send, sendRows } from './send-chunk.js'
import type { ImportState, StateFile } from './state.js'

export interface ImportRun {
  readonly records: Records
  readonly state: StateFile
  readonly from: ImportState
  readonly send: Send
  /** Requests that may be on their way at once. */
  readonly mostInFlight: number
  /** Once aborted, nothing new is read or sent; what is on its way is waited for. */
  readonly signal: AbortSignal
  /** Is told of refused rows once they are dealt with, in the order of the input. */
  onRefused(refusals: readonly Refusal[]): void
  onProgress(state: ImportState): void
}

const saveEveryMs = 500
const mostBadRows = 1_000

interface Finished {
  readonly chunk: Chunk
  readonly accepted: number
  readonly refused: readonly Refusal[]
}

/**
 * Reads and sends at the same time, several requests at once, in constant memory. The state only ever
 * says what is dealt with without a gap, so an import that stopped anywhere can go on from it.
 */
export async function runImport(run: ImportRun): Promise<{ state: ImportState; isWhole: boolean }> {
  let state = run.from
  let savedAt = performance.now()
  const finished = new Map<number, Finished>()
  const inFlight = new Set<Promise<void>>()
  let failure: { readonly error: unknown } | undefined
  let isStopped = false

  const settle = (outcome: Finished) => {
    finished.set(outcome.chunk.from, outcome)
    for (let next = finished.get(state.done); next; next = finished.get(state.done)) {
      finished.delete(next.chunk.from)
      run.onRefused(next.refused)
      state = advance(state, next)
    }
    run.onProgress(state)
    if (performance.now() - savedAt > saveEveryMs) {
      run.state.save(state)
      savedAt = performance.now()
    }
  }
  const dispatch = async (chunk: Chunk, bad: readonly BadRow[]) => {
    while (inFlight.size >= run.mostInFlight) await Promise.race(inFlight)
    isStopped = failure !== undefined || run.signal.aborted
    if (isStopped) return
    const work = sendRows(chunk.rows, state.id, run.send)
      .then(({ accepted, refused }) => settle({ chunk, accepted, refused: merge(refused, bad) }))
      .catch((error) => {
        failure ??= { error }
      })
      .finally(() => inFlight.delete(work))
    inFlight.add(work)
  }

  run.state.save(state)
  try {
    for await (const { chunk, bad } of chunksOf(run.records, state.done)) {
      await dispatch(chunk, bad)
      if (isStopped) break
    }
  } catch (error) {
    failure ??= { error }
  }
  await Promise.all(inFlight)
  run.state.save(state)
  if (failure) throw failure.error
  return { state, isWhole: !isStopped }
}

/** Cuts the records, those already dealt with left out, into requests; bad rows travel along with their chunk. */
async function* chunksOf(records: Records, done: number): AsyncGenerator<{ chunk: Chunk; bad: BadRow[] }> {
  let at = 0
  let endByte = 0
  let bad: BadRow[] = []
  const rows = gather(done)
  const takeBad = () => {
    const taken = bad
    bad = []
    return taken
  }
  for await (const handful of records) {
    for (const record of handful) {
      at += 1
      if (at <= done) continue
      if (isGood(record)) {
        if (rows.isFullFor(record)) yield { chunk: rows.take(at - 1, endByte), bad: takeBad() }
        rows.add(record)
      } else bad.push(record)
      endByte = record.endByte
      if (bad.length >= mostBadRows) yield { chunk: rows.take(at, endByte), bad: takeBad() }
    }
  }
  if (!rows.isEmpty() || bad.length > 0) yield { chunk: rows.take(at, endByte), bad: takeBad() }
}

function isGood(record: InputRecord): record is Exclude<InputRecord, BadRow> {
  return 'fields' in record
}

function advance(state: ImportState, { chunk, accepted, refused }: Finished): ImportState {
  return {
    ...state,
    done: chunk.to,
    endByte: chunk.endByte,
    accepted: state.accepted + accepted,
    refused: state.refused + refused.length,
  }
}

function merge(refused: readonly Refusal[], bad: readonly BadRow[]): Refusal[] {
  if (bad.length === 0) return [...refused]
  const others = bad.map(({ number, line, problem, text }) => ({ record: number, line, reason: problem, row: text }))
  return [...refused, ...others].sort((one, other) => one.record - other.record)
}
