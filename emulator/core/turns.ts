/** Work of which only so much is done at once; the rest waits, in the order it came. */
export interface Turns {
  /** What is first goes before all that waits: it lets go of what an earlier turn has brought. */
  take<Result>(work: () => Result | Promise<Result>, order?: { readonly isFirst: boolean }): Promise<Result>
}

export function openTurns(most: number): Turns {
  const waiting: (() => void)[] = []
  let taken = 0
  return {
    async take(work, { isFirst } = { isFirst: false }) {
      if (taken === most) {
        await new Promise<void>((resolve) => {
          if (isFirst) waiting.unshift(resolve)
          else waiting.push(resolve)
        })
      } else taken++
      try {
        return await work()
      } finally {
        // The turn goes to the next one, if there is one.
        const next = waiting.shift()
        if (next) next()
        else taken--
      }
    },
  }
}
