import pLimit from 'p-limit'
import { SvcError } from '../../client/protocol/model/errors.js'
import { isUnreachable, reworded } from '../base/failure.js'
import type { Progress } from '../terminal/progress.js'

/** Parallel transfers. */
const concurrency = 4

/**
 * Transfers files in order, a few at a time. On a failure, starts no more and waits for those in flight. `work`
 * receives a callback that counts transferred bytes.
 */
export async function transfer<Item, Result>(
  items: readonly Item[],
  progress: Progress,
  work: (item: Item, onBytes: (bytes: number) => void) => Promise<Result>,
): Promise<Result[]> {
  const limit = pLimit({ concurrency, rejectOnClear: true })
  let done = 0
  let bytes = 0
  const onBytes = (more: number) => {
    bytes += more
    progress.at(bytes, done)
  }
  const one = async (item: Item) => {
    try {
      const result = await work(item, onBytes)
      done++
      progress.at(bytes, done)
      return result
    } catch (error) {
      limit.clearQueue()
      throw error
    }
  }
  const ended = await Promise.allSettled(items.map((item) => limit(one, item)))
  // The first rejection is the real error: cleared items come after it.
  return ended.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason
    return outcome.value
  })
}

/** Adds the file name to the service's error. */
export function failAt(place: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof SvcError) || isUnreachable(error)) throw error
    throw reworded(error, ({ message }) => ({ message: `${JSON.stringify(place)}: ${message}` }))
  }
}
