import type { IncomingMessage } from 'node:http'
import { type Held, isUncounted, minCountedBytes } from '../../../core/concurrency/memory-budget.js'

/** The memory that a form holds: its texts, and for the file in progress what its store buffers. */
export interface FormWeight {
  /** Counts arrived bytes. */
  came(bytes: number): void
  /** Counts a file, whose bytes are part of those that arrived. */
  file(): FileWeight
  /** Marks the form as complete. */
  settle(): void
  /** Marks everything that still arrives as discarded. */
  end(): void
}

export interface FileWeight {
  took(bytes: number): void
  landed(): void
}

export function openFormWeight(held: Held, bufferedBytes = 0): FormWeight {
  let all = 0
  /** Keeps counting a small minimum between files, so that the form doesn't become the newest holding each time. */
  let least = 0
  let isOver = false
  const add = (bytes: number) => {
    all += bytes
    if (!isUncounted(all)) least = minCountedBytes
    if (!isOver) held.hold(Math.max(all, least))
  }
  return {
    came: add,
    file() {
      let taken = 0
      let kept = 0
      const keep = (bytes: number) => {
        const more = bytes - kept
        kept = bytes
        return more
      }
      return {
        took(bytes) {
          taken += bytes
          add(keep(Math.min(taken, bufferedBytes)) - bytes)
        },
        landed: () => add(keep(0)),
      }
    },
    settle: held.settle,
    end() {
      isOver = true
      held.end()
    },
  }
}

/** Counts bytes as they arrive. After an error in the form they are discarded, so they no longer count. */
export function weighWhileParsed(req: IncomingMessage, parser: NodeJS.WritableStream, weight: FormWeight): void {
  const came = ({ length }: Buffer) => weight.came(length)
  req.on('data', came)
  req.once('end', weight.settle)
  parser.once('unpipe', () => req.off('data', came))
}
