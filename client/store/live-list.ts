/** A live list that all its readers share. */
import type { CollectionClient } from '../collections/collection.js'
import { type Extensible, internals } from '../collections/internals.js'
import { compileSelector } from '../collections/select.js'
import type { Client, UntypedSchema } from '../index.js'
import type { Document, Fields } from '../protocol/model/document.js'
import type { SvcError } from '../protocol/model/errors.js'
import type { Page } from '../protocol/model/page.js'
import type { Path } from '../protocol/model/path.js'
import { ownField, ownName } from '../protocol/model/where.js'
import type { LiveList, LiveStatus } from '../realtime/live.js'
import type { Subscription } from '../realtime/subscription.js'
import { asText } from './as-text.js'
import type { InitialList, ListQuery } from './initial-data.js'
import { openListeners } from './listeners.js'
import type { Outbox } from './outbox.js'
import { type ListShape, nothingRead, type Overlay, openOverlay } from './overlay.js'
import type { PersistedOutbox } from './persistence.js'

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

type Asked = Extensible<UntypedSchema, Fields>

export interface LiveEntry {
  readonly collection: string
  get(): LiveState<Doc>
  subscribe(listener: () => void): () => void
  /** Resolves once there is a state to show, or the list was closed. */
  ready(): Promise<void>
  /** Shows pending writes again, after they have changed. */
  refresh(): void
  /** Returns a whole document that was read. */
  find(id: string): Doc | undefined
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

/**
 * @param outbox of the signed-in user
 * @param find returns a whole document of the collection that another list has read
 * @param onOpen called when the list opens. Returns a function to call when it closes
 * @param fromServer what a server has read
 * @param state what to show until the first read
 */
export function openEntry(
  client: Client,
  collection: string,
  query: ListQuery,
  outbox: () => Outbox & Partial<PersistedOutbox>,
  find: (id: string) => Doc | undefined,
  onOpen: () => () => void,
  fromServer?: InitialList,
  state: LiveState<Doc> = noState,
): LiveEntry {
  const key = asText([collection, query])
  const listeners = openListeners()
  /** The outbox of the user for whom the list was read. */
  let owner = outbox()
  let read = nothingRead
  /** Exists once something was read. */
  let overlay: Overlay | undefined
  let live: Pick<LiveList<Doc>, 'close'> | undefined
  let onClosed: (() => void) | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let ready: Promise<void> | undefined
  let whenReady: (() => void) | undefined

  function show(changes: Partial<LiveState<Doc>> = {}) {
    state = { ...state, ...changes }
    if (!state.isLoading) wake()
    listeners.call()
  }

  function pending() {
    return outbox()
      .mutations()
      .filter((mutation) => mutation.collection === collection)
  }

  function refresh() {
    if (state.isLoading || !overlay) return
    const { items, total } = overlay.apply(read, pending(), find)
    const isSame = items.length === state.items.length && items.every((item, at) => item === state.items[at])
    if (isSame && total === state.total) return
    show({ items: isSame ? state.items : items, total })
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
    fromServer = undefined
  }

  async function receive(from: typeof live, asked: Asked, { items, total, limit }: Page<Doc>, readIn: number) {
    overlay ??= openOverlay(await openShape(asked, query))
    if (live !== from) return
    const next = { items: withKnown(items, [...read.items, ...state.items]), total, limit, turn: readIn }
    overlay.receive(read, next, pending())
    read = next
    if (!state.isLoading) return refresh()
    state = { ...state, isLoading: false }
    show(overlay.apply(read, pending(), find))
  }

  /** Shows the last known page until the list is read. */
  async function showKept(from: LiveList<Doc>, asked: Asked) {
    const page = await outbox().readPage?.(key)
    if (page && live === from && state.isLoading) void receive(from, asked, page as Page<Doc>, 0)
  }

  function open() {
    if (live) return
    if (owner !== outbox()) reset()
    onClosed ??= onOpen()
    if (state.error) show({ error: undefined, isLoading: true })
    if (state.status === 'closed') show({ status: 'connecting' })
    try {
      const asked = client.collection(collection)
      if (fromServer?.seq !== undefined) return follow(asked, fromServer)
      const opened: LiveList<Doc> = asked.live({
        ...query,
        onRead: () => outbox().turn(),
        onPage(page, turn = 0) {
          void receive(opened, asked, page, turn)
          outbox().writePage?.(key, page)
        },
        onStatus: (status) => live === opened && show({ status }),
        onError(error) {
          if (live !== opened) return
          live = undefined
          show({ error, isLoading: false })
        },
      })
      live = opened
      showKept(opened, asked)
    } catch (error) {
      // The query holds a value that cannot be sent.
      show({ error: error as SvcError, isLoading: false })
    }
  }

  /** Shows what a server has read, and reads the list at the first change after it. */
  function follow(asked: CollectionClient<UntypedSchema, Fields>, page: InitialList) {
    fromServer = undefined
    const readNow = () => {
      if (live !== opened) return
      live = undefined
      open()
      // Not before, so that the connection stays open.
      opened.close()
    }
    const opened: Subscription = asked.subscribe({
      since: page.seq,
      onChange: readNow,
      onResync: readNow,
      onError: readNow,
      onStatus: (status) => live === opened && show({ status }),
    })
    live = opened
    void receive(opened, asked, { limit: query.limit, offset: 0, ...page }, 0)
  }

  function closeSoon(milliseconds: number) {
    clearTimeout(timer)
    timer = setTimeout(() => listeners.count() || (ready ? wake() : end()), milliseconds)
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
    find: (id) => overlay?.find(read, id),
    restart() {
      const isOther = owner !== outbox()
      if (isOther) reset()
      if (isOther || state.error) open()
      if (isOther) show()
    },
    subscribe(listener) {
      clearTimeout(timer)
      const leave = listeners.add(listener)
      open()
      return () => {
        leave()
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

/** Describes a list. Only the service can tell what matches if documents do not come with all that the query tests. */
async function openShape(asked: Asked, query: ListQuery): Promise<ListShape> {
  const { session, toQuery } = asked[internals]
  const { where, sort, populate, select } = toQuery(query)
  const populated = populate.map(([name]) => name)
  const selected = query.select && select.map(([name]) => name)
  const isSeen = (path: Path) => {
    if (ownField(ownName(path))) return true
    return selected ? selected.includes(path[0]) : path.length === 1 || !populated.includes(path[0])
  }
  const isSure =
    sort.every(({ path }) => isSeen(path)) && where.all.every(({ any }) => any.every(({ path }) => isSeen(path)))
  const selector = isSure ? compileSelector({ where, sort }, await session.dialect()) : undefined
  return { offset: query.offset, populated, selected, selector }
}

/**
 * Reuses the objects of unchanged items, so that memoized rows do not render again. Compares whole items, because
 * populated documents change without a new version.
 */
function withKnown(items: readonly Doc[], before: readonly Doc[]): readonly Doc[] {
  const known = new Map<string, Doc[]>()
  for (const item of before) known.set(item.id, [...(known.get(item.id) ?? []), item])
  return items.map((item) => {
    const text = asText(item)
    return known.get(item.id)?.find((same) => same === item || asText(same) === text) ?? item
  })
}
