import type { BadRow, InputRecord, Records } from '../../seeds/records/record.js'
import { type Chunk, gather } from './chunks.js'
import { type OpenChunk, type RefusedRow, type Sent, sendRows } from './send-chunk.js'
import type { ImportState, StateFile } from './state.js'

export interface ImportRun {
  readonly records: Records
  readonly state: StateFile
  readonly from: ImportState
  readonly open: OpenChunk
  /** Maximum number of open chunks. */
  readonly maxOpen: number
  /** Sends a chunk only after all earlier ones are done. It is opened before that. */
  readonly sendsInOrder: boolean
  /**
   * Whether the input cannot be resumed. Then a failure also reports the requests that succeeded after the first gap.
   */
  readonly isReadOnce?: boolean
  /** Once aborted, nothing more is read or sent. Requests in flight are awaited. */
  readonly signal: AbortSignal
}

/** Progress after each response. */
export interface ImportStep {
  readonly state: ImportState
  /** Rows refused since the last step, in input order. */
  readonly refused: readonly RefusedRow[]
  /** Records that may be missing after a failure. Set only if the input cannot be read again. */
  readonly missing?: Missing
}

/** Ranges of records, counted from 1. */
export interface Missing {
  /** Records of failed requests. Whether the service processed them is unknown. */
  readonly between: ReadonlyArray<readonly [first: number, last: number]>
  /** First record that was not sent. Undefined if all were. */
  readonly from: number | undefined
}

export interface ImportResult {
  readonly state: ImportState
  readonly isWhole: boolean
}

const saveEveryMs = 500
const maxBadRows = 1_000

interface Finished extends Sent {
  readonly chunk: Chunk
}

interface CutChunk {
  readonly chunk: Chunk
  readonly bad: readonly BadRow[]
}

/** Events of the import loop. Failures are events too, so that none becomes an unhandled rejection. */
type Happening =
  | { readonly kind: 'read'; readonly cut: CutChunk | undefined }
  | { readonly kind: 'answered'; readonly outcome: Finished }
  | { readonly kind: 'failed'; readonly error: unknown; readonly chunk?: Chunk }
  | { readonly kind: 'unsent'; readonly chunk: Chunk }
  | { readonly kind: 'stopped' }

/**
 * Reads and sends concurrently in constant memory, and yields after each response. The state covers only records
 * without gaps before them, so any interrupted import can resume. Saves the state after the caller consumed the step,
 * so that refused rows are stored first.
 */
export async function* runImport(run: ImportRun): AsyncGenerator<ImportStep, ImportResult, undefined> {
  const { signal } = run
  const chunks = splitIntoChunks(run.records, run.from.done)
  const finished = new Map<number, Finished>()
  // Requests by first record. Each stays until its outcome is handled.
  const inFlight = new Map<number, Promise<Happening>>()
  let reading: Promise<Happening> | undefined = readNext(chunks, signal)
  let state = run.from
  let savedAt = performance.now()
  let failure: { readonly error: unknown } | undefined
  let isStopped = false
  let sent = state.done
  let isAtEnd = false

  run.state.save({ ...state, isOpen: true })
  while (reading !== undefined || inFlight.size > 0) {
    // Every promise here settles. One that outlived the import would retain the result of every race.
    const next: Happening = await Promise.race(
      reading !== undefined && inFlight.size < run.maxOpen ? [reading, ...inFlight.values()] : inFlight.values(),
    )
    if (next.kind === 'read') {
      isAtEnd ||= next.cut === undefined
      isStopped ||= next.cut !== undefined && (failure !== undefined || signal.aborted)
      reading = next.cut && !isStopped ? readNext(chunks, signal) : undefined
      const before = run.sendsInOrder ? [...inFlight.values()].at(-1) : undefined
      if (next.cut && !isStopped) inFlight.set(next.cut.chunk.from, send(next.cut, state.id, run, before))
    } else if (next.kind === 'stopped') {
      isStopped = true
      reading = undefined
    } else if (next.kind === 'unsent') {
      isStopped = true
      inFlight.delete(next.chunk.from)
    } else if (next.kind === 'failed') {
      failure ??= next
      reading = undefined
      if (next.chunk) {
        inFlight.delete(next.chunk.from)
        sent = Math.max(sent, next.chunk.to)
      }
    } else {
      inFlight.delete(next.outcome.chunk.from)
      sent = Math.max(sent, next.outcome.chunk.to)
      finished.set(next.outcome.chunk.from, next.outcome)
      const { state: reached, refused } = advance(state, finished)
      state = reached
      yield { state, refused }
      if (performance.now() - savedAt > saveEveryMs) {
        run.state.save({ ...state, isOpen: true })
        savedAt = performance.now()
      }
    }
  }
  run.state.save({ ...state, isOpen: failure !== undefined })
  if (failure && run.isReadOnce) yield behindGaps(state, finished, { sent, isAtEnd })
  if (failure) throw failure.error
  return { state, isWhole: !isStopped }
}

/** Treats errors after an abort as a stop, because closing the input makes it fail. Does not wait for an idle pipe. */
function readNext(chunks: AsyncGenerator<CutChunk>, signal: AbortSignal): Promise<Happening> {
  return new Promise((resolve) => {
    const onAbort = () => resolve({ kind: 'stopped' })
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    chunks
      .next()
      .then(
        ({ value, done }) => resolve({ kind: 'read', cut: done ? undefined : value }),
        (error) => resolve(signal.aborted ? { kind: 'stopped' } : { kind: 'failed', error }),
      )
      .finally(() => signal.removeEventListener('abort', onAbort))
  })
}

/** Fails if the previous chunk failed, so that changes to one document keep their order. */
async function send(
  { chunk, bad }: CutChunk,
  importId: string,
  run: ImportRun,
  before: Promise<Happening> | undefined,
): Promise<Happening> {
  const sendOpened = run.open(chunk.rows)
  const previous = await before
  if (previous?.kind === 'failed') return { ...previous, chunk }
  if (previous && run.signal.aborted) return { kind: 'unsent', chunk }
  return sendRows(chunk.rows, importId, sendOpened).then(
    (sent): Happening => ({ kind: 'answered', outcome: { ...sent, chunk, refused: merge(sent.refused, bad) } }),
    (error): Happening => ({ kind: 'failed', error, chunk }),
  )
}

/** Splits the records into requests and skips those already done. Bad rows travel with their chunk. */
async function* splitIntoChunks(records: Records, done: number): AsyncGenerator<CutChunk> {
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
      if (bad.length >= maxBadRows) yield { chunk: rows.take(at, endByte), bad: takeBad() }
    }
  }
  if (!rows.isEmpty() || bad.length > 0) yield { chunk: rows.take(at, endByte), bad: takeBad() }
}

function isGood(record: InputRecord): record is Exclude<InputRecord, BadRow> {
  return 'fields' in record
}

/** Advances the state past all chunks that finished without a gap. */
function advance(from: ImportState, finished: Map<number, Finished>): ImportStep {
  let state = from
  const refused: RefusedRow[] = []
  for (let next = finished.get(state.done); next; next = finished.get(state.done)) {
    finished.delete(next.chunk.from)
    refused.push(...next.refused)
    state = { ...counting(state, next), done: next.chunk.to, endByte: next.chunk.endByte }
  }
  return { state, refused }
}

function counting(state: ImportState, { accepted, created, newIds, refused }: Finished): ImportState {
  return {
    ...state,
    accepted: state.accepted + accepted,
    created: (state.created ?? 0) + created,
    newIds: (state.newIds ?? 0) + newIds,
    refused: state.refused + refused.length,
  }
}

/** Collects responses that arrived after a failed request, and the gaps between them. */
function behindGaps(
  from: ImportState,
  finished: ReadonlyMap<number, Finished>,
  { sent, isAtEnd }: { readonly sent: number; readonly isAtEnd: boolean },
): ImportStep {
  const behind = [...finished.values()].sort((one, other) => one.chunk.from - other.chunk.from)
  const gaps = [...behind.map(({ chunk }) => chunk.from), sent].map((end, at): [number, number] => [
    (behind[at - 1]?.chunk.to ?? from.done) + 1,
    end,
  ])
  return {
    state: behind.reduce(counting, from),
    refused: behind.flatMap(({ refused }) => refused),
    missing: { between: gaps.filter(([first, last]) => first <= last), from: isAtEnd ? undefined : sent + 1 },
  }
}

function merge(refused: readonly RefusedRow[], bad: readonly BadRow[]): RefusedRow[] {
  if (bad.length === 0) return [...refused]
  const others = bad.map(({ number, line, problem, text }) => ({ record: number, line, reason: problem, row: text }))
  return [...refused, ...others].sort((one, other) => one.record - other.record)
}
