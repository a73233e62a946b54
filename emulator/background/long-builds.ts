/** Handles index builds that block the embedded database for seconds. */
import { setTimeout as pause } from 'node:timers/promises'
import { type FieldIndex, indexName } from '../store/lists/indexes.js'
import { maxCounted } from './index-uses.js'
import type { Round } from './rounds.js'

export interface LongBuilds {
  /** Whether a request arrived since this was last set to false. */
  isBusy: boolean
  /** Statements of requests in progress. A long one counts as work even if no request arrives. */
  atWork: number
  /** Names of indexes not to build before the next review. */
  readonly refused: Set<string>
  /** Names of indexes whose refusal was announced. */
  readonly announced: Set<string>
}

export const noLongBuilds = (): LongBuilds => ({ isBusy: false, atWork: 0, refused: new Set(), announced: new Set() })

/** Documents or size from which a build takes seconds. */
const longDocuments = 100_000
const longMilliseconds = 3_000
/** Builds when no request has arrived for this long, or after the maximum number of waits. */
const quietMilliseconds = 1_000
const maxQuietWaits = 60
/** Refuses builds that would take longer. */
const maxBuildMilliseconds = 10_000
/** Build time per document, on a slow machine. */
const buildMicroseconds = { order: 9, text: 30 }
/** Build time per byte of the documents on disk, for text indexes. */
const textMicrosecondsPerByte = 1

/**
 * Waits for a quiet moment. Resolves to false, and announces it, if the build would block other requests for too long.
 */
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
  if (milliseconds > maxBuildMilliseconds) {
    const description = describeIndex(index, documents)
    if (markRefused(builds, index))
      announce(`Index not created: ${description} would block the embedded database for more than 10 s.`)
    return false
  }
  await waitForQuiet(builds, round)
  return true
}

/** Announces a build that takes seconds. */
export function announceLong(index: FieldIndex, documents: number, announce: (message: string) => void): void {
  if (documents <= longDocuments) return
  announce(`Creating ${describeIndex(index, documents)}. The embedded database is blocked for some seconds.`)
}

function describeIndex(index: FieldIndex, documents: number): string {
  const names = [...(index.equal ?? []), index.path].map((path) => path.join('.')).join(', ')
  return `an index over ${names} of ${documents.toLocaleString('en')} documents`
}

/** Records that an index is not built, because every list asks for it. */
function markRefused({ refused, announced }: LongBuilds, index: FieldIndex): boolean {
  const name = indexName(index)
  refused.add(name)
  if (announced.has(name)) return false
  if (announced.size >= maxCounted) announced.clear()
  announced.add(name)
  return true
}

async function waitForQuiet(builds: LongBuilds, { isStopped }: Round): Promise<void> {
  for (let waits = 0; waits < maxQuietWaits && !isStopped(); waits++) {
    builds.isBusy = false
    await pause(quietMilliseconds, undefined, { ref: false })
    if (!builds.isBusy && builds.atWork === 0) return
  }
}
