/** Hooks for React 18 and 19: live lists, documents, optimistic writes, pages and the signed-in user. */
import { type ReactElement, type ReactNode, useMemo, useState, useSyncExternalStore } from 'react'
import type { Client, UntypedSchema } from '../index.js'
import type { Document, Fields } from '../protocol/model/document.js'
import {
  asText,
  type DocumentState,
  type InitialData,
  type ListSelection,
  type Live,
  type LiveState,
  type MutationCalls,
  type MutationOptions,
  type MutationState,
  type MutationStore,
  noDocument,
  noMutations,
  noOutbox,
  noState,
  type OutboxCalls,
  type OutboxState,
  type SessionState,
  type Store,
  unknownSession,
} from '../store/index.js'
import { openPages, type PageCalls, type PageQuery, type PageState } from '../store/pages.js'
import type { AnySchema, Populated, PopulatePath, Selected, SelectPath } from '../types.js'
import { SvcProvider, useClient, useStore } from './provider.js'

export type { DocumentState, InitialData, LiveState, MutationOptions } from '../store/index.js'
export type { PageQuery, PageState } from '../store/pages.js'

/** Selects documents. With `suspense`, a boundary above waits for the first page. */
export type LiveQuery<Data, Path extends string, Schema, Name extends string = string> = ListSelection<
  Data,
  Path,
  Schema,
  Name
> & { readonly suspense?: boolean }

export interface Pages<Item> extends PageCalls, PageState<Item> {}

export interface Mutations<Data> extends MutationCalls<Data>, MutationState {}

export interface AuthValue<UserData extends object> extends SessionState<UserData> {
  /** Calls for login, logout and more. Components update when the user changes. */
  readonly auth: Client<UntypedSchema, UserData>['auth']
}

/** Hooks typed by a schema. */
export interface Hooks<Schema extends AnySchema<Schema>, UserData extends object> {
  /** Provides the client to all components below. */
  SvcProvider(props: {
    readonly client: Client<Schema, UserData>
    /** Data that the server has read. It is shown at once, also in the HTML. */
    readonly initialData?: InitialData
    readonly children?: ReactNode
  }): ReactElement
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
  ): Pages<Document<Selected<Populated<Schema, Schema[Name], Path>, Field>>>
  /** Returns the writes that are not saved yet, and the calls that decide about conflicts. */
  useOutbox(): OutboxState & OutboxCalls
  /** Returns the signed-in user and the calls for login. */
  useAuth(): AuthValue<UserData>
}

/**
 * Creates hooks typed by the schema of your client. Call it once, next to `createClient`.
 *
 * @example
 * import { createHooks } from 'svc-toolkit-client/react'
 *
 * export const { SvcProvider, useLive, useMutation } = createHooks<{ posts: { title: string } }>()
 */
export function createHooks<
  Schema extends AnySchema<Schema> = UntypedSchema,
  UserData extends object = Fields,
>(): Hooks<Schema, UserData> {
  return hooks as object as Hooks<Schema, UserData>
}

type Doc = Document<object>
type Query = LiveQuery<Fields, string, UntypedSchema>

/** Separate objects, to distinguish server-rendered state from a list that is loading in the page. */
const serverList: LiveState<never> = { ...noState }
const serverDocument: DocumentState<never> = { ...noDocument }

/** Follows a list or a document. Throws for the boundaries above if `suspense` is set. */
function useFollowed<State extends LiveState<Doc> | DocumentState<Doc>>(
  open: (store: Store) => Live<State>,
  question: unknown,
  server: State,
  suspense = false,
): State {
  const store = useStore()
  const live = useMemo(() => open(store), [store, asText(question)])
  // The same during hydration as on the server, even if the page knows more by now.
  const rendered = live.initial ?? server
  const state = useSyncExternalStore(live.subscribe, live.get, () => rendered)
  // Never suspends on a server, which reads nothing, nor during hydration, which must match it.
  if (suspense && state.isLoading && state !== rendered) throw live.ready()
  if (suspense && state.error) throw state.error
  return state
}

function useLive(collection: string, { suspense, ...query }: Query = {}): LiveState<Doc> {
  return useFollowed((store) => store.live(collection, query), [collection, query], serverList, suspense)
}

function useDocument(
  collection: string,
  id: string | undefined,
  { suspense, ...options }: Pick<Query, 'populate' | 'select' | 'suspense'> = {},
): DocumentState<Doc> {
  const open = (store: Store) => store.document(collection, id, options)
  return useFollowed(open, [collection, id, options], serverDocument, suspense && id !== undefined)
}

const serverMutations = () => noMutations

function useMutation(name: string, { retry = false }: MutationOptions = {}): Mutations<Fields> {
  const store = useStore()
  // Keeps the writes to another collection, in case the component returns to it.
  const [known] = useState(() => new Map<string, MutationStore<Fields>>())
  const mutations = useMemo(() => {
    const key = `${retry} ${name}`
    const own = known.get(key) ?? store.mutations(name, { retry })
    known.set(key, own)
    return own
  }, [store, name, retry])
  const { create, update, remove } = mutations
  return { create, update, remove, ...useSyncExternalStore(mutations.subscribe, mutations.get, serverMutations) }
}

function usePage(collection: string, query?: Omit<Query, 'offset' | 'suspense'>): Pages<Doc> {
  const client = useClient()
  const store = useStore()
  const { of, ...calls } = useMemo(() => openPages(client, store), [client, store])
  const { subscribe, get } = useMemo(() => of(collection, query), [of, asText([collection, query])])
  return { ...useSyncExternalStore(subscribe, get, get), ...calls }
}

const serverSession = () => unknownSession

const serverOutbox = () => noOutbox

function useOutbox(): OutboxState & OutboxCalls {
  const store = useStore()
  const { subscribe, get, ...calls } = useMemo(() => store.queue(), [store])
  return { ...useSyncExternalStore(subscribe, get, serverOutbox), ...calls }
}

function useAuth(): AuthValue<Fields> {
  const { auth } = useClient()
  const store = useStore()
  const session = useMemo(() => store.session(), [store])
  return { ...useSyncExternalStore(session.subscribe, session.get, serverSession), auth }
}

const hooks = { SvcProvider, useClient, useLive, useDocument, useMutation, useOutbox, usePage, useAuth }
