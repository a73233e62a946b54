/** A device with one browser, whose tabs share storage, locks and channels, and can crash. */
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import { type Client, type ClientOptions, createClient, type SessionStore } from '../../../client/index.js'
import { type OfflineOptions, offline } from '../../../client/offline/index.js'
import type { Browser } from '../../../client/offline/persistent.js'
import { type OutboxStore, openStore, type Store } from '../../../client/store/index.js'
import type { Write } from '../../../client/store/mutation.js'

Object.assign(globalThis, { IDBKeyRange })

export interface Device {
  /**
   * Opens a tab with an outbox.
   *
   * @param lacking parts of the browser that it does not have
   */
  openTab(service: ClientOptions, options?: OfflineOptions, lacking?: Partial<Browser>): Tab
  /** What the tabs keep in `localStorage`. */
  readonly session: SessionStore
  isOffline: boolean
  /** Returns the keys of the writes that the browser keeps, of all users. */
  storedKeys(): Promise<Set<string>>
  /** Returns what a store of the browser keeps, of all users. */
  stored(store: 'pages' | 'saved'): Promise<unknown[]>
  readonly indexedDB: IDBFactory
}

export interface Tab {
  readonly client: Client
  readonly store: Store
  readonly outbox: OutboxStore
  readonly browser: Browser
  /** Ends the tab as a crash does: nothing that it began goes on. */
  crash(): void
}

/** What happens to requests and to the storage. */
interface Weather {
  /** Called before and after each request. May throw to lose it. */
  readonly before?: (init: RequestInit) => unknown
  readonly after?: (init: RequestInit) => unknown
  /** Called when a tab begins a transaction that changes these stores. */
  readonly onTransaction?: (transaction: IDBTransaction, stores: readonly string[], tab: Tab) => unknown
}

export function openDevice(weather: Weather = {}): Device {
  const indexedDB = new IDBFactory()
  const queues = new Map<string, (() => void)[]>()
  const channels = new Map<string, Set<Channel>>()
  const onOnline = new Set<() => void>()
  let stored: string | null = null
  let isOffline = false

  const device: Device = {
    indexedDB,
    get isOffline() {
      return isOffline
    },
    set isOffline(next) {
      isOffline = next
      if (!next) for (const callback of onOnline) callback()
    },
    session: {
      read: () => stored,
      write: (text) => {
        stored = text
      },
    },
    storedKeys: async () => new Set((await readAll(indexedDB, 'outbox')).map((entry) => (entry as Write).key)),
    stored: (store) => readAll(indexedDB, store),
    openTab(service, options, lacking) {
      const undo: (() => void)[] = []
      let isDead = false
      const never = new Promise<never>(() => {})
      /** A promise that a dead tab never sees settle. */
      const alive = <Value>(value: Promise<Value>): Promise<Value> =>
        value.then(
          (result) => (isDead ? never : result),
          (error) => (isDead ? never : Promise.reject(error)),
        )
      const over = new AbortController()
      const fetchOwn: typeof fetch = async (url, { signal, ...init } = {}) => {
        if (device.isOffline) throw new TypeError('offline')
        weather.before?.(init)
        const response = await (service.fetch ?? fetch)(url, {
          ...init,
          signal: AbortSignal.any([signal ?? over.signal, over.signal]),
        })
        weather.after?.(init)
        if (device.isOffline) throw new TypeError('offline')
        return response
      }
      const browser: Browser = {
        indexedDB: tabFactory(indexedDB, undo, (one, stores) => weather.onTransaction?.(one, stores, tab)),
        locks: {
          request: ((name: string, { signal }: { signal: AbortSignal }, work: () => Promise<unknown>) => {
            // A tab may have crashed while it opened its database.
            if (isDead) return never
            const turns = queues.get(name) ?? []
            queues.set(name, turns)
            return new Promise((resolve, reject) => {
              let isOver = false
              const release = () => {
                if (isOver) return
                isOver = true
                const at = turns.indexOf(begin)
                turns.splice(at, 1)
                if (at === 0) turns[0]?.()
              }
              const begin = () => void alive(Promise.resolve().then(work)).then(resolve, reject).finally(release)
              undo.push(release)
              signal.addEventListener('abort', () => {
                if (turns[0] === begin) return
                release()
                reject(signal.reason)
              })
              if (turns.push(begin) === 1) begin()
            })
          }) as never,
        },
        onOnline(callback) {
          onOnline.add(callback)
          const leave = () => void onOnline.delete(callback)
          undo.push(leave)
          return leave
        },
        openChannel: (name) => {
          const others = channels.get(name) ?? new Set()
          channels.set(name, others)
          const channel: Channel = {
            onmessage: null,
            close: () => void others.delete(channel),
            postMessage(data: unknown) {
              const copy = structuredClone(data)
              if (isDead) return
              for (const other of others)
                if (other !== channel) setImmediate(() => others.has(other) && other.onmessage?.({ data: copy }))
            },
          }
          others.add(channel)
          undo.push(channel.close)
          return channel
        },
        ...lacking,
      }
      const client = createClient({
        ...service,
        session: device.session,
        retry: { attempts: 1 },
        fetch: (...sent) => alive(fetchOwn(...sent)),
      })
      const store = openStore(client, { persist: offline(options, browser) })
      const outbox = store.queue()
      // Opens the outbox, as a component does.
      undo.push(outbox.subscribe(() => {}))
      const tab: Tab = {
        ...{ client, store, outbox, browser },
        crash() {
          isDead = true
          over.abort()
          for (const one of undo) one()
        },
      }
      return tab
    },
  }
  return device
}

interface Channel {
  onmessage: ((event: { data: unknown }) => unknown) | null
  postMessage(data: unknown): void
  close(): void
}

async function readAll(indexedDB: IDBFactory, store: string): Promise<unknown[]> {
  const read = ({ name = '' }: IDBDatabaseInfo) =>
    new Promise<unknown[]>((resolve) => {
      const opening = indexedDB.open(name)
      opening.onsuccess = () => {
        const request = opening.result.transaction(store).objectStore(store).getAll()
        request.onsuccess = () => {
          opening.result.close()
          resolve(request.result)
        }
      }
    })
  return (await Promise.all((await indexedDB.databases()).map(read))).flat()
}

/** A factory whose databases are closed when the tab ends, and tell of each transaction that changes them. */
function tabFactory(
  indexedDB: IDBFactory,
  undo: (() => void)[],
  onTransaction: (transaction: IDBTransaction, stores: readonly string[]) => unknown,
): globalThis.IDBFactory {
  return Object.assign(Object.create(indexedDB), {
    open(name: string, version: number) {
      const request = indexedDB.open(name, version)
      request.addEventListener('success', () => {
        const { result } = request
        const transaction = result.transaction.bind(result)
        result.transaction = (stores, mode) => {
          const begun = transaction(stores, mode)
          if (mode === 'readwrite') onTransaction(begun as never, typeof stores === 'string' ? [stores] : [...stores])
          return begun
        }
      })
      undo.push(() => request.readyState === 'done' && !request.error && request.result.close())
      return request
    },
  }) as never
}
