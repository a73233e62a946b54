/**
 * Keeps a list up to date. Reads it again after each change, so that the service decides order and page. Rests between two reads,
 * so that steady changes leave the service and the connection to the writes.
 */
import { later } from '../later.js'
import { asError, type SvcError } from '../protocol/model/errors.js'
import type { Page } from '../protocol/model/page.js'
import { isTransient, pause } from '../send.js'
import { openFeed } from './feed.js'
import type { RealtimeStatus, SubscribeOptions, Subscription } from './subscription.js'

/** `waiting` means that the collection does not exist yet. */
export type LiveStatus = RealtimeStatus | 'waiting'

export interface LiveOptions<Item> {
  /** Called when a read begins. The page includes every write that was answered before. */
  readonly onRead?: () => number
  /** Called with each page that was read, and with what `onRead` returned for it. */
  readonly onPage?: (page: Page<Item>, begun: number | undefined) => void
  readonly onStatus?: (status: LiveStatus) => void
  readonly onError?: (error: SvcError) => void
}

/** Iterates over the versions of a page. Slow readers skip versions, but always get the latest. */
export interface LiveList<Item> extends AsyncIterable<Page<Item>> {
  /** Undefined until the first read. */
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
  /** Counts resyncs: another user signed in, or changes were missed. */
  let round = 0

  /** Reads the list. Coalesces all changes during a read into one more read. */
  async function refresh() {
    isStale = true
    if (isReading) return
    isReading = true
    while (isStale && !isClosed()) {
      isStale = false
      const begun = options.onRead?.()
      try {
        show(round, await read(), begun)
      } catch (error) {
        const failed = asError(error)
        // Reads again if something changed in the meantime, such as the login.
        if (!isTransient(failed) && !isStale) {
          fail(failed)
          break
        }
        isStale = true
        // The sender has already retried.
        await pause(1_000)
      }
      await pause(50)
    }
    isReading = false
  }

  /** Drops pages of an earlier round, because they may belong to another user. */
  function show(readIn: number, next: Page<Item>, begun: number | undefined) {
    if (isClosed() || readIn !== round) return
    list.page = next
    put(next, 0)
    later(options.onPage, next, begun)
  }

  /** Keeps trying if the collection does not exist, because it may be created later. */
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
        // Ignores the subscription that `fail` has closed.
        if (!isCurrent()) return
        if (next === 'closed') return close()
        become(next)
        if (next === 'open') void refresh()
      },
    })
    return opened
  }
  let subscription: ReturnType<typeof listen> | undefined = listen()
  // Reads at once, so that the list is shown even without a realtime connection.
  void refresh()

  return list
}
