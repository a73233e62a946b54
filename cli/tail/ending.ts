/** Ends a tail at a signal or after a timeout. */
import { CliFailure, exits } from '../base/failure.js'

export interface Ending {
  readonly signal: AbortSignal
  /** Aborts {@link graceSeconds} after `signal`, to leave time for delivery. */
  readonly deadline: AbortSignal
  /** Must be called once the tail listens. */
  opened(): void
  end(): void
}

/** Limits how long `--timeout 0` waits until it listens. Equals the request timeout of the client. */
export const maxSecondsToOpen = 30

/** Limits the delivery of all remaining events together. */
export const graceSeconds = 3

/** Starts the timeout now, because a refused connection is retried until something ends it. */
export function openEnding(stop: AbortSignal, timeoutSeconds: number | undefined): Ending {
  const controller = new AbortController()
  const deadline = new AbortController()
  const end = () => controller.abort()
  const endAfter = (seconds: number) => setTimeout(end, seconds * 1000).unref()
  stop.addEventListener('abort', end, { once: true })
  const begin = () => setTimeout(() => deadline.abort(), graceSeconds * 1000).unref()
  controller.signal.addEventListener('abort', begin, { once: true })
  if (timeoutSeconds !== undefined) endAfter(timeoutSeconds || maxSecondsToOpen)
  return {
    signal: controller.signal,
    deadline: deadline.signal,
    opened() {
      if (timeoutSeconds === 0) endAfter(0)
    },
    end,
  }
}

/** Returns the result of `work`, or undefined if the signal aborts first. */
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

/** Fails a script that waits for --max events and timed out. */
export function tooFew(shown: number, wanted: number, noun: string, seconds: number | undefined): CliFailure {
  const message = `Only ${shown} of ${wanted} ${noun} came within ${seconds} s.`
  return new CliFailure('TIME_OUT', exits.network, message)
}
