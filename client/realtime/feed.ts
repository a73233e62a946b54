import { later } from '../later.js'
import type { SvcError } from '../protocol/model/errors.js'

/** Queue of pushed items for one reader, with a status that starts as `connecting` and ends as `closed`. */
export interface Feed<Item, Status> {
  readonly reader: AsyncIterable<Item> & { readonly status: Status; close(): void }
  /** Adds an item to the queue, or replaces a queued one. */
  put(item: Item, at?: number): void
  become(status: Status): void
  /** Ends the feed. Queued items are still delivered. */
  close(error?: SvcError): void
  isClosed(): boolean
}

interface FeedCallbacks<Status> {
  readonly onStatus?: ((status: Status) => void) | undefined
  readonly onError?: ((error: SvcError) => void) | undefined
}

/** @param onClosed called once, even if the reader leaves the loop */
export function openFeed<Item, Status extends string>(
  { onStatus, onError }: FeedCallbacks<Status | 'connecting' | 'closed'>,
  onClosed: (error?: SvcError) => void,
): Feed<Item, Status | 'connecting' | 'closed'> {
  const waiting: Item[] = []
  let status: Status | 'connecting' | 'closed' = 'connecting'
  let failure: SvcError | undefined
  let wake = () => {}

  const isClosed = () => status === 'closed'

  function become(next: Status | 'closed' | 'connecting') {
    if (status === next || isClosed()) return
    status = next
    later(onStatus, next)
  }

  function close(error?: SvcError) {
    if (isClosed()) return
    if (error) later(onError, error)
    become('closed')
    failure = error
    onClosed(error)
    wake()
  }

  return {
    become,
    close,
    isClosed,
    put(item, at = waiting.length) {
      waiting[at] = item
      wake()
    },
    reader: {
      get status() {
        return status
      },
      close: () => close(),
      async *[Symbol.asyncIterator]() {
        try {
          for (;;) {
            while (waiting[0]) yield waiting.shift() as Item
            if (failure) throw failure
            if (isClosed()) return
            await new Promise<void>((resolve) => {
              wake = resolve
            })
          }
        } finally {
          close()
        }
      },
    },
  }
}
