/** Live lists, documents, writes and the signed-in user of one client, for any framework. */
import type { SignedIn } from '../auth/auth-state.js'
import type { Selection } from '../collections/collection.js'
import type { Client, UntypedSchema } from '../index.js'
import type { Document, Fields } from '../protocol/model/document.js'
import type { SvcError } from '../protocol/model/errors.js'
import type { AnySchema, Populated, PopulatePath, Selected, SelectPath } from '../types.js'
import { documentQuery, type InitialData, keyOf, type ListQuery } from './initial-data.js'
import { openListeners } from './listeners.js'
import { type LiveEntry, type LiveState, noState, openEntry } from './live-list.js'
import { createMutation, type Mutation } from './mutation.js'
import { type Outbox, openOutbox } from './outbox.js'
import type { Decision, OutboxState, PersistedOutbox, Persistence } from './persistence.js'

export { asText } from './as-text.js'
export type { InitialData, InitialList } from './initial-data.js'
export { type LiveState, noState } from './live-list.js'
export type { Mutation } from './mutation.js'
export type { Decision, OutboxState, Persistence, QueuedWrite } from './persistence.js'

/** A value that changes. */
export interface Readable<Value> {
  /** Returns the current value: the same object until it changes. */
  get(): Value
  /** Calls back after each change, until the returned function is called. */
  subscribe(listener: () => void): () => void
}

/** Follows changes of the service while it has subscribers, and for a second longer. */
export interface Live<State> extends Readable<State> {
  /** The state that a server has read, for a page that it rendered. */
  readonly initial: State | undefined
  /** Reads without a subscriber. Resolves once there is a state to show, or there was no subscriber for a while. */
  ready(): Promise<void>
}

/** Selects documents. */
export type ListSelection<Data, Path extends string, Schema, Name extends string = string> = Omit<
  Selection<Data, Path, Schema, Name>,
  'signal'
> & {
  readonly limit?: number
  readonly offset?: number
}

export interface DocumentState<Item> {
  /** Undefined while loading, and if the document does not exist. */
  readonly document: Item | undefined
  readonly isLoading: boolean
  readonly status: LiveState<Item>['status']
  readonly error: SvcError | undefined
}

export interface MutationOptions {
  /**
   * Retries a write until it succeeds while the service is unreachable or busy. Without it, the write fails after a few
   * attempts. Retrying ends when the page is closed or the signed-in user changes.
   */
  readonly retry?: boolean
}

export interface MutationState {
  /** True while a write is pending. */
  readonly isPending: boolean
  /** Number of pending writes. */
  readonly pendingCount: number
  /** With `retry`: why a pending write is being retried. */
  readonly waiting: SvcError | undefined
  /** Error of the last write, if it failed. */
  readonly error: SvcError | undefined
}

export interface MutationCalls<Data> {
  /** Writes resolve once saved. They reject if refused, and the previous state is shown again. */
  create(fields: Data): Promise<Document<Data>>
  update(id: string, changes: Partial<Data>): Promise<Document<Data>>
  remove(id: string): Promise<void>
}

/** Optimistic writes to one collection, and the state of those made here. */
export interface MutationStore<Data> extends Readable<MutationState>, MutationCalls<Data> {}

export interface SessionState<UserData extends object> {
  readonly user: SignedIn<UserData>['user'] | undefined
  /** True until the stored session has been read. */
  readonly isLoading: boolean
}

/** Decides about conflicts. Does nothing for other writes. */
export interface OutboxCalls {
  /** Sends the write again, over what others have changed. */
  retry(key: string): void
  discard(key: string): void
  /** Sends the write with these fields instead. */
  edit(key: string, body: object): void
}

export interface OutboxStore extends Readable<OutboxState>, OutboxCalls {}

/** Everything starts again after a login or a logout: the next user never sees data of the previous one. */
export interface Store<Schema extends AnySchema<Schema> = UntypedSchema, UserData extends object = Fields> {
  /** Keeps a list up to date. All readers of the same query share one subscription. */
  live<
    Name extends keyof Schema & string,
    const Path extends PopulatePath<Schema, Schema[Name]> = never,
    const Field extends SelectPath<Schema, Schema[Name], Path> = never,
  >(
    collection: Name,
    query?: ListSelection<Schema[Name], Path, Schema, Field>,
  ): Live<LiveState<Document<Selected<Populated<Schema, Schema[Name], Path>, Field>>>>
  /** Keeps a document up to date. Reads nothing while the id is undefined. */
  document<
    Name extends keyof Schema & string,
    const Path extends PopulatePath<Schema, Schema[Name]> = never,
    const Field extends SelectPath<Schema, Schema[Name], Path> = never,
  >(
    collection: Name,
    id: string | undefined,
    options?: { readonly populate?: readonly Path[]; readonly select?: readonly Field[] },
  ): Live<DocumentState<Document<Selected<Populated<Schema, Schema[Name], Path>, Field>>>>
  /** Writes that lists and documents show at once, and take back if they are refused. */
  mutations<Name extends keyof Schema & string>(
    collection: Name,
    options?: MutationOptions,
  ): MutationStore<Schema[Name]>
  /** The signed-in user. */
  session(): Readable<SessionState<UserData>>
  /** Pending writes of the signed-in user to all collections, and saved ones that a list may not show yet. */
  outbox(): Readable<readonly Mutation[]>
  /** With `persist`: writes that are kept until they are saved, and conflicts. */
  queue(): OutboxStore
}

export interface StoreOptions {
  /** Keeps writes and the last known lists in the browser: `offline()` of `svc-toolkit-client/offline`. */
  readonly persist?: Persistence | undefined
  /** Data that a server has read for the page that it rendered. Only the returned store shows it, so that visitors do not share it. */
  readonly initialData?: InitialData | undefined
}

type OpenView = (initialData?: InitialData) => Store

const views = new WeakMap<object, OpenView>()

/**
 * Opens the store of a client, or returns the one that is open. Sends nothing before the first subscriber or write.
 *
 * @example
 * import { openStore } from 'svc-toolkit-client/store'
 *
 * const posts = openStore(svc).live('posts', { where: { status: 'published' }, sort: '-views' })
 * const leave = posts.subscribe(() => console.log(posts.get().items.map(({ data }) => data.title)))
 * leave()
 */
export function openStore<Schema extends AnySchema<Schema> = UntypedSchema, UserData extends object = Fields>(
  client: Client<Schema, UserData>,
  { persist, initialData }: StoreOptions = {},
): Store<Schema, UserData> {
  const openView = views.get(client) ?? createStore(client as object as Client, persist)
  views.set(client, openView)
  return openView(initialData) as object as Store<Schema, UserData>
}

type Doc = Document<object>

export const unknownSession: SessionState<Fields> = { user: undefined, isLoading: true }
/** State of a document before the first read. */
export const noDocument: DocumentState<never> = toDocument(noState)
export const noMutations: MutationState = { isPending: false, pendingCount: 0, waiting: undefined, error: undefined }

export const noOutbox: OutboxState = {
  ...{ storage: 'memory', problem: undefined, waiting: undefined },
  ...{ pending: [], sending: undefined, conflicts: [] },
}

const frameMilliseconds = 16

/** How long a saved write stays while no list has shown it. By then, a list that is up to date shows it elsewhere. */
const dropMilliseconds = 10_000

/** Matches no document. */
const noId = '00000000-0000-0000-0000-000000000000'

/** Creates a store. Returns a function that shows what a server has read in the lists that are not open yet. */
function createStore(client: Client, persist: Persistence | undefined): OpenView {
  /** Lists by their query, for as long as they are open. */
  const lists = new Map<string, LiveEntry>()
  const listsOver = (collection: string) => [...lists.values()].filter((list) => list.collection === collection)
  const [onSession, onOutbox] = [openListeners(), openListeners()]
  let session = unknownSession
  let outbox = openUserOutbox()
  let isListening = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const firstOutbox = outbox

  function openUserOutbox(): Outbox & Partial<PersistedOutbox> {
    const onChange = () => {
      // Sending a long queue changes it much more often than a screen can show.
      if (own === outbox) timer ??= setTimeout(showMutations, frameMilliseconds)
    }
    const openPlain = () => openOutbox(client, onChange, dropLater)
    const own = persist?.open(client, { onChange, dropLater, find, openPlain }) ?? openPlain()
    return own
  }

  /** Drops a saved write after some seconds, unless a list of its collection has not ended and receives no changes. */
  function dropLater(mutation: Mutation, drop: () => void) {
    const isUpToDate = (list: LiveEntry) => list.get().error || list.get().status === 'open'
    const end = () => (listsOver(mutation.collection).every(isUpToDate) ? drop() : dropLater(mutation, drop))
    setTimeout(end, dropMilliseconds)
  }

  /** Returns a whole document that a list has read. */
  function find(collection: string, id: string): Doc | undefined {
    return listsOver(collection).flatMap((list) => list.find(id) ?? [])[0]
  }

  const decide = (key: string, decision: Decision) => outbox.decide?.(key, decision)

  function showMutations() {
    timer = undefined
    for (const list of lists.values()) list.refresh()
    onOutbox.call()
  }

  function showSession(next: SignedIn | undefined) {
    if (!session.isLoading && session.user === next?.user) return
    session = { user: next?.user, isLoading: false }
    onSession.call()
  }

  /** Listens from the first use for the lifetime of the client, to notice sign-ins while no component is mounted. */
  function listen() {
    if (isListening) return
    isListening = true
    client.auth.onChange((next) => {
      const isOther = session.user?.id !== next?.user.id
      if (isOther) {
        outbox.close?.()
        outbox = openUserOutbox()
      }
      for (const list of lists.values()) list.restart()
      if (isOther) onOutbox.call()
      showSession(next)
    })
    client.auth
      .session()
      .catch(() => undefined)
      .then((known) => session.isLoading && showSession(known))
  }

  function openList({ lists: fromServer }: InitialData, collection: string, query?: ListQuery): Live<LiveState<Doc>> {
    const key = keyOf({ collection, query })
    // The next user never sees what the server has read for the first one.
    const initial = outbox === firstOutbox ? fromServer.find((list) => keyOf(list) === key) : undefined
    const state = initial && { ...noState, items: initial.items, total: initial.total, isLoading: false }
    const onOpen = () => {
      lists.set(key, known)
      return () => lists.delete(key)
    }
    // Keeps the list, so that a hidden tree whose list was closed shows its last state again.
    const known: LiveEntry =
      lists.get(key) ??
      openEntry(
        client,
        key,
        collection,
        query ?? {},
        () => outbox,
        (id) => find(collection, id),
        onOpen,
        initial,
        state,
      )
    const current = () => lists.get(key) ?? known
    const enter = () => {
      listen()
      return current()
    }
    return {
      initial: state,
      get: () => current().get(),
      subscribe: (listener) => enter().subscribe(listener),
      ready: () => enter().ready(),
    }
  }

  function openDocument(
    initialData: InitialData,
    collection: string,
    id = noId,
    options?: Pick<ListQuery, 'populate' | 'select'>,
  ): Live<DocumentState<Doc>> {
    const { get, initial, ...list } = openList(initialData, collection, documentQuery(id, options))
    let last: LiveState<Doc> | undefined
    let shown: DocumentState<Doc> = noDocument
    return {
      ...list,
      initial: initial && toDocument(initial),
      get() {
        const state = get()
        if (state !== last) shown = toDocument(state)
        last = state
        return shown
      },
    }
  }

  function openMutations(collection: string, { retry = false }: MutationOptions = {}): MutationStore<Fields> {
    const made = new Set<string>()
    let failure: { readonly owner: Outbox; readonly error: SvcError } | undefined
    let last = noMutations

    async function write(kind: Mutation['kind'], body: object, id?: string) {
      listen()
      const owner = outbox
      const mutation = createMutation(client, kind, collection, body, id)
      made.add(mutation.key)
      failure = undefined
      try {
        const added = owner.add(mutation, retry)
        // At once, so that a controlled input keeps its cursor.
        showMutations()
        return await added
      } catch (error) {
        failure = { owner, error: error as SvcError }
        showMutations()
        throw error
      }
    }

    return {
      get() {
        // Leaves out writes of another user, even if they are still pending.
        const own = outbox.mutations().filter(({ key, state }) => made.has(key) && state !== 'saved')
        const waiting = own.find(({ state }) => state === 'waiting')?.error
        const error = failure?.owner === outbox ? failure.error : undefined
        const isSame = last.pendingCount === own.length && last.waiting === waiting && last.error === error
        if (!isSame) last = { isPending: own.length > 0, pendingCount: own.length, waiting, error }
        return last
      },
      subscribe: onOutbox.add,
      create: (fields) => write('create', fields) as Promise<Document>,
      update: (id, changes) => write('update', changes, id) as Promise<Document>,
      remove: async (id) => void (await write('remove', {}, id)),
    }
  }

  const openView = (initialData: InitialData) =>
    ({
      ...calls,
      live: openList.bind(null, initialData),
      document: openDocument.bind(null, initialData),
    }) as object as Store
  const calls = {
    mutations: openMutations,
    session: () => ({
      get: () => session,
      subscribe(listener: () => void) {
        listen()
        return onSession.add(listener)
      },
    }),
    outbox: () => ({ get: () => outbox.mutations(), subscribe: onOutbox.add }),
    queue: () => ({
      get: () => outbox.state?.() ?? noOutbox,
      subscribe(listener: () => void) {
        listen()
        return onOutbox.add(listener)
      },
      retry: (key: string) => decide(key, 'retry'),
      discard: (key: string) => decide(key, 'discard'),
      edit: (key: string, body: object) => decide(key, { body }),
    }),
  }
  const plain = openView({ lists: [] })
  return (initialData) => (initialData ? openView(initialData) : plain)
}

function toDocument<Item>({ items, isLoading, status, error }: LiveState<Item>): DocumentState<Item> {
  return { document: items[0], isLoading, status, error }
}
