/** Keeps the outbox and the last known lists of one user in IndexedDB. */
import type { Document } from '../protocol/model/document.js'
import type { ErrorCode, Issue } from '../protocol/model/errors.js'
import type { Write } from '../store/mutation.js'

/** An error as IndexedDB and other tabs can take it. */
export interface PlainError {
  readonly code: ErrorCode
  readonly message: string
  readonly issues: readonly Issue[]
  readonly status: number | undefined
  readonly mayBeDone: boolean | undefined
}

/** A write in the outbox. */
export interface Entry extends Write {
  /** Position in the outbox, from 1. Set by the database. */
  readonly order: number
  /** Set after a decision. Until then, `key` is the idempotency key. */
  readonly idempotencyKey?: string
  /** When it was first sent, in milliseconds. From then on, the service may have done it. */
  readonly sentAt?: number
  /** The document that the write is based on, with all its fields. */
  readonly base?: Document | undefined
  /** Why the service refused the write. It is not sent again before a decision. */
  readonly refusal?: PlainError | undefined
  /** The service's document at the time of the refusal. */
  readonly theirs?: Document | undefined
}

/** Changes of one transaction. */
export interface Changes {
  readonly put?: readonly Entry[]
  readonly remove?: readonly Entry[]
  /** Id of a new document, before and after it was saved. */
  readonly saved?: readonly [newId: string, id: string]
}

export interface Database {
  /** Adds a write at the end. Rejects if the storage is full. */
  add(write: Omit<Entry, 'order'>): Promise<void>
  /** Returns the entries behind a position. */
  entries(after: number): Promise<Entry[]>
  change(changes: Changes): Promise<void>
  /** Returns the ids of saved documents by the ids they had before. */
  savedIds(): Promise<Map<string, string>>
  /** Forgets these ids. Pages that are open know them. */
  clearIds(): Promise<unknown>
  page(key: string): Promise<unknown>
  /** Keeps a page. Drops the oldest ones above a limit. */
  putPage(key: string, page: unknown): Promise<void>
  clearPages(): Promise<void>
  close(): void
}

/** Incremented when the stores change. An older app then finds a version that it cannot open. */
const version = 1
const maxPages = 100

interface Page {
  readonly key: string
  readonly page: unknown
  readonly at: number
}

/**
 * @param onClosed called when the browser closes it: `outdated` if another tab opens a newer version, `unavailable` if its
 *   data is deleted or the disk fails
 */
export async function openDatabase(
  factory: IDBFactory,
  name: string,
  onClosed: (why: 'outdated' | 'unavailable') => void,
): Promise<Database> {
  const opening = factory.open(name, version)
  opening.onupgradeneeded = () => {
    const { result } = opening
    result.createObjectStore('outbox', { keyPath: 'order', autoIncrement: true })
    result.createObjectStore('ids')
    result.createObjectStore('pages', { keyPath: 'key' }).createIndex('at', 'at')
  }
  const db = await new Promise<IDBDatabase>((resolve, reject) => {
    opening.onsuccess = () => resolve(opening.result)
    opening.onerror = () => reject(opening.error)
  })
  db.onversionchange = () => {
    db.close()
    onClosed('outdated')
  }
  db.onclose = () => onClosed('unavailable')

  /** Runs one transaction, and returns the result of the request once it is committed. */
  function run<Result>(store: string, mode: IDBTransactionMode, work: (store: IDBObjectStore) => IDBRequest<Result>) {
    return new Promise<Result>((resolve, reject) => {
      const transaction = db.transaction(store, mode)
      const request = work(transaction.objectStore(store))
      transaction.oncomplete = () => resolve(request.result)
      transaction.onabort = () => reject(transaction.error)
    })
  }

  return {
    async add(write) {
      await run('outbox', 'readwrite', (store) => store.add(write))
    },
    entries: (after) =>
      run<Entry[]>('outbox', 'readonly', (store) => store.getAll(IDBKeyRange.lowerBound(after, true))),
    change({ put = [], remove = [], saved }) {
      return new Promise((resolve, reject) => {
        const transaction = db.transaction(saved ? ['outbox', 'ids'] : ['outbox'], 'readwrite')
        const outbox = transaction.objectStore('outbox')
        for (const entry of put) outbox.put(entry)
        for (const { order } of remove) outbox.delete(order)
        if (saved) transaction.objectStore('ids').put(saved, saved[0])
        transaction.oncomplete = () => resolve()
        transaction.onabort = () => reject(transaction.error)
      })
    },
    savedIds: async () => new Map(await run<[string, string][]>('ids', 'readonly', (store) => store.getAll())),
    clearIds: () => run('ids', 'readwrite', (store) => store.clear()),
    page: async (key) => (await run<Page | undefined>('pages', 'readonly', (store) => store.get(key)))?.page,
    async putPage(key, page) {
      await run('pages', 'readwrite', (store) => {
        const count = store.count()
        count.onsuccess = () => {
          if (count.result <= maxPages) return
          const oldest = store.index('at').openCursor()
          oldest.onsuccess = () => oldest.result?.delete()
        }
        return store.put({ key, page, at: Date.now() } satisfies Page)
      })
    },
    clearPages: () => run('pages', 'readwrite', (store) => store.clear()),
    close: () => db.close(),
  }
}
