/** Work of which only so much is done at once; the rest waits, in the order it came. */
export interface Turns {
  take<Result>(work: () => Result | Promise<Result>): Promise<Result>
}

export function openTurns(most: number): Turns {
  const waiting: (() => void)[] = []
  let taken = 0
  return {
    async take(work) {
      if (taken === most) await new Promise<void>((resolve) => waiting.push(resolve))
      else taken++
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
