/** A device with one browser, whose tabs share storage, locks and channels, and can crash. */
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import { type Client, type ClientOptions, createClient, type SessionStore } from '../../../client/index.js'
import { type Browser, type OfflineOptions, offline, type PersistentOutbox } from '../../../client/offline/index.js'

Object.assign(globalThis, { IDBKeyRange })

export interface Device {
  /** Opens a tab with an outbox. */
  openTab(service: ClientOptions, options?: OfflineOptions): Tab
  /** What the tabs keep in `localStorage`. */
  readonly session: SessionStore
  isOffline: boolean
  readonly indexedDB: IDBFactory
}

export interface Tab {
  readonly client: Client
  readonly outbox: PersistentOutbox
  /** Keys of the writes that have ended. */
  readonly settled: readonly string[]
  /** Ends the tab as a crash does: nothing that it began goes on. */
  crash(): void
}

/** @param beforeSend called before each request, and after it with the response; may throw to lose it */
export function openDevice(wire: { before?: () => unknown; after?: (response: Response) => unknown } = {}): Device {
  const indexedDB = new IDBFactory()
  const queues = new Map<string, (() => void)[]>()
  const channels = new Map<string, Set<Channel>>()
  let stored: string | null = null

  const device: Device = {
    indexedDB,
    isOffline: false,
    session: {
      read: () => stored,
      write: (text) => {
        stored = text
      },
    },
    openTab(service, options) {
      const undo: (() => void)[] = []
      let isDead = false
      const never = new Promise<never>(() => {})
      /** A promise that a dead tab never sees settle. */
      const alive = <Value>(value: Promise<Value>): Promise<Value> =>
        value.then(
          (result) => (isDead ? never : result),
          (error) => (isDead ? never : Promise.reject(error)),
        )
      const fetchOwn: typeof fetch = async (url, init) => {
        if (device.isOffline) throw new TypeError('offline')
        await wire.before?.()
        const response = await fetch(url, init)
        await wire.after?.(response)
        if (device.isOffline) throw new TypeError('offline')
        return response
      }
      const browser: Browser = {
        indexedDB: tabFactory(indexedDB, undo),
        locks: {
          request: ((name: string, { signal }: { signal: AbortSignal }, work: () => Promise<unknown>) => {
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
      }
      const client = createClient({
        ...service,
        session: device.session,
        retry: { attempts: 1 },
        fetch: (...sent) => alive(fetchOwn(...sent)),
      })
      const settled: string[] = []
      const outbox = offline(options, browser).open(client, {
        onChange: () => {},
        onSettled: (key) => void settled.push(key),
      })
      return {
        client,
        outbox,
        settled,
        crash() {
          isDead = true
          for (const one of undo) one()
        },
      }
    },
  }
  return device
}

interface Channel {
  onmessage: ((event: { data: unknown }) => unknown) | null
  postMessage(data: unknown): void
  close(): void
}

/** A factory whose databases are closed when the tab ends. */
function tabFactory(indexedDB: IDBFactory, undo: (() => void)[]): globalThis.IDBFactory {
  return Object.assign(Object.create(indexedDB), {
    open(name: string, version: number) {
      const request = indexedDB.open(name, version)
      undo.push(() => request.readyState === 'done' && !request.error && request.result.close())
      return request
    },
  }) as never
}

let numbers = 0

/** A write as the store makes it. */
export function aWrite(kind: 'create' | 'update' | 'remove', id: string | undefined, body = {}, collection = 'posts') {
  const key = `${++numbers}-${Math.random()}`
  return { key, collection, kind, id: id ?? `new-${key}`, body, begunAt: new Date().toISOString() }
}
