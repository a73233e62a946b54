/** The stream of events for the page, and reading again what an event has changed. */
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext, useEffect, useState, useSyncExternalStore } from 'react'
import type { EmulatorEvent, EventGroup } from '../../client/protocol/model/events/emulator-event.js'
import type { Session } from '../session/session.js'
import { type Connection, type EventStore, openEvents } from './event-store.js'

const Context = createContext<EventStore | undefined>(undefined)

export function EventsProvider({ session, children }: { session: Session; children: ReactNode }) {
  const queries = useQueryClient()
  const [store, setStore] = useState<EventStore>()
  useEffect(() => {
    const opened = openEvents(session)
    opened.onBatch((events, isGap) => (isGap ? void queries.invalidateQueries() : readAgain(queries, events)))
    setStore(opened)
    return () => opened.close()
  }, [session, queries])
  return store ? <Context value={store}>{children}</Context> : null
}

/** Which questions an event of a group makes stale. */
const stale: { readonly [Group in EventGroup]?: readonly string[] } = {
  document: ['collections'],
  collection: ['collections', 'documents', 'document'],
  user: ['users'],
  login: ['users', 'flows'],
  file: ['files'],
  mail: ['mail'],
  connection: ['connections', 'info'],
  fault: ['faults'],
  clock: ['clock', 'info'],
  snapshot: ['snapshots'],
}

function readAgain(queries: QueryClient, events: readonly EmulatorEvent[]) {
  const keys = new Set<string>()
  for (const event of events) {
    const [group] = event.kind.split('.') as [EventGroup]
    if (group === 'project' || event.kind === 'snapshot.loaded' || event.kind === 'snapshot.undone') {
      return void queries.invalidateQueries()
    }
    for (const name of stale[group] ?? []) keys.add(name)
    if ('document' in event) {
      keys.add(`documents ${event.document.collection}`)
      keys.add(`document ${event.document.id}`)
    }
  }
  for (const key of keys) void queries.invalidateQueries({ queryKey: key.split(' ') })
}

function useStore(): EventStore {
  const store = useContext(Context)
  if (!store) throw new Error('There is no stream of events here.')
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

/** Ids of documents of a collection that have changed in the last second or so, elsewhere or here. */
export function useFlashes(collection: string): ReadonlySet<string> {
  const store = useStore()
  const [flashes, setFlashes] = useState<ReadonlySet<string>>(new Set())
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const leave = store.onBatch((events) => {
      const ids = events.flatMap((event) =>
        'document' in event && event.document.collection === collection ? [event.document.id] : [],
      )
      if (ids.length === 0) return
      setFlashes((before) => new Set([...before, ...ids.slice(-200)]))
      clearTimeout(timer)
      timer = setTimeout(() => setFlashes(new Set()), 1_400)
    })
    return () => {
      leave()
      clearTimeout(timer)
    }
  }, [store, collection])
  return flashes
}
