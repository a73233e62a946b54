/** Hooks for React 18 and 19: live lists, documents, optimistic writes, pages and the signed-in user. */
import { type ReactElement, type ReactNode, useMemo, useState, useSyncExternalStore } from 'react'
import type { SignedIn } from '../auth/auth-state.js'
import type { Selection } from '../collections/collection.js'
import type { Client, UntypedSchema } from '../index.js'
import { repeatable } from '../keys.js'
import type { Document, Fields } from '../protocol/model/document.js'
import type { SvcError } from '../protocol/model/errors.js'
import type { AnySchema, Populated, PopulatePath, Selected, SelectPath } from '../types.js'
import { asText } from './as-text.js'
import { clientStore, unknownAuth } from './client-store.js'
import { type LiveState, noState } from './live-store.js'
import type { Overlay } from './overlay.js'
import { type PageState, usePage } from './page.js'
import { openWrite } from './persistence.js'
import { SvcProvider, useClient, useUserStore } from './provider.js'

export type { LiveState } from './live-store.js'
export type { PageState } from './page.js'

/** Selects documents. With `suspense`, a boundary above waits for the first page. */
export type LiveQuery<Data, Path extends string, Schema, Name extends string = string> = Omit<
  Selection<Data, Path, Schema, Name>,
  'signal'
> & {
  readonly limit?: number
  readonly offset?: number
  readonly suspense?: boolean
}

export type PageQuery<Data, Path extends string, Schema, Name extends string = string> = Omit<
  LiveQuery<Data, Path, Schema, Name>,
  'offset' | 'suspense'
>

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

export interface Mutations<Data> {
  /** Writes resolve once saved. They reject if refused, and the previous state is shown again. */
  create(fields: Data): Promise<Document<Data>>
  update(id: string, changes: Partial<Data>): Promise<Document<Data>>
  remove(id: string): Promise<void>
  /** True while a write is pending. */
  readonly isPending: boolean
  /** Number of pending writes. */
  readonly pendingCount: number
  /** With `retry`: why a pending write is being retried. */
  readonly waiting: SvcError | undefined
  /** Error of the last write, if it failed. */
  readonly error: SvcError | undefined
}

export interface AuthValue<UserData extends object> {
  readonly user: SignedIn<UserData>['user'] | undefined
  /** True until the stored session has been read. */
  readonly isLoading: boolean
  /** Calls for login, logout and more. Components update when the user changes. */
  readonly auth: Client<UntypedSchema, UserData>['auth']
}

/** Hooks typed by a schema. */
export interface Hooks<Schema extends AnySchema<Schema>, UserData extends object> {
  /** Provides the client to all components below. */
  SvcProvider(props: { readonly client: Client<Schema, UserData>; readonly children?: ReactNode }): ReactElement
  /** Returns the client of the provider above. @throws {Error} without a provider */
  useClient(): Client<Schema, UserData>
  /** Keeps a list up to date. Components with the same query share one subscription. */
  useLive<
    Name extends keyof Schema & string,
    const Path extends PopulatePath<Schema, Schema[Name]> = never,
    const Field extends SelectPath<Schema, Schema[Name], Path> = never,
  >(
    collection: Name,
    query?: LiveQuery<Schema[Name], Path, Schema, Field>,
  ): LiveState<Document<Selected<Populated<Schema, Schema[Name], Path>, Field>>>
  /** Keeps a document up to date. Loads nothing while the id is undefined. */
  useDocument<
    Name extends keyof Schema & string,
    const Path extends PopulatePath<Schema, Schema[Name]> = never,
    const Field extends SelectPath<Schema, Schema[Name], Path> = never,
  >(
    collection: Name,
    id: string | undefined,
    options?: { readonly populate?: readonly Path[]; readonly select?: readonly Field[]; readonly suspense?: boolean },
  ): DocumentState<Document<Selected<Populated<Schema, Schema[Name], Path>, Field>>>
  /** Returns optimistic writes: shown at once, and rolled back if refused. */
  useMutation<Name extends keyof Schema & string>(collection: Name, options?: MutationOptions): Mutations<Schema[Name]>
  /** Reads one page of a list at a time. */
  usePage<
    Name extends keyof Schema & string,
    const Path extends PopulatePath<Schema, Schema[Name]> = never,
    const Field extends SelectPath<Schema, Schema[Name], Path> = never,
  >(
    collection: Name,
    query?: PageQuery<Schema[Name], Path, Schema, Field>,
  ): PageState<Document<Selected<Populated<Schema, Schema[Name], Path>, Field>>>
  /** Returns the signed-in user and the calls for login. */
  useAuth(): AuthValue<UserData>
}

/**
 * Creates hooks typed by the schema of your client: `export const { SvcProvider, useLive } = createHooks<Schema>()`. Call
 * it once, next to `createClient`.
 */
export function createHooks<
  Schema extends AnySchema<Schema> = UntypedSchema,
  UserData extends object = Fields,
>(): Hooks<Schema, UserData> {
  return hooks as object as Hooks<Schema, UserData>
}

type Doc = Document<object>
type Query = LiveQuery<Fields, string, UntypedSchema>

/** A separate object, to distinguish server-rendered state from a list that is loading in the page. */
const serverList = { ...noState }
const serverState = () => serverList

function useLive(collection: string, { suspense = false, ...query }: Query = {}): LiveState<Doc> {
  const user = useUserStore()
  const key = asText([collection, query])
  const list = useMemo(() => user.list(key, collection, query), [user, key])
  const state = useSyncExternalStore(list.subscribe, list.state, serverState)
  // Never suspends on a server, which reads nothing, nor during hydration, which must match it.
  if (suspense && state.isLoading && state !== serverList) throw list.ready()
  if (suspense && state.error) throw state.error
  return state
}

/** Matches no document. */
const noId = '00000000-0000-0000-0000-000000000000'

function useDocument(
  collection: string,
  id: string | undefined,
  { suspense, ...query }: Pick<Query, 'populate' | 'select' | 'suspense'> = {},
): DocumentState<Doc> {
  const { items, isLoading, status, error } = useLive(collection, {
    where: { id: id ?? noId },
    limit: 1,
    ...query,
    suspense: suspense && id !== undefined,
  })
  return { document: items[0], isLoading, status, error }
}

/** A pending or failed write. */
interface Write {
  readonly key: number
  /** Overlay of its user and collection. */
  readonly overlay: Overlay
  readonly waiting?: SvcError
  readonly error?: SvcError
}

let writes = 0

function useMutation(name: string, { retry = false }: MutationOptions = {}): Mutations<Fields> {
  const client = useClient()
  const user = useUserStore()
  const [all, setAll] = useState<readonly Write[]>([])
  const calls = useMemo(() => {
    const collection = client.collection(name)
    const write = async <Result extends Doc | undefined>(
      change: Parameters<Overlay['begin']>[0],
      send: (attempt: number) => Promise<Result>,
    ): Promise<Result> => {
      // Reads the current user, because an app may log in and write before it renders.
      const overlay = clientStore(client).user().overlay(name)
      const pending = overlay.begin(change)
      const key = ++writes
      const become = (next: readonly Write[]) => setAll((all) => all.flatMap((one) => (one.key === key ? next : one)))
      const onWaiting = (waiting: SvcError) => become([{ key, overlay, waiting }])
      setAll((all) => [{ key, overlay }, ...all.filter((other) => !other.error)])
      try {
        const result = await overlay.inTurn(change.id, openWrite(client, send, retry && onWaiting))
        pending.confirm(result)
        become([])
        return result
      } catch (error) {
        pending.rollBack()
        become([{ key, overlay, error: error as SvcError }])
        throw error
      }
    }
    return {
      create(data: Fields) {
        // Uses one key for all attempts, so that retries create one document.
        const options = repeatable()
        return write({ kind: 'create', id: `new-${++writes}`, data }, () => collection.create(data, options))
      },
      update: (id: string, data: Partial<Fields>) =>
        write({ kind: 'update', id, data }, () => collection.update(id, data as Fields)),
      remove: (id: string) =>
        write({ kind: 'delete', id, data: {} }, (attempt) =>
          collection.delete(id).then(
            () => undefined,
            (failure: SvcError) => {
              // An earlier attempt may have succeeded although its response was lost.
              if (attempt === 1 || failure.code !== 'NOT_FOUND') throw failure
              return undefined
            },
          ),
        ),
    }
  }, [client, name, retry])
  // Hides writes of another user or collection, even if they are still pending.
  const shown = all.filter((write) => write.overlay === user.overlay(name))
  const pendingCount = shown.filter((write) => !write.error).length
  const found = (name: 'waiting' | 'error') => shown.find((write) => write[name])?.[name]
  return { ...calls, isPending: pendingCount > 0, pendingCount, error: found('error'), waiting: found('waiting') }
}

const serverAuth = () => unknownAuth

function useAuth(): AuthValue<Fields> {
  const client = useClient()
  const { subscribe, auth } = clientStore(client)
  return { ...useSyncExternalStore(subscribe, auth, serverAuth), auth: client.auth }
}

const hooks = { SvcProvider, useClient, useLive, useDocument, useMutation, usePage, useAuth }
