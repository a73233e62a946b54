/** Live lists that components share: one subscription for the same question, however many components ask it. */
import type { Selection } from '../collections/collection.js'
import type { Client, UntypedSchema } from '../index.js'
import type { Document, Fields } from '../protocol/model/document.js'
import type { SvcError } from '../protocol/model/errors.js'
import type { LiveList, LiveStatus } from '../realtime/live.js'
import { asText } from './as-text.js'
import type { Overlay, Settled } from './overlay.js'

type Doc = Document<object>

/** What a component shows of a list. */
export interface LiveState<Item> {
  /** Empty until they were read for the first time. */
  readonly items: readonly Item[]
  /** How many there are beyond the page; `null` until that is known. */
  readonly total: number | null
  /** Whether nothing was read yet. */
  readonly isLoading: boolean
  /** `open` while changes come in; `reconnecting` while the service is not reached: it is tried again, and what was missed is read. */
  readonly status: LiveStatus
  /** Why the list has ended, or cannot be asked for. */
  readonly error: SvcError | undefined
}

export type Asked = Pick<Selection<Fields, never, UntypedSchema>, 'where'>

export interface LiveEntry {
  state(): LiveState<Doc>
  subscribe(listener: () => void): () => void
  /** Resolves once there is something to show, or another entry to ask. */
  ready(): Promise<void>
  /** Closes the list; it is opened again by who subscribes or waits. */
  end(): void
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
/** What a boundary waited for may take longer to mount. One that waits is asked as often whether it still does. */
const mountMilliseconds = 10_000

/** @param onEnd called when the list is closed */
export function openEntry(
  client: Client,
  collection: string,
  query: Asked,
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

  /** Who waits looks again, and may have to wait once more. */
  function wake() {
    whenReady?.()
    ready = undefined
  }

  function open() {
    if (live) return
    // What was refused may be allowed with the next token.
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
      // The question holds a value that cannot be sent.
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
      // Who waits may never mount, and may have left before there was anything to show.
      leaveSoon()
      void waited.then(leaveSoon)
      open()
      return waited
    },
  }
}

/**
 * The page with the objects that were shown before where nothing has changed in them, so that memoised rows render none of them. Linked
 * documents stand in them, so versions alone do not tell.
 */
function withKnown(items: readonly Doc[], before: readonly Doc[]): readonly Doc[] {
  const known = new Map(before.map((item) => [item.id, item]))
  return items.map((item) => {
    const same = known.get(item.id)
    return same && asText(same) === asText(item) ? same : item
  })
}
