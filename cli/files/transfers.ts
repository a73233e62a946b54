import type { Progress } from '../terminal/progress.js'

/** How many files travel at once. */
const most = 4

/**
 * Sends or fetches files, a few at a time, in their order. The first that fails ends it; those under way are let finish.
 * `work` is handed what tells of bytes gone through.
 */
export async function transfer<Item, Result>(
  items: readonly Item[],
  progress: Progress,
  work: (item: Item, onBytes: (bytes: number) => void) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  let next = 0
  let done = 0
  let bytes = 0
  const onBytes = (more: number) => {
    bytes += more
    progress.at(bytes, done)
  }
  async function lane(): Promise<void> {
    while (next < items.length) {
      const at = next++
      const item = items[at]
      if (item === undefined) return
      try {
        results[at] = await work(item, onBytes)
      } catch (error) {
        next = items.length
        throw error
      }
      done++
      progress.at(bytes, done)
    }
  }
  const lanes = await Promise.allSettled(Array.from({ length: most }, lane))
  const failed = lanes.find((one) => one.status === 'rejected')
  if (failed) throw failed.reason
  return results
}
