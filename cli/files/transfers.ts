import pLimit from 'p-limit'
import { SvcError } from '../../client/protocol/model/errors.js'
import { isUnreachable, reworded } from '../base/failure.js'
import type { Progress } from '../terminal/progress.js'

/** How many files are sent or fetched at once. */
const concurrency = 4

/**
 * Sends or fetches files, a few at a time, in their order. The first that fails ends it; those under way are let finish.
 * `work` is handed what counts the bytes that went through.
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
  // What was cleared stands behind what failed.
  return ended.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason
    return outcome.value
  })
}

/** Of several files, says which one the service refused. */
export function failAt(place: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof SvcError) || isUnreachable(error)) throw error
    throw reworded(error, ({ message }) => ({ message: `${JSON.stringify(place)}: ${message}` }))
  }
}
