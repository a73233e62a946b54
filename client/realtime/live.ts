/** A list that stays current: read again when something in it changed, so that order and page are the service's own. */
import type { SvcError } from '../model/errors.js'
import type { Page } from '../model/page.js'
import { asFailure, isPassing, pause } from '../send.js'
import { openFeed } from './feed.js'
import type { RealtimeStatus, SubscribeOptions, Subscription } from './subscription.js'

export interface LiveOptions<Item> {
  /** Called with the page each time it was read. */
  readonly onPage?: (page: Page<Item>) => void
  readonly onStatus?: (status: RealtimeStatus) => void
  readonly onError?: (error: SvcError) => void
}

/** Iterated, it gives the page as it is, then as it becomes; who is slow misses some on the way, never the last. */
export interface LiveList<Item> extends AsyncIterable<Page<Item>> {
  /** Nothing until it was read for the first time. */
  readonly page: Page<Item> | undefined
  readonly status: RealtimeStatus
  close(): void
}

type Told = Pick<SubscribeOptions<never>, 'onStatus' | 'onResync' | 'onError' | 'live'> & {
  readonly onChange: () => void
}

export function openLive<Item>(
  read: () => Promise<Page<Item>>,
  subscribe: (told: Told) => Pick<Subscription, 'status' | 'close'>,
  { onPage, onStatus, onError }: LiveOptions<Item>,
): LiveList<Item> {
  const feed = openFeed<Page<Item>>(() => subscription.close())
  let page: Page<Item> | undefined
  let failure: SvcError | undefined
  let isStale = false
  let isReading = false

  /** However much happens while it is read, it is read once more. */
  async function refresh() {
    isStale = true
    if (isReading) return
    isReading = true
    while (isStale && subscription.status !== 'closed') {
      isStale = false
      try {
        show(await read())
      } catch (error) {
        const failed = asFailure(error)
        if (!isPassing(failed)) return end(failed)
        isStale = true
        // What passes was tried several times already.
        await pause(1_000)
      }
    }
    isReading = false
  }

  function show(next: Page<Item>) {
    if (subscription.status === 'closed') return
    page = next
    feed.put(next, true)
    if (onPage) queueMicrotask(() => onPage(next))
  }

  function end(error: SvcError) {
    failure = error
    subscription.close()
    onError?.(error)
  }

  const subscription = subscribe({
    live: true,
    onChange: refresh,
    onResync: refresh,
    onError: end,
    onStatus(status) {
      if (status === 'open') void refresh()
      if (status === 'closed') feed.end(failure)
      onStatus?.(status)
    },
  })

  return {
    get page() {
      return page
    },
    get status() {
      return subscription.status
    },
    close: subscription.close,
    [Symbol.asyncIterator]: feed[Symbol.asyncIterator],
  }
}
