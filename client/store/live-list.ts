/** A live list that all its readers share. */
import type { ListOptions } from '../collections/collection.js'
import type { Client, UntypedSchema } from '../index.js'
import type { Document, Fields } from '../protocol/model/document.js'
import type { SvcError } from '../protocol/model/errors.js'
import type { LiveList, LiveStatus } from '../realtime/live.js'
import { asText } from './as-text.js'
import type { Outbox } from './outbox.js'
import { applyMutations, type Read } from './overlay.js'

type Doc = Document<object>

/** State of a live list. */
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

export type ListQuery = ListOptions<Fields, string, UntypedSchema>

export interface LiveEntry {
  readonly collection: string
  get(): LiveState<Doc>
  subscribe(listener: () => void): () => void
  /** Resolves once there is a state to show, or the list was closed. */
  ready(): Promise<void>
  /** Shows pending writes again, after they have changed. */
  refresh(): void
  /** Reads again after a login or logout, if it has to. */
  restart(): void
}

/** State before the first read. */
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

const nothingRead: Read = { items: [], turn: 0 }

/**
 * @param outbox of the signed-in user
 * @param onOpen called when the list opens. Returns a function to call when it closes
 */
export function openEntry(
  client: Client,
  collection: string,
  query: ListQuery,
  outbox: () => Outbox,
  onOpen: () => () => void,
): LiveEntry {
  const isFiltered = query.where !== undefined
  const listeners = new Set<() => void>()
  /** The outbox of the user for whom the list was read. */
  let owner = outbox()
  let read = nothingRead
  let state: LiveState<Doc> = noState
  let live: LiveList<Doc> | undefined
  let onClosed: (() => void) | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let ready: Promise<void> | undefined
  let whenReady: (() => void) | undefined

  function show(changes: Partial<LiveState<Doc>> = {}) {
    state = { ...state, ...changes }
    if (!state.isLoading) wake()
    for (const listener of listeners) listener()
  }

  function refresh() {
    if (state.isLoading) return
    const mutations = outbox()
      .mutations()
      .filter((mutation) => mutation.collection === collection)
    show({ items: applyMutations(read, mutations, isFiltered) })
  }

  /** Wakes suspended components. They may suspend again. */
  function wake() {
    whenReady?.()
    ready = undefined
  }

  /** Forgets what was read for another user. */
  function reset() {
    live?.close()
    live = undefined
    owner = outbox()
    read = nothingRead
    state = noState
  }

  function open() {
    if (live) return
    if (owner !== outbox()) reset()
    onClosed ??= onOpen()
    if (state.error) show({ error: undefined, isLoading: true })
    if (state.status === 'closed') show({ status: 'connecting' })
    let turn = 0
    try {
      const opened: LiveList<Doc> = client.collection(collection).live({
        ...query,
        onRead() {
          turn = outbox().turn()
        },
        onPage({ items, total }) {
          if (live !== opened) return
          read = { items: withKnown(items, state.items), turn }
          state = { ...state, total, isLoading: false }
          refresh()
        },
        onStatus: (status) => live === opened && show({ status }),
        onError(error) {
          if (live !== opened) return
          live = undefined
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
    live?.close()
    live = undefined
    state = { ...state, status: 'closed' }
    onClosed?.()
    onClosed = undefined
  }

  return {
    collection,
    get: () => (owner === outbox() ? state : noState),
    refresh,
    restart() {
      const isOther = owner !== outbox()
      if (isOther) reset()
      if (isOther || state.error) open()
      if (isOther) show()
    },
    subscribe(listener) {
      clearTimeout(timer)
      // Wrapped, because the same function may subscribe twice.
      const call = () => listener()
      listeners.add(call)
      open()
      return () => {
        listeners.delete(call)
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
 * Reuses the shown objects of unchanged items, so that memoized rows do not render again. Compares whole items, because
 * populated documents change without a new version.
 */
function withKnown(items: readonly Doc[], before: readonly Doc[]): readonly Doc[] {
  const known = new Map(before.map((item) => [item.id, item]))
  return items.map((item) => {
    const same = known.get(item.id)
    return same && asText(same) === asText(item) ? same : item
  })
}
