/** Composables for Vue 3: live lists, documents, optimistic writes and the signed-in user. */
import {
  getCurrentInstance,
  inject,
  type MaybeRefOrGetter,
  onMounted,
  type Plugin,
  type Ref,
  shallowReactive,
  toRefs,
  toValue,
  watch,
} from 'vue'
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
  type OutboxCalls,
  type OutboxState,
  openStore,
  type Readable,
  type SessionState,
  type Store,
} from '../store/index.js'
import { openPages, type PageCalls, type PageQuery, type PageState } from '../store/pages.js'
import type { AnySchema, Populated, PopulatePath, Selected, SelectPath } from '../types.js'

export type { DocumentState, InitialData, ListSelection, LiveState, MutationOptions } from '../store/index.js'
export type { PageQuery, PageState } from '../store/pages.js'

/** Each part of a state as a ref. The documents in it are not reactive, so that unchanged rows do not render again. */
export type Refs<State> = { readonly [Name in keyof State]: Readonly<Ref<State[Name]>> }

/** Optimistic writes to one collection, and the state of those made here. */
export type Mutations<Data> = MutationCalls<Data> & Refs<MutationState>

/** A page, and the calls that turn it. */
export type Pages<Item> = PageCalls & Refs<PageState<Item>>

/** Writes that are not saved yet, and the calls that decide about conflicts. */
export type Outbox = OutboxCalls & Refs<OutboxState>

/** The signed-in user, and the calls for login, logout and more. */
export type AuthValue<UserData extends object> = Refs<SessionState<UserData>> & {
  readonly auth: Client<UntypedSchema, UserData>['auth']
}

export interface ProviderOptions {
  /** Data that the server has read. It is shown at once, also in the HTML. */
  readonly initialData?: InitialData | undefined
}

/** Composables typed by a schema. They take plain values, refs and getters, and follow these when they change. */
export interface Hooks<Schema extends AnySchema<Schema>, UserData extends object> {
  /** Provides the client to all components of an app: `app.use(SvcPlugin, svc)`. */
  readonly SvcPlugin: Plugin<[client: Client<Schema, UserData>, options?: ProviderOptions]>
  /** Returns the client of the app. @throws {Error} without the plugin */
  useClient(): Client<Schema, UserData>
  /** Keeps a list up to date. Components with the same query share one subscription. */
  useLive<
    Name extends keyof Schema & string,
    const Path extends PopulatePath<Schema, Schema[Name]> = never,
    const Field extends SelectPath<Schema, Schema[Name], Path> = never,
  >(
    collection: MaybeRefOrGetter<Name>,
    query?: MaybeRefOrGetter<ListSelection<Schema[Name], Path, Schema, Field>>,
  ): Refs<LiveState<Document<Selected<Populated<Schema, Schema[Name], Path>, Field>>>>
  /** Keeps a document up to date. Loads nothing while the id is undefined. */
  useDocument<
    Name extends keyof Schema & string,
    const Path extends PopulatePath<Schema, Schema[Name]> = never,
    const Field extends SelectPath<Schema, Schema[Name], Path> = never,
  >(
    collection: MaybeRefOrGetter<Name>,
    id: MaybeRefOrGetter<string | undefined>,
    options?: MaybeRefOrGetter<{ readonly populate?: readonly Path[]; readonly select?: readonly Field[] }>,
  ): Refs<DocumentState<Document<Selected<Populated<Schema, Schema[Name], Path>, Field>>>>
  /** Returns optimistic writes: shown at once, and rolled back if refused. */
  useMutation<Name extends keyof Schema & string>(collection: Name, options?: MutationOptions): Mutations<Schema[Name]>
  /** Reads one page of a list at a time. */
  usePage<
    Name extends keyof Schema & string,
    const Path extends PopulatePath<Schema, Schema[Name]> = never,
    const Field extends SelectPath<Schema, Schema[Name], Path> = never,
  >(
    collection: MaybeRefOrGetter<Name>,
    query?: MaybeRefOrGetter<PageQuery<Schema[Name], Path, Schema, Field>>,
  ): Pages<Document<Selected<Populated<Schema, Schema[Name], Path>, Field>>>
  /** Returns the writes that are not saved yet, and the calls that decide about conflicts. */
  useOutbox(): Outbox
  /** Returns the signed-in user and the calls for login. */
  useAuth(): AuthValue<UserData>
}

/**
 * Creates composables typed by the schema of your client. Call it once, next to `createClient`.
 *
 * @example
 * import { createHooks } from 'svc-toolkit-client/vue'
 *
 * export const { SvcPlugin, useLive, useMutation } = createHooks<{ posts: { title: string } }>()
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

const SvcPlugin: Plugin<[client: Client, options?: ProviderOptions]> = (app, client, options) =>
  app.provide(clientKey, { client, store: openStore(client, options) })

function useProvided(): Provided {
  const provided = inject<Provided | undefined>(clientKey, undefined)
  if (provided) return provided
  throw new Error('Add the plugin to your app: app.use(SvcPlugin, svc).')
}

const useClient = (): Client => useProvided().client
const useStore = (): Store => useProvided().store

/** Follows a value of the store from when the component is mounted, which it never is on a server. */
function useFollowed<State extends object>(open: () => Readable<State>, question?: () => unknown): Refs<State> {
  const state = shallowReactive({ ...open().get() })
  const follow = () =>
    watch(
      () => asText(question?.()),
      (_, __, onCleanup) => {
        const value = open()
        const show = () => Object.assign(state, value.get())
        onCleanup(value.subscribe(show))
        show()
      },
      { immediate: true },
    )
  if (getCurrentInstance()) onMounted(() => void follow())
  else follow()
  return toRefs(state) as object as Refs<State>
}

function useLive(collection: MaybeRefOrGetter<string>, query?: MaybeRefOrGetter<Query>) {
  const store = useStore()
  const question = () => [toValue(collection), toValue(query)] as const
  return useFollowed(() => store.live(...question()), question)
}

function useDocument(
  collection: MaybeRefOrGetter<string>,
  id: MaybeRefOrGetter<string | undefined>,
  options?: MaybeRefOrGetter<Pick<Query, 'populate' | 'select'>>,
) {
  const store = useStore()
  const question = () => [toValue(collection), toValue(id), toValue(options)] as const
  return useFollowed(() => store.document(...question()), question)
}

function useMutation(collection: string, options?: MutationOptions): Mutations<Fields> {
  const mutations = useStore().mutations(collection, options)
  const { create, update, remove } = mutations
  return { create, update, remove, ...useFollowed(() => mutations) }
}

function usePage(collection: MaybeRefOrGetter<string>, query?: MaybeRefOrGetter<Omit<Query, 'offset'>>) {
  const { client, store } = useProvided()
  const { of, ...calls } = openPages(client, store)
  const question = () => [toValue(collection), toValue(query)] as const
  return { ...calls, ...useFollowed(() => of(...question()), question) }
}

function useOutbox(): Outbox {
  const outbox = useStore().queue()
  const { retry, discard, edit } = outbox
  return { retry, discard, edit, ...useFollowed(() => outbox) }
}

function useAuth(): AuthValue<Fields> {
  const { client, store } = useProvided()
  const session = store.session()
  return { ...useFollowed(() => session), auth: client.auth }
}

const hooks = { SvcPlugin, useClient, useLive, useDocument, useMutation, useOutbox, usePage, useAuth }
