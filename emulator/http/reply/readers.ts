/**
 * Closes connections that read their answers too slowly, so that buffered answers are bounded in time. The memory budget bounds
 * their bytes. Contract 10.10.
 */
import type { WorkRoom } from '../../core/concurrency/memory-budget.js'
import { type Cuttable, cutOff } from './ends.js'

export interface ReaderLimits {
  /** The expected rate. Slower readers fall behind. */
  readonly minBytesPerSecond: number
  /**
   * How far behind a reader may fall. One that takes nothing is closed after this time. Generous, because Linux was seen to take
   * 1.5 MB at once between a proxy and a service, then nothing until a third of its buffers was read. With a reader of 10 KB/s,
   * that took 160 seconds.
   */
  readonly maxSecondsBehind: number
  /** The most file downloads before the slowest of their readers are closed: as many as the store can read at once. */
  readonly maxFiles: number
  /** The age below which an answer is never closed for being slow. */
  readonly graceSeconds: number
}

const ownLimits: ReaderLimits = {
  minBytesPerSecond: 1_024,
  maxSecondsBehind: 300,
  maxFiles: Number.POSITIVE_INFINITY,
  graceSeconds: 5,
}

/** The part of an answer that is observed. */
interface Answer extends Cuttable {
  readonly destroyed: boolean
  readonly writableLength: number
  readonly socket: { readonly bytesWritten: number; readonly writableLength: number } | null
  on(event: 'close', listener: () => void): unknown
}

export interface Readers {
  /**
   * Watches an answer until it ends.
   *
   * @param bytes the memory it holds until then
   */
  watch(res: Answer, room: Pick<WorkRoom, 'send'>, bytes: number, kind?: 'file'): void
}

interface Reader {
  readonly res: Answer
  readonly isFile: boolean
  /** Bytes its connection had taken when the answer began, and at the last check. */
  readonly takenBefore: number
  taken: number
  seconds: number
  bytesBehind: number
}

const lookMilliseconds = 1_000

/** @param looked called after each look at the readers, about every second while there are any */
export function openReaders(limits: Partial<ReaderLimits> = {}, looked: () => void = () => undefined): Readers {
  const { minBytesPerSecond, maxSecondsBehind, maxFiles, graceSeconds } = { ...ownLimits, ...limits }
  const maxBytesBehind = minBytesPerSecond * maxSecondsBehind
  const everyMilliseconds = Math.min(lookMilliseconds, (maxSecondsBehind * 1_000) / 4)
  const all = new Set<Reader>()
  let files = 0
  let looking: NodeJS.Timeout | undefined
  let lookedAt = 0

  function remove(reader: Reader): void {
    if (!all.delete(reader)) return
    if (reader.isFile) files--
    if (all.size === 0) clearInterval(looking)
  }

  function close(reader: Reader): void {
    remove(reader)
    cutOff(reader.res)
  }

  function look(): void {
    const now = performance.now()
    // Ignores time in which this process was blocked, because nothing was sent then.
    const seconds = Math.min(now - lookedAt, 2 * everyMilliseconds) / 1_000
    lookedAt = now
    for (const reader of all) {
      const { res, taken } = reader
      reader.seconds += seconds
      reader.taken = countTaken(res)
      const owed = reader.bytesBehind + seconds * minBytesPerSecond - (reader.taken - taken)
      // An answer without a socket waits for the one before it.
      reader.bytesBehind = res.writableLength > 0 && res.socket ? Math.max(0, owed) : 0
      if (reader.bytesBehind > maxBytesBehind) close(reader)
    }
    makeRoomForFiles()
    looked()
  }

  function makeRoomForFiles(): void {
    while (files > maxFiles && closeSlowestFile()) {}
  }

  /** Returns whether there was one. */
  function closeSlowestFile(): boolean {
    const slowest = findSlowest([...all].filter(({ isFile, seconds }) => isFile && seconds > graceSeconds))
    if (slowest) close(slowest)
    return slowest !== undefined
  }

  return {
    watch(res, room, bytes, kind) {
      if (res.destroyed) return
      const taken = countTaken(res)
      const isFile = kind === 'file'
      const reader: Reader = { res, isFile, takenBefore: taken, taken, seconds: 0, bytesBehind: 0 }
      if (all.size === 0) {
        lookedAt = performance.now()
        looking = setInterval(look, everyMilliseconds)
        looking.unref()
      }
      all.add(reader)
      if (isFile) files++
      const release = room.send(bytes, {
        mayClose: () => reader.seconds > graceSeconds,
        close: () => close(reader),
      })
      res.on('close', () => {
        remove(reader)
        release()
      })
      makeRoomForFiles()
    },
  }
}

function findSlowest(readers: readonly Reader[]): Reader | undefined {
  const measureRate = ({ taken, takenBefore, seconds }: Reader) => (taken - takenBefore) / seconds
  return readers.reduce<Reader | undefined>(
    (slowest, reader) => (slowest && measureRate(slowest) <= measureRate(reader) ? slowest : reader),
    undefined,
  )
}

/** Counts the bytes that the client, or the system's socket buffer, has taken so far. */
function countTaken({ socket }: Answer): number {
  return socket ? socket.bytesWritten - socket.writableLength : 0
}
