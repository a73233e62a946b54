import type { SvcError } from '../protocol/model/errors.js'

/** What comes by itself, for one reader to iterate. */
export interface Feed<Item> extends AsyncIterable<Item> {
  /** Puts one in, behind those that wait or in their place. */
  put(item: Item, isInstead?: boolean): void
  /** Nothing more will come; what waits is still handed over. */
  end(error?: SvcError): void
}

/** @param onLeave called when the reader leaves the loop */
export function openFeed<Item>(onLeave: () => void): Feed<Item> {
  const waiting: Item[] = []
  let isOver = false
  let failure: SvcError | undefined
  let wake = () => {}
  return {
    put(item, isInstead = false) {
      if (isInstead) waiting.length = 0
      waiting.push(item)
      wake()
    },
    end(error) {
      isOver = true
      failure = error
      wake()
    },
    async *[Symbol.asyncIterator]() {
      try {
        for (;;) {
          while (waiting.length > 0) yield waiting.shift() as Item
          if (failure) throw failure
          if (isOver) return
          await new Promise<void>((resolve) => {
            wake = resolve
          })
        }
      } finally {
        onLeave()
      }
    },
  }
}
