/** How far a reader of a stream may fall behind. Contract 9.5. */
import { setTimeout as pause } from 'node:timers/promises'

const mostBehindBytes = 1024 * 1024
/** What may wait for a reader that catches up. */
const drainedBytes = 256 * 1024
/** A reader that is too far behind and takes nothing for so long does not read. */
const mostStillMilliseconds = 5_000

/** What a stream writes to. */
interface Outlet {
  isOpen(): boolean
  waitingBytes(): number
  /** Ends the stream: its reader does not read. */
  giveUp(): void
}

export interface Backpressure {
  isOpen(): boolean
  /** Whether the reader takes what it is sent about as fast as it comes. */
  canWrite(): boolean
  /** Resolves once it has taken most of what waits for it, or the stream is over. */
  drained(): Promise<void>
}

export function backpressureOf({ isOpen, waitingBytes, giveUp }: Outlet): Backpressure {
  return {
    isOpen,
    canWrite: () => waitingBytes() <= mostBehindBytes,
    async drained() {
      let least = waitingBytes()
      let stillSince = performance.now()
      // Many may be waited for, and those that do not read are looked at less and less often.
      let milliseconds = 5
      while (isOpen() && waitingBytes() > drainedBytes) {
        await pause(milliseconds)
        const isStill = waitingBytes() >= least
        milliseconds = isStill ? Math.min(milliseconds * 2, 250) : 5
        least = waitingBytes()
        if (!isStill) stillSince = performance.now()
        if (performance.now() - stillSince > mostStillMilliseconds) giveUp()
      }
    },
  }
}
