/** Provides the event stream, and invalidates cached queries by events. */
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useState,
  useSyncExternalStore,
} from 'react'
import type { EmulatorEvent, EventGroup } from '../../client/protocol/model/events/emulator-event.js'
import { refetchShown } from '../parts/refetch-shown.js'
import type { Session } from '../session/session.js'
import { type Connection, type EventStore, openEvents } from './event-store.js'

const Context = createContext<EventStore | undefined>(undefined)

interface EventsProviderProps {
  readonly session: Session
  readonly stale: readonly StaleQueries[]
  readonly children: ReactNode
}

export function EventsProvider({ session, stale, children }: EventsProviderProps) {
  const queries = useQueryClient()
  const [store, setStore] = useState<EventStore>()
  useEffect(() => {
    const opened = openEvents(session)
    const reader = openReader(queries, stale)
    opened.onBatch((events, isGap) => (isGap ? void refetchShown(queries) : reader.take(events)))
    setStore(opened)
    return () => {
      reader.close()
      opened.close()
    }
  }, [session, stale, queries])
  return store ? <Context value={store}>{children}</Context> : null
}

/** Maps the first part of a query key to the event groups that invalidate it. */
export type StaleQueries = Readonly<Record<string, readonly EventGroup[]>>

/** Minimum interval for refetching queries that count documents. */
const countsMilliseconds = 1_500
const pauseMilliseconds = 50

/** Invalidates queries by events. Waits for a fetch in flight instead of restarting it with each event. */
export function openReader(queries: QueryClient, stale: readonly StaleQueries[]) {
  const rules = stale.flatMap((each) => Object.entries(each))
  const waiting = new Map<string, number>()
  let timer: ReturnType<typeof setTimeout> | undefined

  function schedule(key: string, milliseconds = 0) {
    if (!waiting.has(key)) waiting.set(key, performance.now() + milliseconds)
    timer ??= setTimeout(read, 0)
  }

  function read() {
    timer = undefined
    for (const [key, from] of waiting) {
      const queryKey = key.split(' ')
      if (from > performance.now() || queries.isFetching({ queryKey }) > 0) continue
      waiting.delete(key)
      void queries.invalidateQueries({ queryKey })
    }
    if (waiting.size > 0) timer = setTimeout(read, pauseMilliseconds)
  }

  return {
    take(events: readonly EmulatorEvent[]) {
      for (const event of events) {
        const [group] = event.kind.split('.') as [EventGroup]
        if (group === 'project' || event.kind === 'snapshot.loaded' || event.kind === 'snapshot.undone') {
          return void queries.invalidateQueries()
        }
        for (const [name, groups] of rules) if (groups.includes(group)) schedule(name)
        if ('document' in event) {
          schedule('collections', countsMilliseconds)
          schedule(`documents ${event.document.collection}`)
          schedule(`document ${event.document.id}`)
        }
      }
    },
    close: () => clearTimeout(timer),
  }
}

function useStore(): EventStore {
  const store = useContext(Context)
  if (!store) throw new Error('Events need an EventsProvider.')
  return store
}

export function useEvents(): readonly EmulatorEvent[] {
  const store = useStore()
  return useSyncExternalStore(store.subscribe, store.events)
}

export function useConnection(): Connection {
  const store = useStore()
  return useSyncExternalStore(store.subscribe, store.connection)
}

/**
 * Returns whether an event of these groups arrived since the last read. Use it for data that is too expensive to refetch each time.
 * @returns the flag, and a function that resets it
 */
export function useIsOutdated(groups: readonly EventGroup[]): [boolean, () => void] {
  const store = useStore()
  const [isOutdated, setOutdated] = useState(false)
  useEffect(
    () =>
      store.onBatch((events) => {
        const isChange = ({ kind, at }: EmulatorEvent) =>
          at > store.openedAt() && groups.some((group) => kind.startsWith(`${group}.`))
        if (events.some(isChange)) setOutdated(true)
      }),
    [store, groups],
  )
  return [isOutdated, useCallback(() => setOutdated(false), [])]
}

const flashMilliseconds = 1_400
const maxFlashes = 200
const noFlashes: ReadonlySet<string> = new Set()

/** Returns the ids of documents that changed within the last second or so. */
export function useFlashes(collection: string): ReadonlySet<string> {
  const store = useStore()
  const [flashes, setFlashes] = useState(noFlashes)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let changedAt: readonly (readonly [id: string, at: number])[] = []
    function show() {
      timer = undefined
      const from = performance.now() - flashMilliseconds
      changedAt = changedAt.filter(([, at]) => at > from)
      setFlashes(changedAt.length === 0 ? noFlashes : new Set(changedAt.map(([id]) => id)))
      if (changedAt.length > 0) timer = setTimeout(show, flashMilliseconds / 4)
    }
    const leave = store.onBatch((events) => {
      const now = performance.now()
      const changed = events.flatMap((event) =>
        'document' in event && event.document.collection === collection && event.at > store.openedAt()
          ? [[event.document.id, now] as const]
          : [],
      )
      if (changed.length === 0) return
      changedAt = [...changedAt, ...changed].slice(-maxFlashes)
      clearTimeout(timer)
      show()
    })
    return () => {
      leave()
      clearTimeout(timer)
    }
  }, [store, collection])
  return flashes
}
