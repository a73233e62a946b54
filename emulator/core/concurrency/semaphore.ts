/** A concurrency limit. Work over the limit waits in the order it arrived. */
export interface Semaphore {
  /** Runs the work. With `isFirst` it goes before everything that waits, because it releases resources of earlier work. */
  run<Result>(work: () => Result | Promise<Result>, order?: { readonly isFirst: boolean }): Promise<Result>
}

export function createSemaphore(limit: number): Semaphore {
  const waiting: (() => void)[] = []
  let running = 0
  return {
    async run(work, { isFirst } = { isFirst: false }) {
      if (running === limit) {
        await new Promise<void>((resolve) => {
          if (isFirst) waiting.unshift(resolve)
          else waiting.push(resolve)
        })
      } else running++
      try {
        return await work()
      } finally {
        // Passes the permit to the next in line, if there is one.
        const next = waiting.shift()
        if (next) next()
        else running--
      }
    },
  }
}
