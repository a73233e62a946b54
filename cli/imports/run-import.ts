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

/** State of the import loop. */
interface ImportLoop {
  readonly chunks: AsyncGenerator<CutChunk>
  reading: Promise<Happening> | undefined
  /** Requests by first record. Each stays until its outcome is handled. */
  readonly inFlight: Map<number, Promise<Happening>>
  readonly finished: Map<number, Finished>
  /** Last record of the requests that were answered, have failed or were held back. */
  sent: number
  failure: { readonly error: unknown } | undefined
  isAtEnd: boolean
  isStopped: boolean
}

/**
 * Reads and sends concurrently in constant memory, and yields after each response. The state covers only records
 * without gaps before them, so any interrupted import can resume. Saves the state after the caller consumed the step,
 * so that refused rows are stored first.
 */
export async function* runImport(run: ImportRun): AsyncGenerator<ImportStep, ImportResult, undefined> {
  const loop = startLoop(run)
  let state = run.from
  let savedAt = performance.now()
  run.state.save({ ...state, isOpen: true })
  while (loop.reading !== undefined || loop.inFlight.size > 0) {
    const next = await nextHappening(loop, run.maxOpen)
    if (next.kind === 'read') sendAndReadOn(loop, next.cut, run)
    else recordOutcome(loop, next)
    if (next.kind !== 'answered') continue
    const { state: reached, refused } = advance(state, loop.finished)
    state = reached
    yield { state, refused }
    if (performance.now() - savedAt > saveEveryMs) {
      run.state.save({ ...state, isOpen: true })
      savedAt = performance.now()
    }
  }
  const { failure } = loop
  run.state.save({ ...state, isOpen: failure !== undefined })
  if (failure && run.isReadOnce) yield behindGaps(state, loop)
  if (failure) throw failure.error
  return { state, isWhole: !loop.isStopped }
}

function startLoop({ records, from, signal }: ImportRun): ImportLoop {
  const chunks = splitIntoChunks(records, from.done)
  return {
    chunks,
    reading: readNext(chunks, signal),
    inFlight: new Map(),
    finished: new Map(),
    sent: from.done,
    failure: undefined,
    isAtEnd: false,
    isStopped: false,
  }
}

/** Waits for the next read or response. All promises here settle: one that outlived the import would retain every race. */
function nextHappening({ reading, inFlight }: ImportLoop, maxOpen: number): Promise<Happening> {
  const mayRead = reading !== undefined && inFlight.size < maxOpen
  return Promise.race(mayRead ? [reading, ...inFlight.values()] : inFlight.values())
}

function sendAndReadOn(loop: ImportLoop, cut: CutChunk | undefined, run: ImportRun): void {
  loop.reading = undefined
  if (!cut) {
    loop.isAtEnd = true
    return
  }
  loop.isStopped ||= loop.failure !== undefined || run.signal.aborted
  if (loop.isStopped) return
  loop.reading = readNext(loop.chunks, run.signal)
  const before = run.sendsInOrder ? [...loop.inFlight.values()].at(-1) : undefined
  loop.inFlight.set(cut.chunk.from, send(cut, run.from.id, run, before))
}

function recordOutcome(loop: ImportLoop, next: Exclude<Happening, { kind: 'read' }>): void {
  switch (next.kind) {
    case 'stopped':
      loop.isStopped = true
      loop.reading = undefined
      break
    case 'unsent':
      loop.isStopped = true
      loop.inFlight.delete(next.chunk.from)
      break
    case 'failed':
      loop.failure ??= next
      loop.reading = undefined
      if (next.chunk) settle(loop, next.chunk)
      break
    case 'answered':
      settle(loop, next.outcome.chunk)
      loop.finished.set(next.outcome.chunk.from, next.outcome)
  }
}

function settle(loop: ImportLoop, { from, to }: Chunk): void {
  loop.inFlight.delete(from)
  loop.sent = Math.max(loop.sent, to)
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
  const rows = gatherWithBad(done)
  for await (const handful of records) {
    for (const record of handful) {
      at += 1
      if (at <= done) continue
      if (rows.isFullFor(record)) yield rows.take(at - 1, endByte)
      rows.add(record)
      endByte = record.endByte
      if (rows.hasManyBad()) yield rows.take(at, endByte)
    }
  }
  if (!rows.isEmpty()) yield rows.take(at, endByte)
}

/** Collects the rows of a request, and the bad ones among them. */
function gatherWithBad(from: number) {
  const rows = gather(from)
  let bad: BadRow[] = []
  return {
    isFullFor: (record: InputRecord) => isGood(record) && rows.isFullFor(record),
    hasManyBad: () => bad.length >= maxBadRows,
    isEmpty: () => rows.isEmpty() && bad.length === 0,
    add(record: InputRecord) {
      if (isGood(record)) rows.add(record)
      else bad.push(record)
    },
    take(to: number, endByte: number): CutChunk {
      const cut = { chunk: rows.take(to, endByte), bad }
      bad = []
      return cut
    },
  }
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
  { finished, sent, isAtEnd }: Pick<ImportLoop, 'finished' | 'sent' | 'isAtEnd'>,
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
