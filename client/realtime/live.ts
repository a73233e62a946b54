/** A list that stays current: read again when something in it changed, so that order and page are the service's own. */
import { later } from '../later.js'
import { asError, type SvcError } from '../protocol/model/errors.js'
import type { Page } from '../protocol/model/page.js'
import { isTransient, pause } from '../send.js'
import { openFeed } from './feed.js'
import type { RealtimeStatus, SubscribeOptions, Subscription } from './subscription.js'

/** `waiting` while the collection does not exist. */
export type LiveStatus = RealtimeStatus | 'waiting'

export interface LiveOptions<Item> {
  /** Called with the page each time it was read. */
  readonly onPage?: (page: Page<Item>) => void
  readonly onStatus?: (status: LiveStatus) => void
  readonly onError?: (error: SvcError) => void
}

/** Iterated, it gives the page as it is, then as it becomes; who is slow misses some on the way, never the last. */
export interface LiveList<Item> extends AsyncIterable<Page<Item>> {
  /** Nothing until it was read for the first time. */
  readonly page: Page<Item> | undefined
  readonly status: LiveStatus
  close(): void
}

type Callbacks = Pick<SubscribeOptions<never>, 'onStatus' | 'onResync' | 'onError' | 'live'> & {
  readonly onChange: () => void
}

export function openLive<Item>(
  read: () => Promise<Page<Item>>,
  subscribe: (callbacks: Callbacks) => Pick<Subscription, 'status' | 'close'>,
  options: LiveOptions<Item>,
): LiveList<Item> {
  const { reader, put, become, close, isClosed } = openFeed<Page<Item>, LiveStatus>(options, () =>
    subscription?.close(),
  )
  const list: LiveList<Item> & { page: Page<Item> | undefined } = Object.assign(reader, { page: undefined })
  let isStale = false
  let isReading = false
  /** How often another user has signed in, or something was missed. */
  let round = 0

  /** However much happens while it is read, it is read once more. */
  async function refresh() {
    isStale = true
    if (isReading) return
    isReading = true
    while (isStale && !isClosed()) {
      isStale = false
      try {
        show(round, await read())
      } catch (error) {
        const failed = asError(error)
        // What has changed meanwhile may have mended it: whose login is over reads as another from then on.
        if (!isTransient(failed) && !isStale) {
          fail(failed)
          break
        }
        isStale = true
        // What passes was tried several times already.
        await pause(1_000)
      }
    }
    isReading = false
  }

  /** @param asked the round in which it was asked for: that of another is dropped, since it may be another user's */
  function show(asked: number, next: Page<Item>) {
    if (isClosed() || asked !== round) return
    list.page = next
    put(next, 0)
    later(options.onPage, next)
  }

  /** A collection may be made after the app that shows it. */
  async function fail(error: SvcError) {
    if (isClosed() || !subscription) return
    if (!/^(INVALID_COLLECTION|NOT_FOUND)$/.test(error.code)) return close(error)
    become('waiting')
    subscription.close()
    subscription = undefined
    await pause(1_000)
    if (!isClosed()) subscription = listen()
  }

  function listen() {
    const isCurrent = () => subscription === opened
    const opened = subscribe({
      live: true,
      onChange: refresh,
      onResync() {
        round++
        refresh()
      },
      onError: (error) => isCurrent() && fail(error),
      onStatus(next) {
        // `fail` closes it to begin another.
        if (!isCurrent()) return
        if (next === 'closed') return close()
        become(next)
        if (next === 'open') void refresh()
      },
    })
    return opened
  }
  let subscription: ReturnType<typeof listen> | undefined = listen()
  // Also where changes cannot come in: what there is can be shown.
  void refresh()

  return list
}
