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
import type { Mutation } from './mutation.js'
import type { Outbox } from './outbox.js'
import { nothingRead, type Overlay, openOverlay, type Read } from './overlay.js'
import type { PersistedOutbox } from './persistence.js'

type Doc = Document<object>

/** State of a live list. */
export interface LiveState<Item> {
  /** Empty until the first read. */
  readonly items: readonly Item[]
  /** Number of documents on all pages; `null` until it is known. */
  readonly total: number | null
  /** True until the first read, but not while `offline`. */
  readonly isLoading: boolean
  /**
   * `open` while changes are received. `reconnecting` while the service is unreachable; missed changes are read
   * afterwards. `offline` if it is unreachable and the list was never read: `items` has only writes of the user.
   */
  readonly status: LiveStatus | 'offline'
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
  /** Tells its readers, if pending writes have changed what it shows. */
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
 * @param key of the list, which tells it apart from all others
 * @param outbox of the signed-in user
 * @param find returns a whole document of the collection that another list has read
 * @param onOpen called when the list opens. Returns a function to call when it closes
 * @param fromServer what a server has read
 * @param state what to show until the first read
 */
export function openEntry(
  client: Client,
  key: string,
  collection: string,
  query: ListQuery,
  outbox: () => Outbox & Partial<PersistedOutbox>,
  find: (id: string) => Doc | undefined,
  onOpen: () => () => void,
  fromServer?: InitialList,
  state: LiveState<Doc> = noState,
): LiveEntry {
  const listeners = openListeners()
  /** The outbox of the user for whom the list was read. */
  let owner = outbox()
  let read = nothingRead
  /** The state that readers were told of. */
  let told = state
  /** The read and the writes that the list shows by now. */
  let shownRead: Read | undefined
  let shownMutations: readonly Mutation[] = []
  /** Exists once something was read. */
  let overlay: Overlay | undefined
  let live: Pick<LiveList<Doc>, 'close'> | undefined
  let onClosed: (() => void) | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let ready: Promise<void> | undefined
  let whenReady: (() => void) | undefined

  function show(changes?: Partial<LiveState<Doc>>) {
    state = told = { ...state, ...changes }
    if (!state.isLoading) wake()
    listeners.call()
  }

  function pending() {
    return outbox()
      .mutations()
      .filter((mutation) => mutation.collection === collection)
  }

  /** Applies pending writes again, after they have changed. */
  function update() {
    if (state.isLoading || !overlay) return
    const mutations = pending()
    // Most changes are about writes to other collections, or about which one is being sent.
    if (shownRead === read && areSame(mutations, shownMutations)) return
    shownRead = read
    shownMutations = mutations
    const { items, total } = overlay.apply(read, mutations, find)
    if (total !== state.total || !areSame(items, state.items)) state = { ...state, items, total }
  }

  function refresh() {
    update()
    if (state !== told) show()
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
    overlay ??= await openListOverlay(asked, query)
    if (live !== from) return
    // Reuses unchanged items, so that memoized rows do not render again. Populated documents change without a new version.
    const known = new Map([...state.items, ...read.items].map((item) => [asText(item), item]))
    const next = { items: items.map((item) => known.get(asText(item)) ?? item), total, limit, turn: readIn }
    overlay.receive(read, next, pending())
    read = next
    // The list may be read before the connection is open again.
    if (state.status === 'offline') state = { ...state, status: 'reconnecting' }
    if (state.isLoading) state = { ...state, isLoading: false }
    refresh()
  }

  /** Shows the last known page until the list is read. */
  async function showKept(from: LiveList<Doc>, asked: Asked) {
    const { page, turn = 0 } = (await outbox().readPage?.(key)) ?? {}
    if (page && state.isLoading) await receive(from, asked, page as Page<Doc>, turn)
  }

  /** Shows only writes of the user while the service is unreachable and the browser has not kept the list. */
  async function showUnread(asked: Asked) {
    overlay ??= await openListOverlay(asked, query)
    if (!state.isLoading || state.status !== 'reconnecting') return
    state = { ...state, isLoading: false, status: 'offline' }
    refresh()
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
          outbox().writePage?.(key, page, turn)
        },
        onStatus(status) {
          if (live !== opened) return
          show({ status, isLoading: state.isLoading || state.status === 'offline' })
          void kept.then(() => showUnread(asked))
        },
        onError(error) {
          if (live !== opened) return
          live = undefined
          show({ error, isLoading: false })
        },
      })
      live = opened
      const kept = showKept(opened, asked)
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
    get() {
      if (owner !== outbox()) return noState
      update()
      return state
    },
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

const areSame = (one: readonly object[], other: readonly object[]) =>
  one.length === other.length && one.every((item, at) => item === other[at])

/** Opens the overlay of a list. Only the service can tell what matches if documents do not come with all that the query tests. */
async function openListOverlay(asked: Asked, query: ListQuery): Promise<Overlay> {
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
  return openOverlay({ offset: query.offset, populated, selected, selector })
}
