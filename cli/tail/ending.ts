/** When a tail ends: at a signal, or so long after it began. */
import { CliFailure, exits } from '../base/failure.js'

export interface Ending {
  readonly signal: AbortSignal
  /** Aborts {@link graceSeconds} after it: what was received by the end is delivered until then. */
  readonly deadline: AbortSignal
  /** Says that it listens from now on. */
  opened(): void
  end(): void
}

/** How long `--timeout 0`, which ends a tail as soon as it listens, waits until it does: as long as a client for an answer. */
export const mostSecondsToOpen = 30

/** For all that is left over together: it is delivered one after the other, and there may be much of it. */
export const graceSeconds = 3

/** The time counts from now on: a connection that is refused is tried again for as long as nothing ends it. */
export function endingOf(stop: AbortSignal, timeoutSeconds: number | undefined): Ending {
  const controller = new AbortController()
  const deadline = new AbortController()
  const end = () => controller.abort()
  const endAfter = (seconds: number) => setTimeout(end, seconds * 1000).unref()
  stop.addEventListener('abort', end, { once: true })
  const begin = () => setTimeout(() => deadline.abort(), graceSeconds * 1000).unref()
  controller.signal.addEventListener('abort', begin, { once: true })
  if (timeoutSeconds !== undefined) endAfter(timeoutSeconds || mostSecondsToOpen)
  return {
    signal: controller.signal,
    deadline: deadline.signal,
    opened() {
      if (timeoutSeconds === 0) endAfter(0)
    },
    end,
  }
}

/** What comes of it; undefined if the signal aborts first, whatever it still waits for. */
export async function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result | undefined> {
  const aborted = new Promise<undefined>((resolve) => {
    if (signal.aborted) resolve(undefined)
    signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })
  const done = work.catch((error) => {
    if (!signal.aborted) throw error
    return undefined
  })
  return Promise.race([done, aborted])
}

/** With --max, a script waits for so many: the time was over before they came. */
export function tooFew(shown: number, wanted: number, noun: string, seconds: number | undefined): CliFailure {
  const message = `Only ${shown} of ${wanted} ${noun} came within ${seconds} s.`
  return new CliFailure('TIME_OUT', exits.network, message)
}
