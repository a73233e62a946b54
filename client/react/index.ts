/** Hooks for React 18 and 19: live lists, documents, optimistic writes, pages and the signed-in user. */
import { type ReactElement, type ReactNode, useMemo, useState, useSyncExternalStore } from 'react'
import type { SignedIn } from '../auth/auth-state.js'
import type { Selection } from '../collections/collection.js'
import type { Client, UntypedSchema } from '../index.js'
import { repeatable } from '../keys.js'
import type { Document, Fields } from '../protocol/model/document.js'
import type { SvcError } from '../protocol/model/errors.js'
import type { AnySchema, Populated, PopulatePath } from '../types.js'
import { asText } from './as-text.js'
import { clientStore, unknownAuth } from './client-store.js'
import { type LiveState, noState } from './live-store.js'
import type { Overlay } from './overlay.js'
import { type PageState, usePage } from './page.js'
import { openWrite } from './persistence.js'
import { SvcProvider, useClient, useUserStore } from './provider.js'

export type { LiveState } from './live-store.js'
export type { PageState } from './page.js'

/** Which documents, in which order and how many; `suspense` lets a boundary above wait for the first page. */
export type LiveQuery<Data, Path extends string, Schema> = Omit<Selection<Data, Path, Schema>, 'signal'> & {
  readonly limit?: number
  readonly offset?: number
  readonly suspense?: boolean
}

export type PageQuery<Data, Path extends string, Schema> = Omit<LiveQuery<Data, Path, Schema>, 'offset' | 'suspense'>

export interface DocumentState<Item> {
  /** Undefined while it is loading, and if there is none of that id. */
  readonly document: Item | undefined
  readonly isLoading: boolean
  readonly status: LiveState<Item>['status']
  readonly error: SvcError | undefined
}

export interface MutationOptions {
  /**
   * Sends a write again for as long as it takes, where the service cannot be reached or asks to come back later. Without it the
   * write is refused after a few attempts. It ends when the page is left, or the user signs out or another one in.
   */
  readonly retry?: boolean
}

export interface Mutations<Data> {
  /** Each resolves once the service has taken it, and rejects if it was refused; what was shown before is then shown again. */
  create(fields: Data): Promise<Document<Data>>
  update(id: string, changes: Partial<Data>): Promise<Document<Data>>
  remove(id: string): Promise<void>
  /** Whether a write is on its way. */
  readonly isPending: boolean
  /** How many are on their way. */
  readonly pendingCount: number
  /** Why a write is being sent again, with `retry`; one of them, for as long as any is. */
  readonly waiting: SvcError | undefined
  /** Of the last write, if it was refused. */
  readonly error: SvcError | undefined
}

export interface AuthValue<UserData extends object> {
  readonly user: SignedIn<UserData>['user'] | undefined
  /** Until it is known whether a user is signed in. */
  readonly isLoading: boolean
  /** Logins, logout and the rest: what changes who is signed in is shown by itself. */
  readonly auth: Client<UntypedSchema, UserData>['auth']
}

/** Hooks that know the documents by their types. */
export interface Hooks<Schema extends AnySchema<Schema>, UserData extends object> {
  /** Gives the client to all that is below. */
  SvcProvider(props: { readonly client: Client<Schema, UserData>; readonly children?: ReactNode }): ReactElement
  /** The client of the provider above. @throws {Error} if there is none */
  useClient(): Client<Schema, UserData>
  /** A list that stays current. Components that ask the same share one subscription. */
  useLive<Name extends keyof Schema & string, const Path extends PopulatePath<Schema, Schema[Name]> = never>(
    collection: Name,
    query?: LiveQuery<Schema[Name], Path, Schema>,
  ): LiveState<Document<Populated<Schema, Schema[Name], Path>>>
  /** A document that stays current; none while the id is undefined. */
  useDocument<Name extends keyof Schema & string, const Path extends PopulatePath<Schema, Schema[Name]> = never>(
    collection: Name,
    id: string | undefined,
    options?: { readonly populate?: readonly Path[]; readonly suspense?: boolean },
  ): DocumentState<Document<Populated<Schema, Schema[Name], Path>>>
  /** Writes that lists and documents show at once, and take back if they are refused. */
  useMutation<Name extends keyof Schema & string>(collection: Name, options?: MutationOptions): Mutations<Schema[Name]>
  /** A page of a list, read when it is turned to. */
  usePage<Name extends keyof Schema & string, const Path extends PopulatePath<Schema, Schema[Name]> = never>(
    collection: Name,
    query?: PageQuery<Schema[Name], Path, Schema>,
  ): PageState<Document<Populated<Schema, Schema[Name], Path>>>
  /** Who is signed in. */
  useAuth(): AuthValue<UserData>
}

/**
 * The hooks, typed by the same schema as the client: `export const { SvcProvider, useLive } = createHooks<Schema>()`. An app makes
 * them once, beside its client.
 */
export function createHooks<
  Schema extends AnySchema<Schema> = UntypedSchema,
  UserData extends object = Fields,
>(): Hooks<Schema, UserData> {
  return hooks as object as Hooks<Schema, UserData>
}

type Doc = Document<object>
type Query = LiveQuery<Fields, string, UntypedSchema>

/** An object of its own: what a server rendered is told apart from a list that is read in the page. */
const serverList = { ...noState }
const serverState = () => serverList

function useLive(collection: string, { suspense = false, ...query }: Query = {}): LiveState<Doc> {
  const user = useUserStore()
  const key = asText([collection, query])
  const list = useMemo(() => user.list(key, collection, query), [user, key])
  const state = useSyncExternalStore(list.subscribe, list.state, serverState)
  // A server would wait for what is never read, and a page that takes its text over begins with the same.
  if (suspense && state.isLoading && state !== serverList) throw list.ready()
  if (suspense && state.error) throw state.error
  return state
}

/** What no document has. */
const noId = '00000000-0000-0000-0000-000000000000'

function useDocument(
  collection: string,
  id: string | undefined,
  { populate, suspense }: { readonly populate?: readonly string[]; readonly suspense?: boolean } = {},
): DocumentState<Doc> {
  const { items, isLoading, status, error } = useLive(collection, {
    where: { id: id ?? noId },
    limit: 1,
    populate,
    suspense: suspense && id !== undefined,
  })
  return { document: items[0], isLoading, status, error }
}

/** A write that is on its way, why it is sent again, or why it was refused. */
interface Write {
  readonly key: number
  /** Of its user and collection. */
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
      // Of now: an app may log in and write before it renders.
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
        // However often it is sent, it creates one document.
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
              // The answer of an attempt before may have been lost.
              if (attempt === 1 || failure.code !== 'NOT_FOUND') throw failure
              return undefined
            },
          ),
        ),
    }
  }, [client, name, retry])
  // Those of another user or collection are not shown, although they may still be on their way.
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
