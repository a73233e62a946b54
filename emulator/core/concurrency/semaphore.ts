/** A concurrency limit: at most so much work runs at once, the rest waits in the order it came. */
export interface Semaphore {
  /** With `isFirst` it runs before all that waits: it releases what earlier work has brought. */
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
        // The permit goes to whatever waits first, if anything does.
        const next = waiting.shift()
        if (next) next()
        else running--
      }
    },
  }
}
