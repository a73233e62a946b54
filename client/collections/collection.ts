import type { Session } from '../auth/session.js'
import type { Document, Fields } from '../protocol/model/document.js'
import type { Page } from '../protocol/model/page.js'
import { decodeDocument } from '../protocol/wire/document/decode.js'
import { otherForm } from '../protocol/wire/expected.js'
import * as addresses from '../protocol/wire/paths/encode.js'
import { encodeListQuery } from '../protocol/wire/query/encode.js'
import { decodeCount } from '../protocol/wire/records/decode.js'
import type { Spoken } from '../protocol/wire/spoken.js'
import { type LiveList, type LiveOptions, openLive } from '../realtime/live.js'
import { openSubscription, type SubscribeOptions, type Subscription } from '../realtime/subscription.js'
import type { Populated, PopulatePath, Selected, SelectPath, SortBy, WhereInput, WithLinked } from '../types.js'
import { type CallOptions, collectionWrites } from './collection-writes.js'
import { type Extensible, internals, shared } from './internals.js'
import { allPages, getLinked, listPage, type PageQuery, readPages, toQuery } from './list-pages.js'

/** Selects and sorts documents. */
export interface Selection<Data, Path extends string = string, Schema = unknown, Name extends string = string>
  extends CallOptions {
  /** Filter. May use fields of linked documents if their ids are populated. */
  readonly where?: WhereInput<WithLinked<Schema, Data, Path>>
  /**
   * Field to sort by, or several: later ones decide where earlier ones are equal. Prefix a field with `-` for descending
   * order. Default: newest first.
   */
  readonly sort?: SortBy<Data> | readonly SortBy<Data>[]
  /** Fields whose ids are replaced by the linked documents. */
  readonly populate?: readonly Path[]
  /** The only fields to return. The id and the times always stay. Default: all fields. */
  readonly select?: readonly Name[]
}

export interface ListOptions<Data, Path extends string = string, Schema = unknown, Name extends string = string>
  extends Selection<Data, Path, Schema, Name> {
  /** Default 20, at most 100; in dialect b 50, at most 500. */
  readonly limit?: number
  readonly offset?: number
  /** `false` skips counting, which is faster. `total` is then `null`. */
  readonly count?: boolean
}

/** Opens the calls for the documents of one collection. */
export function openCollection<Schema, Data extends object = Fields>(session: Session, name: string) {
  const readPage = (query: PageQuery) =>
    listPage(session, (dialect) => addresses.documents(dialect, name), 'documents', decodeDocument, query)

  return {
    ...collectionWrites<Data>(session, name),
    [internals]: { session, name, ...shared } as Extensible<Schema, Data>[typeof internals],

    /**
     * Lists one page of documents. All conditions of `where` must hold.
     *
     * @example
     * const page = await svc.collection('posts').list({
     *   where: { status: 'published', views: { gte: 100 } },
     *   sort: ['-views', 'title'],
     *   select: ['title', 'views'],
     *   limit: 10,
     * })
     *
     * @throws {SvcError} `NOT_FOUND`
     */
    async list<
      const Path extends PopulatePath<Schema, Data> = never,
      const Name extends SelectPath<Schema, Data, Path> = never,
    >(
      options: ListOptions<Data, Path, Schema, Name> = {},
    ): Promise<Page<Document<Selected<Populated<Schema, Data, Path>, Name>>>> {
      return readPage(toQuery(options)) as Promise<Page<Document<Selected<Populated<Schema, Data, Path>, Name>>>>
    },

    /**
     * Yields every selected document. Without `sort`, in order of creation and each exactly once, even during concurrent
     * writes. With `sort`, documents that move between pages during the read may be missed or come twice.
     *
     * @example
     * for await (const post of svc.collection('posts').iterate({ where: { status: 'draft' } })) console.log(post.id)
     *
     * @throws {SvcError} `NOT_FOUND`
     */
    async *iterate<
      const Path extends PopulatePath<Schema, Data> = never,
      const Name extends SelectPath<Schema, Data, Path> = never,
    >(
      options: Selection<Data, Path, Schema, Name> = {},
    ): AsyncGenerator<Document<Selected<Populated<Schema, Data, Path>, Name>>, void, undefined> {
      const query = toQuery(options)
      const read = readPages(readPage, query)
      const pages = query.sort[0] ? read : allPages(session, () => this.count(options), read)
      for await (const { items } of pages) yield* items as Document<Selected<Populated<Schema, Data, Path>, Name>>[]
    },

    /**
     * Counts the documents that match a filter, or all documents. With `populate`, the filter may use linked documents.
     *
     * @example
     * const drafts = await svc.collection('posts').count({ where: { status: 'draft' } })
     *
     * @throws {SvcError} `NOT_FOUND`
     */
    async count<const Path extends PopulatePath<Schema, Data> = never>(
      options: Pick<Selection<Data, Path, Schema>, 'where' | 'populate' | 'signal'> = {},
    ): Promise<number> {
      const query = toQuery(options)
      // Some services refuse a limit of 0.
      const { total } = await readPage({ ...query, limit: 1 })
      if (total !== null) return total
      // Some services leave out the total of an array, and have a path for counting.
      return session
        .ask('GET', '', decodeCount, (dialect) => ({
          path: addresses.query(name, 'count'),
          query: encodeListQuery(dialect, query),
          signal: query.signal,
        }))
        .catch((cause) => {
          if (!/^(404|405)$/.test(cause.status)) throw cause
          throw otherForm('list', 'The response has no total. ')
        })
    },

    /**
     * Returns one document.
     *
     * @example
     * const [first] = (await svc.collection('posts').list({ limit: 1 })).items
     * if (first) console.log((await svc.collection('posts').get(first.id)).data)
     *
     * @throws {SvcError} `NOT_FOUND`
     */
    async get<
      const Path extends PopulatePath<Schema, Data> = never,
      const Name extends SelectPath<Schema, Data, Path> = never,
    >(
      id: string,
      options: Pick<Selection<Data, Path, Schema, Name>, 'populate' | 'select' | 'signal'> = {},
    ): Promise<Document<Selected<Populated<Schema, Data, Path>, Name>>> {
      const toPath = (dialect: Spoken) => addresses.document(dialect, name, id)
      return getLinked(session, toPath, decodeDocument, options) as Promise<
        Document<Selected<Populated<Schema, Data, Path>, Name>>
      >
    },

    /**
     * Subscribes to changes, as an async iterable or with callbacks. Reconnects after a lost connection and resumes after
     * the last change, so that no change is missed or comes twice. Leaving the loop closes the subscription.
     *
     * @example
     * const subscription = svc.collection('posts').subscribe({ where: { status: 'published' } })
     * await subscription.ready
     * await svc.collection('posts').create({ title: 'Hello', status: 'published' })
     * for await (const { kind, document } of subscription) {
     *   console.log(kind, document.data.title)
     *   break
     * }
     *
     * @throws {SvcError} during iteration: `NOT_FOUND`, `INVALID_COLLECTION`, `FORBIDDEN`, `RESYNC`
     */
    subscribe(options: SubscribeOptions<Data> = {}): Subscription<Data> {
      return openSubscription(session, name, options)
    },

    /**
     * Keeps a sorted, filtered list up to date. Calls `onPage` with the first page and after each change. Does not
     * notice changes of linked documents alone.
     *
     * @example
     * const top = svc.collection('posts').live({ sort: '-views', limit: 10 })
     * for await (const page of top) {
     *   console.log(page.items.map((post) => post.data.title))
     *   break
     * }
     *
     * @throws {SvcError} `FORBIDDEN`
     */
    live<
      const Path extends PopulatePath<Schema, Data> = never,
      const Name extends SelectPath<Schema, Data, Path> = never,
    >(
      options: ListOptions<Data, Path, Schema, Name> &
        LiveOptions<Document<Selected<Populated<Schema, Data, Path>, Name>>> = {},
    ): LiveList<Document<Selected<Populated<Schema, Data, Path>, Name>>> {
      const { signal } = options
      const query = toQuery(options)
      // Changes hold only the ids of linked documents, so only a new list can tell whether the filter matches.
      const isLinked = query.populate[0] && query.where.all.some(({ any }) => any.some(({ path }) => path[1]))
      return openLive(
        () => readPage(query) as Promise<Page<Document<Selected<Populated<Schema, Data, Path>, Name>>>>,
        (callbacks) =>
          openSubscription<Data>(session, name, { where: isLinked ? undefined : query.where, signal, ...callbacks }),
        options,
      )
    },
  }
}

export type CollectionClient<Schema, Data extends object> = ReturnType<typeof openCollection<Schema, Data>>
