/** Limits how far a reader of a stream may fall behind. Contract 9.5. */
import { setTimeout as pause } from 'node:timers/promises'

const maxBehindBytes = 1024 * 1024
/** The buffered bytes at which a slow reader counts as drained. */
const drainedBytes = 256 * 1024
/** How long a reader that is too far behind may take nothing before it is closed. */
const maxStillMilliseconds = 5_000

/** The destination of a stream. */
interface Outlet {
  isOpen(): boolean
  waitingBytes(): number
  /** Ends the stream, because its client is not reading. */
  giveUp(): void
}

export interface Backpressure {
  isOpen(): boolean
  /** Whether the reader keeps up. */
  canWrite(): boolean
  /** Resolves once the reader has taken most of the buffer, or the stream has ended. */
  drained(): Promise<void>
}

export function openBackpressure({ isOpen, waitingBytes, giveUp }: Outlet): Backpressure {
  return {
    isOpen,
    canWrite: () => waitingBytes() <= maxBehindBytes,
    async drained() {
      let least = waitingBytes()
      let stillSince = performance.now()
      // Backs off, because there may be many stalled readers.
      let milliseconds = 5
      while (isOpen() && waitingBytes() > drainedBytes) {
        await pause(milliseconds)
        const isStill = waitingBytes() >= least
        milliseconds = isStill ? Math.min(milliseconds * 2, 250) : 5
        least = waitingBytes()
        if (!isStill) stillSince = performance.now()
        if (performance.now() - stillSince > maxStillMilliseconds) giveUp()
      }
    },
  }
}
