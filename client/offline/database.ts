/** Keeps the outbox and the last known lists of one user in IndexedDB. */
import type { Document } from '../protocol/model/document.js'
import type { ErrorCode, Issue } from '../protocol/model/errors.js'
import type { Mutation, Write } from '../store/mutation.js'

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
  readonly ids?: readonly [newId: string, id: string] | undefined
  /** A saved write, which kept pages may not include. */
  readonly saved?: Omit<Mutation, 'turn'> | undefined
}

/** A saved write. Turns count up for as long as the database exists. */
export type SavedWrite = Mutation & { readonly turn: number }

/** A page of a list, and the last saved write that it includes. Pages of version 1 have no turn. */
export interface Page {
  readonly key: string
  readonly page: unknown
  readonly turn?: number
  readonly at: number
}

export interface Database {
  /** Adds a write at the end. Rejects if the storage is full. */
  add(write: Omit<Entry, 'order'>): Promise<void>
  /** Returns the entries behind a position. */
  entries(after: number): Promise<Entry[]>
  /** Returns the turn of the saved write. */
  change(changes: Changes): Promise<number | undefined>
  /** Returns the ids of saved documents by the ids they had before. */
  savedIds(): Promise<Map<string, string>>
  /** Forgets these ids. Pages that are open know them. */
  clearIds(): Promise<unknown>
  /** Returns the turn of the last saved write. */
  lastTurn(): Promise<number>
  /** Returns the last 100 saved writes, without those up to a turn. */
  savedWrites(after: number): Promise<SavedWrite[]>
  page(key: string): Promise<Page | undefined>
  /** Keeps a page. Drops the oldest ones above a limit. */
  putPage(key: string, page: unknown, turn: number): Promise<void>
  /** Forgets the pages and the saved writes. */
  clearPages(): Promise<unknown>
  close(): void
}

/** Incremented when the stores change. An older app then finds a version that it cannot open. */
const version = 2
const maxPages = 100
const maxSaved = 100

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
  opening.onupgradeneeded = ({ oldVersion }) => {
    const { result } = opening
    if (!oldVersion) {
      result.createObjectStore('outbox', { keyPath: 'order', autoIncrement: true })
      result.createObjectStore('ids')
      result.createObjectStore('pages', { keyPath: 'key' }).createIndex('at', 'at')
    }
    result.createObjectStore('saved', { keyPath: 'turn', autoIncrement: true })
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
    change({ put = [], remove = [], ids, saved }) {
      return new Promise((resolve, reject) => {
        const transaction = db.transaction(['outbox', 'ids', 'saved'], 'readwrite')
        const outbox = transaction.objectStore('outbox')
        for (const entry of put) outbox.put(entry)
        for (const { order } of remove) outbox.delete(order)
        if (ids) transaction.objectStore('ids').put(ids, ids[0])
        const turn = saved && addSaved(transaction.objectStore('saved'), saved)
        transaction.oncomplete = () => resolve(turn?.result as number | undefined)
        transaction.onabort = () => reject(transaction.error)
      })
    },
    savedIds: async () => new Map(await run<[string, string][]>('ids', 'readonly', (store) => store.getAll())),
    clearIds: () => run('ids', 'readwrite', (store) => store.clear()),
    lastTurn: async () =>
      Number((await run('saved', 'readonly', (store) => store.openKeyCursor(null, 'prev')))?.key ?? 0),
    savedWrites: (after) =>
      run<SavedWrite[]>('saved', 'readonly', (store) => store.getAll(IDBKeyRange.lowerBound(after, true))),
    page: (key) => run<Page | undefined>('pages', 'readonly', (store) => store.get(key)),
    async putPage(key, page, turn) {
      await run('pages', 'readwrite', (store) => {
        const count = store.count()
        count.onsuccess = () => {
          if (count.result <= maxPages) return
          const oldest = store.index('at').openCursor()
          oldest.onsuccess = () => oldest.result?.delete()
        }
        return store.put({ key, page, turn, at: Date.now() } satisfies Page)
      })
    },
    clearPages: () => Promise.all(['pages', 'saved'].map((name) => run(name, 'readwrite', (store) => store.clear()))),
    close: () => db.close(),
  }
}

/** Adds a saved write. Drops the oldest ones above a limit. Returns the request for its turn. */
function addSaved(store: IDBObjectStore, saved: object) {
  const turn = store.add(saved)
  turn.onsuccess = () => store.delete(IDBKeyRange.upperBound(Number(turn.result) - maxSaved))
  return turn
}
