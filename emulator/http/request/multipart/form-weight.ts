import type { IncomingMessage } from 'node:http'
import { type Held, isUncounted, leastCountedBytes } from '../../guards/incoming-bytes.js'

/** What a form holds in memory: its texts, and of each file that is at work as much as its store keeps until it is sent on. */
export interface FormWeight {
  /** So much has come in. */
  came(bytes: number): void
  /** A file whose bytes are taken from what came. */
  file(): FileWeight
  /** All of it is here. */
  settle(): void
  /** What still comes is thrown away. */
  end(): void
}

export interface FileWeight {
  took(bytes: number): void
  landed(): void
}

export function openFormWeight(held: Held, bufferedBytes = 0): FormWeight {
  let all = 0
  /** Files are sent on between one chunk and the next: a form that began to count does not become the newest each time. */
  let least = 0
  let isOver = false
  const add = (bytes: number) => {
    all += bytes
    if (!isUncounted(all)) least = leastCountedBytes
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

/** What comes after a fault of the form is thrown away, and weighs nothing. */
export function weighWhileParsed(req: IncomingMessage, parser: NodeJS.WritableStream, weight: FormWeight): void {
  const came = ({ length }: Buffer) => weight.came(length)
  req.on('data', came)
  req.once('end', weight.settle)
  parser.once('unpipe', () => req.off('data', came))
}
