/** Opens the storage of the browser for one user, and says what keeps it from working. */
import { internals } from '../collections/internals.js'
import { type Client, type Document, SvcError } from '../index.js'
import { users } from '../protocol/wire/paths/encode.js'
import type { Mutation, Write } from '../store/mutation.js'
import type { Decision, KeptPage, OutboxState, QueuedWrite, StorageState } from '../store/persistence.js'
import { type Database, openDatabase } from './database.js'
import { type OnConflict, openQueue, type Queue, type Settled, type Tabs, toBody, toError } from './queue.js'

export interface OfflineOptions {
  /**
   * Decides about a write that the service refused, or that changes fields which someone else has changed. Without a
   * decision, the write stays in the outbox. Called in one tab, and again after a reload.
   */
  readonly onConflict?: OnConflict
  /** Called when a user signs out, or another one signs in, while writes have not been sent. Only that user sends them later. */
  readonly onUnsent?: (writes: readonly QueuedWrite[], user: string | undefined) => void
}

export interface QueueEvents {
  readonly onChange: () => void
  /** Called for each write of this or another tab that was saved or discarded. */
  readonly onSettled: (key: string, document: Document | undefined, isSaved: boolean, turn: number | undefined) => void
}

export interface PersistentOutbox {
  /** Resolves once it is known whether the browser can keep writes. */
  readonly ready: Promise<StorageState>
  state(): OutboxState
  /**
   * Keeps a write and sends it. Resolves once it is saved, with the document unless another tab knows it alone.
   *
   * @param base the document that the write changes, with all its fields
   * @throws {SvcError} if it cannot be kept, or was discarded after a conflict
   */
  add(write: Write, base?: Document): Promise<Document | undefined>
  /** Decides about a conflict. */
  decide(key: string, decision: Decision): void
  /** Returns the last known page of a list, and the saved writes that it does not include. */
  readPage(key: string): Promise<(Partial<KeptPage> & { readonly saved: readonly Mutation[] }) | undefined>
  writePage(key: string, page: unknown, turn: number): void
  /** Stops sending. After a sign-out, also forgets the pages. */
  close(isSignedOut?: boolean): Promise<void>
}

/** Parts of the browser. Tests replace them. */
export interface Browser {
  readonly indexedDB?: IDBFactory | undefined
  readonly locks?: Tabs['locks'] | undefined
  readonly openChannel: (name: string) => Tabs['channel']
  /** Calls back when the device is online again. Returns a function that ends it. */
  readonly onOnline: (callback: () => void) => () => void
}

const problems: Partial<Record<StorageState, string>> = {
  unavailable: 'Writes are not kept.',
  outdated: 'Reload the page.',
  full: 'This device is full.',
  unsupported: '`persist` needs idempotency keys.',
}

export function openPersistent(
  client: Client,
  { onChange, onSettled }: QueueEvents,
  { onConflict, onUnsent }: OfflineOptions,
  { indexedDB, locks, openChannel, onOnline }: Browser,
): PersistentOutbox {
  let storage: StorageState = 'opening'
  let problem: SvcError | undefined
  let queue: Queue | undefined
  let database: Database | undefined
  let user: string | undefined
  /** Turn of the last write that was saved before this tab opened. The turns of this tab begin after it. */
  let firstTurn = 0
  let isClosed = false
  let leave = () => {}
  /** Writes of this tab that have not ended. */
  const promised = new Map<string, Pending>()

  function become(next: StorageState) {
    if (storage === next) return
    storage = next
    const words = problems[next]
    problem = words === undefined ? undefined : new SvcError('INVALID_OPTION', words)
    onChange()
  }

  function fail(): SvcError {
    return problem ?? new SvcError('INVALID_OPTION', 'It is closed.')
  }

  function onEnd({ key, document, error, turn }: Settled) {
    const own = promised.get(key)
    promised.delete(key)
    onSettled(key, document, !error, turn && turn - firstTurn)
    if (error) own?.reject(toError(error))
    else own?.resolve(document)
  }

  /** Gives up keeping writes. */
  function end(next: StorageState) {
    become(next)
    void queue?.close()
    for (const { reject } of promised.values()) reject(fail())
    promised.clear()
  }

  let hasKeys: Promise<void> | undefined
  /** @throws {SvcError} if the service is unreachable, or does not obey idempotency keys */
  function requireKeys() {
    hasKeys ??= askForKeys().catch((error) => {
      hasKeys = undefined
      throw error
    })
    return hasKeys
  }

  async function askForKeys() {
    const { session } = client.collection('')[internals]
    const isOwn = await session.ask('GET', users, (_, __, header) => header('svc-dialect'), {
      query: [['limit', '1']],
    })
    if (isOwn) return
    // Nothing has been sent.
    await database?.change({ remove: await database.entries(0) })
    end('unsupported')
    throw fail()
  }

  async function open(): Promise<StorageState> {
    const { url, apiKey = '' } = client.collection('')[internals].session.options
    user = (await client.auth.session().catch(() => undefined))?.user.id
    // The end of the key tells projects apart. The whole key does not belong in the name of a database.
    const name = `svc ${url} ${apiKey.slice(-8)} ${user ?? ''}`
    try {
      if (!indexedDB || !locks) throw new Error('No storage.')
      database = await openDatabase(indexedDB, name, end)
      firstTurn = await database.lastTurn()
    } catch (error) {
      become((error as Error).name === 'VersionError' ? 'outdated' : 'unavailable')
      return storage
    }
    if (isClosed) {
      database.close()
      return storage
    }
    queue = openQueue({
      ...{ client, database, locks, name, onConflict, onChange, requireKeys },
      ...{ user: user ?? '', channel: openChannel(name), onSettled: onEnd, onBroken: () => end('unavailable') },
    })
    leave = onOnline(queue.wake)
    become('ready')
    // Refuses a service without idempotency keys at once. Without a connection, sending asks again.
    requireKeys().catch(() => {})
    return storage
  }
  const ready = open()

  return {
    ready,
    state() {
      const writes = queue?.writes() ?? []
      return {
        ...{ storage, problem, waiting: queue?.waiting() },
        pending: writes.filter(({ state }) => state === 'pending'),
        sending: writes.find(({ state }) => state === 'sending'),
        conflicts: writes.filter(({ state }) => state === 'conflict'),
      }
    },
    async add(write, base) {
      const body = toBody(client, write.body)
      await ready
      if (!queue || isClosed || (storage !== 'ready' && storage !== 'full')) throw fail()
      const own = new Promise<Document | undefined>((resolve, reject) => {
        promised.set(write.key, { resolve, reject })
      })
      try {
        await queue.add({ ...write, body }, base)
      } catch (error) {
        promised.delete(write.key)
        if ((error as Error).name !== 'QuotaExceededError') throw error
        become('full')
        throw fail()
      }
      if (storage === 'full') become('ready')
      return own
    },
    decide: (key, decision) => queue?.decide(key, decision),
    async readPage(key) {
      await ready
      try {
        const { page, turn = 0 } = (await database?.page(key)) ?? {}
        const saved = (await database?.savedWrites(turn)) ?? []
        const since = (turn: number) => turn - firstTurn
        return { page, turn: since(turn), saved: saved.map((write) => ({ ...write, turn: since(write.turn) })) }
      } catch {
        return undefined
      }
    },
    writePage(key, page, turn) {
      // A list that is not kept is only read again.
      void ready.then(() => (isClosed ? undefined : database?.putPage(key, page, turn + firstTurn))).catch(() => {})
    },
    async close(isSignedOut = false) {
      isClosed = true
      await ready
      const left = (await queue?.close()) ?? []
      leave()
      for (const { reject } of promised.values()) reject(fail())
      promised.clear()
      if (isSignedOut) await database?.clearPages().catch(() => {})
      database?.close()
      if (isSignedOut && left[0]) onUnsent?.(left, user)
    },
  }
}

interface Pending {
  resolve(document: Document | undefined): void
  reject(error: SvcError): void
}
