/** Shares live lists between components: one subscription per query. */
import type { Selection } from '../collections/collection.js'
import type { Client, UntypedSchema } from '../index.js'
import type { Document, Fields } from '../protocol/model/document.js'
import type { SvcError } from '../protocol/model/errors.js'
import type { LiveList, LiveStatus } from '../realtime/live.js'
import { asText } from './as-text.js'
import type { Overlay, Settled } from './overlay.js'

type Doc = Document<object>

/** State of a list in a component. */
export interface LiveState<Item> {
  /** Empty until the first read. */
  readonly items: readonly Item[]
  /** Number of documents on all pages; `null` until it is known. */
  readonly total: number | null
  /** True until the first read. */
  readonly isLoading: boolean
  /** `open` while changes are received; `reconnecting` while the service is unreachable. Missed changes are read afterwards. */
  readonly status: LiveStatus
  /** Error that ended the list. */
  readonly error: SvcError | undefined
}

export type LiveQueryInput = Pick<Selection<Fields, never, UntypedSchema>, 'where'>

export interface LiveEntry {
  state(): LiveState<Doc>
  subscribe(listener: () => void): () => void
  /** Resolves once there is a state to show, or the entry has been replaced. */
  ready(): Promise<void>
  /** Closes the list. Subscribing or waiting opens it again. */
  end(): void
}

export const noState: LiveState<never> = {
  items: [],
  total: null,
  isLoading: true,
  status: 'connecting',
  error: undefined,
}

/** Delay before an unused list closes, so that a component that remounts reuses it. */
const lingerMilliseconds = 1_000
/** Longer delay for suspended components, which may take longer to mount. Also the interval to wake those that wait. */
const mountMilliseconds = 10_000

/** @param onEnd called when the list is closed */
export function openEntry(
  client: Client,
  collection: string,
  query: LiveQueryInput,
  overlay: Overlay,
  onEnd: () => void,
): LiveEntry {
  const isFiltered = query.where !== undefined
  const listeners = new Set<() => void>()
  let read: LiveState<Doc> = noState
  let state: LiveState<Doc> = noState
  let live: LiveList<Doc> | undefined
  let leave: (() => void)[] = []
  const settled: Settled = new WeakSet()
  let timer: ReturnType<typeof setTimeout> | undefined
  let ready: Promise<void> | undefined
  let whenReady: (() => void) | undefined

  function show(changes: Partial<LiveState<Doc>> = {}) {
    read = { ...read, ...changes }
    state = read.isLoading ? read : { ...read, items: overlay.apply(read.items, settled, isFiltered) }
    if (!read.isLoading) wake()
    for (const listener of listeners) listener()
  }

  /** Wakes suspended components. They may suspend again. */
  function wake() {
    whenReady?.()
    ready = undefined
  }

  function open() {
    if (live) return
    // Opens a refused list again after the login changes.
    if (leave.length === 0) leave = [overlay.onChange(show), client.auth.onChange(() => read.error && open())]
    if (read.error) show({ error: undefined, isLoading: true })
    if (read.status === 'closed') show({ status: 'connecting' })
    try {
      const opened = client.collection(collection).live({
        ...query,
        onPage({ items, total }) {
          overlay.settle(items, settled)
          show({ items: withKnown(items, read.items), total, isLoading: false })
        },
        onStatus: (status) => show({ status }),
        onError(error) {
          if (live === opened) live = undefined
          show({ error, isLoading: false })
        },
      })
      live = opened
    } catch (error) {
      // The query holds a value that cannot be sent.
      show({ error: error as SvcError, isLoading: false })
    }
  }

  function closeSoon(milliseconds: number) {
    clearTimeout(timer)
    timer = setTimeout(() => listeners.size || (ready ? wake() : end()), milliseconds)
  }

  function end() {
    clearTimeout(timer)
    live?.close()
    live = undefined
    for (const one of leave) one()
    leave = []
    onEnd()
    wake()
  }

  return {
    state: () => state,
    end,
    subscribe(listener) {
      clearTimeout(timer)
      listeners.add(listener)
      open()
      return () => {
        listeners.delete(listener)
        closeSoon(lingerMilliseconds)
      }
    },
    ready() {
      ready ??= new Promise((resolve) => {
        whenReady = resolve
      })
      const waited = ready
      const leaveSoon = () => closeSoon(mountMilliseconds)
      // Suspended components may never mount, so the list closes after a while.
      leaveSoon()
      void waited.then(leaveSoon)
      open()
      return waited
    },
  }
}

/**
 * Reuses the previous objects of unchanged items, so that memoized rows do not render again. Compares whole items, because
 * populated documents change without a new version.
 */
function withKnown(items: readonly Doc[], before: readonly Doc[]): readonly Doc[] {
  const known = new Map(before.map((item) => [item.id, item]))
  return items.map((item) => {
    const same = known.get(item.id)
    return same && asText(same) === asText(item) ? same : item
  })
}
