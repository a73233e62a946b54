/** Live lists that components share: one subscription for the same question, however many components ask it. */
import type { Client } from '../index.js'
import type { Document, Fields } from '../protocol/model/document.js'
import type { SvcError } from '../protocol/model/errors.js'
import type { LiveList, LiveStatus } from '../realtime/live.js'
import { type Overlay, openOverlay, type Settled } from './overlay.js'

type Doc = Document<object>

/** What a component shows of a list. */
export interface LiveState<Item> {
  /** Empty until they were read for the first time. */
  readonly items: readonly Item[]
  /** How many there are beyond the page; `null` until that is known. */
  readonly total: number | null
  /** Whether nothing was read yet. */
  readonly isLoading: boolean
  /** `open` while changes come in; `reconnecting` while they may be missed, until they are read again. */
  readonly status: LiveStatus
  /** Why the list has ended. */
  readonly error: SvcError | undefined
}

export interface LiveEntry {
  state(): LiveState<Doc>
  subscribe(listener: () => void): () => void
  /** Resolves once there is something to show. */
  readonly ready: Promise<void>
}

export const noState: LiveState<never> = {
  items: [],
  total: null,
  isLoading: true,
  status: 'connecting',
  error: undefined,
}

/** A list that no component shows is closed after that: a component that mounts twice in a row opens one. */
const lingerMilliseconds = 1_000
/** What a boundary waited for may take longer to mount. */
const mountMilliseconds = 10_000

interface ClientStore {
  readonly entries: Map<string, LiveEntry>
  readonly overlays: Map<string, Overlay>
}

const stores = new WeakMap<object, ClientStore>()

function storeOf(client: object): ClientStore {
  const known = stores.get(client) ?? { entries: new Map(), overlays: new Map() }
  stores.set(client, known)
  return known
}

export function overlayOf(client: object, collection: string): Overlay {
  const { overlays } = storeOf(client)
  const known = overlays.get(collection) ?? openOverlay()
  overlays.set(collection, known)
  return known
}

/** The entry of a question; nothing is sent before a component subscribes or waits for it. */
export function liveEntry(client: Client, collection: string, query: object): LiveEntry {
  const { entries } = storeOf(client)
  const key = `${collection} ${JSON.stringify(query)}`
  const known = entries.get(key)
  if (known) return known
  const made = openEntry(client, collection, query, (isOpen) => {
    if (isOpen) entries.set(key, made)
    else if (entries.get(key) === made) entries.delete(key)
  })
  entries.set(key, made)
  return made
}

function openEntry(client: Client, collection: string, query: object, remember: (isOpen: boolean) => void): LiveEntry {
  const overlay = overlayOf(client, collection)
  const isFiltered = 'where' in query && query.where !== undefined
  const listeners = new Set<() => void>()
  let read: LiveState<Doc> = noState
  let state: LiveState<Doc> = noState
  let live: LiveList<Doc> | undefined
  let leave: (() => void)[] = []
  const settled: Settled = new WeakSet()
  let timer: ReturnType<typeof setTimeout> | undefined
  let whenReady: (() => void) | undefined
  const ready = new Promise<void>((resolve) => {
    whenReady = resolve
  })

  function show(changes: Partial<LiveState<Doc>> = {}) {
    read = { ...read, ...changes }
    state = read.isLoading ? read : { ...read, items: overlay.apply(read.items, settled, isFiltered) }
    if (!read.isLoading || read.error) whenReady?.()
    for (const listener of listeners) listener()
  }

  function open() {
    clearTimeout(timer)
    if (live) return
    remember(true)
    // Who may not read a list may do so after the next login.
    if (leave.length === 0) leave = [overlay.onChange(show), client.auth.onChange(() => read.error && open())]
    if (read.error) show({ error: undefined, isLoading: true })
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
  }

  function closeSoon(milliseconds: number) {
    clearTimeout(timer)
    timer = setTimeout(() => {
      if (listeners.size > 0) return
      live?.close()
      live = undefined
      for (const end of leave) end()
      leave = []
      remember(false)
    }, milliseconds)
  }

  return {
    state: () => state,
    subscribe(listener) {
      open()
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0) closeSoon(lingerMilliseconds)
      }
    },
    get ready() {
      open()
      // Who waits may never mount.
      if (listeners.size === 0) void ready.then(() => listeners.size === 0 && closeSoon(mountMilliseconds))
      return ready
    },
  }
}

/** The page with the objects that were shown before where nothing has changed in them, so that memoised rows render none of them. */
function withKnown(items: readonly Doc[], before: readonly Doc[]): readonly Doc[] {
  const known = new Map(before.map((item) => [item.id, item]))
  return items.map((item) => {
    const same = known.get(item.id)
    return same && isEqual(same, item) ? same : item
  })
}

/** Of what JSON can say: linked documents stand in it, so versions alone do not tell. */
function isEqual(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (!one || !other || typeof one !== 'object' || typeof other !== 'object') return false
  const [names, others] = [Object.keys(one), Object.keys(other)]
  return (
    Array.isArray(one) === Array.isArray(other) &&
    names.length === others.length &&
    names.every((name) => isEqual((one as Fields)[name], (other as Fields)[name]))
  )
}
