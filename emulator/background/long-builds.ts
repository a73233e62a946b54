/** Indexes whose making keeps the embedded database busy for seconds, in which it answers nothing else. */
import { setTimeout as pause } from 'node:timers/promises'
import { type FieldIndex, indexName } from '../store/lists/indexes.js'
import { mostCounted } from './index-uses.js'
import type { Round } from './rounds.js'

export interface LongBuilds {
  /** Whether a request has come since that was set to false. */
  isBusy: boolean
  /** Statements of requests that are not over. One that takes long is work too, though none comes meanwhile. */
  atWork: number
  /** Names of those that are not made, until the next review. */
  readonly refused: Set<string>
  /** Names of those of which people know that they are not made. */
  readonly announced: Set<string>
}

export const noLongBuilds = (): LongBuilds => ({ isBusy: false, atWork: 0, refused: new Set(), announced: new Set() })

/** From here on making an index takes seconds: so many documents, or such large ones. */
const longDocuments = 100_000
const longMilliseconds = 3_000
/** Then it is made when no request has come for so long, or when that never happens. */
const quietMilliseconds = 1_000
const mostQuietWaits = 60
/** One that would take longer is not made. */
const mostBuildMilliseconds = 10_000
/** What making one costs for each document, on a slow machine. */
const buildMicroseconds = { order: 9, text: 30 }
/** What each byte costs that the documents take on disk, where an index holds their words. */
const textMicrosecondsPerByte = 1

/** Waits for a quiet moment; false where making the index would keep other requests waiting for too long, which is said. */
export async function canTakeTime(
  builds: LongBuilds,
  index: FieldIndex,
  { documents, bytes }: { readonly documents: number; readonly bytes: number },
  { round, announce }: { readonly round: Round; readonly announce: (message: string) => void },
): Promise<boolean> {
  const microseconds =
    index.kind === 'text'
      ? documents * buildMicroseconds.text + bytes * textMicrosecondsPerByte
      : documents * buildMicroseconds.order
  const milliseconds = microseconds / 1_000
  if (documents <= longDocuments && milliseconds <= longMilliseconds) return true
  if (milliseconds > mostBuildMilliseconds) {
    const it = wordsOf(index, documents)
    if (isNewTo(builds, index))
      announce(`No index is made: ${it} would keep the embedded database busy for more than 10 s.`)
    return false
  }
  await quiet(builds, round)
  return true
}

/** Says that an index is made now, where that takes seconds. */
export function announceLong(index: FieldIndex, documents: number, announce: (message: string) => void): void {
  if (documents <= longDocuments) return
  announce(`Making ${wordsOf(index, documents)}: the embedded database answers nothing else for some seconds.`)
}

function wordsOf(index: FieldIndex, documents: number): string {
  const names = [...(index.equal ?? []), index.path].map((path) => path.join('.')).join(', ')
  return `an index over ${names} of ${documents.toLocaleString('en')} documents`
}

/** Remembers that an index is not made: every list asks for it. */
function isNewTo({ refused, announced }: LongBuilds, index: FieldIndex): boolean {
  const name = indexName(index)
  refused.add(name)
  if (announced.has(name)) return false
  if (announced.size >= mostCounted) announced.clear()
  announced.add(name)
  return true
}

async function quiet(builds: LongBuilds, { isStopped }: Round): Promise<void> {
  for (let waits = 0; waits < mostQuietWaits && !isStopped(); waits++) {
    builds.isBusy = false
    await pause(quietMilliseconds, undefined, { ref: false })
    if (!builds.isBusy && builds.atWork === 0) return
  }
}
