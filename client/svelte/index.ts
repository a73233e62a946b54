/** Live lists, documents, optimistic writes and the signed-in user for Svelte 5, as stores and for runes. */
import { getContext, setContext } from 'svelte'
import { createSubscriber } from 'svelte/reactivity'
import type { Client, UntypedSchema } from '../index.js'
import type { Document, Fields } from '../protocol/model/document.js'
import {
  asText,
  type DocumentState,
  type InitialData,
  type ListSelection,
  type LiveState,
  type MutationCalls,
  type MutationOptions,
  type MutationState,
  noDocument,
  noMutations,
  noOutbox,
  noState,
  type OutboxCalls,
  type OutboxState,
  openStore,
  type Readable,
  type SessionState,
  type Store,
  unknownSession,
} from '../store/index.js'
import { noPage, openPages, type PageCalls, type PageQuery, type PageState } from '../store/pages.js'
import type { AnySchema, Populated, PopulatePath, Selected, SelectPath } from '../types.js'

export type { DocumentState, InitialData, ListSelection, LiveState, MutationOptions } from '../store/index.js'
export type { PageQuery, PageState } from '../store/pages.js'

/** A state whose properties are reactive, and which is also a store: read `list.items`, or `$list.items`. */
export type Reactive<State> = Readonly<State> & {
  /** Calls back at once and after each change, until the returned function is called. */
  subscribe(run: (state: State) => void): () => void
}

/** A value, or a function that returns it. Functions may read runes; the state then follows them. */
export type MaybeGetter<Value> = Value | (() => Value)

/** Optimistic writes to one collection, and the state of those made here. */
export type Mutations<Data> = MutationCalls<Data> & Reactive<MutationState>

/** A page, and the calls that turn it. */
export type Pages<Item> = PageCalls & Reactive<PageState<Item>>

/** Writes that are not saved yet, and the calls that decide about conflicts. */
export type Outbox = OutboxCalls & Reactive<OutboxState>

/** The signed-in user, and the calls for login, logout and more. */
export type AuthValue<UserData extends object> = Reactive<SessionState<UserData>> & {
  readonly auth: Client<UntypedSchema, UserData>['auth']
}

export interface ProviderOptions {
  /** Data that the server has read. It is shown at once, also in the HTML. */
  readonly initialData?: InitialData | undefined
}

/** Functions typed by a schema. Call them while a component is created. */
export interface Hooks<Schema extends AnySchema<Schema>, UserData extends object> {
  /** Provides the client to this component and all below. */
  provideClient(client: Client<Schema, UserData>, options?: ProviderOptions): void
  /** Returns the client of a component above. @throws {Error} if none provides it */
  useClient(): Client<Schema, UserData>
  /** Keeps a list up to date. Components with the same query share one subscription. */
  useLive<
    Name extends keyof Schema & string,
    const Path extends PopulatePath<Schema, Schema[Name]> = never,
    const Field extends SelectPath<Schema, Schema[Name], Path> = never,
  >(
    collection: MaybeGetter<Name>,
    query?: MaybeGetter<ListSelection<Schema[Name], Path, Schema, Field>>,
  ): Reactive<LiveState<Document<Selected<Populated<Schema, Schema[Name], Path>, Field>>>>
  /** Keeps a document up to date. Loads nothing while the id is undefined. */
  useDocument<
    Name extends keyof Schema & string,
    const Path extends PopulatePath<Schema, Schema[Name]> = never,
    const Field extends SelectPath<Schema, Schema[Name], Path> = never,
  >(
    collection: MaybeGetter<Name>,
    id: MaybeGetter<string | undefined>,
    options?: MaybeGetter<{ readonly populate?: readonly Path[]; readonly select?: readonly Field[] }>,
  ): Reactive<DocumentState<Document<Selected<Populated<Schema, Schema[Name], Path>, Field>>>>
  /** Returns optimistic writes: shown at once, and rolled back if refused. */
  useMutation<Name extends keyof Schema & string>(collection: Name, options?: MutationOptions): Mutations<Schema[Name]>
  /** Reads one page of a list at a time. */
  usePage<
    Name extends keyof Schema & string,
    const Path extends PopulatePath<Schema, Schema[Name]> = never,
    const Field extends SelectPath<Schema, Schema[Name], Path> = never,
  >(
    collection: MaybeGetter<Name>,
    query?: MaybeGetter<PageQuery<Schema[Name], Path, Schema, Field>>,
  ): Pages<Document<Selected<Populated<Schema, Schema[Name], Path>, Field>>>
  /** Returns the writes that are not saved yet, and the calls that decide about conflicts. */
  useOutbox(): Outbox
  /** Returns the signed-in user and the calls for login. */
  useAuth(): AuthValue<UserData>
}

/**
 * Creates functions typed by the schema of your client. Call it once, next to `createClient`.
 *
 * @example
 * import { createHooks } from 'svc-toolkit-client/svelte'
 *
 * export const { provideClient, useLive, useMutation } = createHooks<{ posts: { title: string } }>()
 */
export function createHooks<
  Schema extends AnySchema<Schema> = UntypedSchema,
  UserData extends object = Fields,
>(): Hooks<Schema, UserData> {
  return hooks as object as Hooks<Schema, UserData>
}

type Query = ListSelection<Fields, string, UntypedSchema>

const clientKey = Symbol('svc')

interface Provided {
  readonly client: Client
  readonly store: Store
}

function provideClient(client: Client, options?: ProviderOptions): void {
  setContext(clientKey, { client, store: openStore(client, options) })
}

function useProvided(): Provided {
  const provided = getContext<Provided | undefined>(clientKey)
  if (provided) return provided
  throw new Error('Call provideClient(svc) in a component above.')
}

const useClient = (): Client => useProvided().client
const useStore = (): Store => useProvided().store

function current<Value>(given: MaybeGetter<Value>): Value {
  return typeof given === 'function' ? (given as () => Value)() : given
}

/**
 * Makes a value of the store reactive.
 *
 * @param names any state, for the names of its properties
 */
function reactive<State extends object>(
  open: () => Readable<State>,
  names: State,
  question?: () => unknown,
): Reactive<State> {
  let last: { readonly key: string; readonly value: Readable<State>; readonly track: () => void } | undefined
  /** Returns the value for the current question. */
  function follow() {
    const key = asText(question?.())
    if (!last || last.key !== key) {
      const value = open()
      last = { key, value, track: createSubscriber((update) => value.subscribe(update)) }
    }
    return last
  }
  const properties = Object.keys(names).map((name) => {
    const get = () => {
      const { value, track } = follow()
      track()
      return value.get()[name as keyof State]
    }
    return [name, { get, enumerable: true }]
  })
  return Object.defineProperties(
    {
      subscribe(run: (state: State) => void) {
        const { value } = follow()
        const show = () => run(value.get())
        show()
        return value.subscribe(show)
      },
    },
    Object.fromEntries(properties),
  ) as Reactive<State>
}

function useLive(collection: MaybeGetter<string>, query?: MaybeGetter<Query>) {
  const store = useStore()
  const question = () => [current(collection), current(query)] as const
  return reactive(() => store.live(...question()), noState, question)
}

function useDocument(
  collection: MaybeGetter<string>,
  id: MaybeGetter<string | undefined>,
  options?: MaybeGetter<Pick<Query, 'populate' | 'select'>>,
) {
  const store = useStore()
  const question = () => [current(collection), current(id), current(options)] as const
  return reactive(() => store.document(...question()), noDocument, question)
}

function useMutation(collection: string, options?: MutationOptions): Mutations<Fields> {
  const mutations = useStore().mutations(collection, options)
  const { create, update, remove } = mutations
  return Object.assign(
    reactive<MutationState>(() => mutations, noMutations),
    { create, update, remove },
  )
}

function usePage(collection: MaybeGetter<string>, query?: MaybeGetter<Omit<Query, 'offset'>>): Pages<Document<object>> {
  const { client, store } = useProvided()
  const { of, ...calls } = openPages(client, store)
  const question = () => [current(collection), current(query)] as const
  return Object.assign(
    reactive<PageState<Document<object>>>(() => of(...question()), noPage, question),
    calls,
  )
}

function useOutbox(): Outbox {
  const outbox = useStore().queue()
  const { retry, discard, edit } = outbox
  return Object.assign(
    reactive<OutboxState>(() => outbox, noOutbox),
    { retry, discard, edit },
  )
}

function useAuth(): AuthValue<Fields> {
  const { client, store } = useProvided()
  const session = store.session()
  return Object.assign(
    reactive(() => session, unknownSession),
    { auth: client.auth },
  )
}

const hooks = { provideClient, useClient, useLive, useDocument, useMutation, useOutbox, usePage, useAuth }
