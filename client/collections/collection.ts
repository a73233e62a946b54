import type { Session } from '../auth/session.js'
import type { Document, Fields } from '../protocol/model/document.js'
import type { Page, Sort } from '../protocol/model/page.js'
import { decodeDocument } from '../protocol/wire/document/decode.js'
import { otherForm } from '../protocol/wire/expected.js'
import * as addresses from '../protocol/wire/paths/encode.js'
import { encodeListQuery } from '../protocol/wire/query/encode.js'
import { decodeCount } from '../protocol/wire/records/decode.js'
import type { Spoken } from '../protocol/wire/spoken.js'
import { type LiveList, type LiveOptions, openLive } from '../realtime/live.js'
import { openSubscription, type SubscribeOptions, type Subscription } from '../realtime/subscription.js'
import type { Populated, PopulatePath, SortField, WhereInput, WithLinked } from '../types.js'
import { type CallOptions, collectionWrites } from './collection-writes.js'
import { getLinked, listPage, type PageQuery, queryOf, readPages } from './list-pages.js'

/** Which documents, and in which order. */
export interface Selection<Data, Path extends string = string, Schema = unknown> extends CallOptions {
  /** Fields of linked documents among them, where their ids are populated. */
  readonly where?: WhereInput<WithLinked<Schema, Data, Path>>
  /** A field, with `-` in front to turn the order around; left out, newest first. */
  readonly sort?: SortField<Data> | `-${SortField<Data>}` | Sort
  /** Fields whose linked documents are put in the place of ids. */
  readonly populate?: readonly Path[]
}

export interface ListOptions<Data, Path extends string = string, Schema = unknown>
  extends Selection<Data, Path, Schema> {
  /** Default 20, at most 100; in dialect b 50, at most 500. */
  readonly limit?: number
  readonly offset?: number
  /** `false` spares the service the counting; `total` is `null` then. */
  readonly count?: boolean
}

/** The documents of one collection. */
export function openCollection<Schema, Data extends object = Fields>(session: Session, name: string) {
  const pageOf = (query: PageQuery) =>
    listPage(session, (dialect) => addresses.documents(dialect, name), 'documents', decodeDocument, query)

  return {
    ...collectionWrites<Data>(session, name),

    /**
     * Lists documents, a page at a time. Conditions on several fields must all hold.
     *
     * @example
     * const page = await svc.collection('posts').list({
     *   where: { status: 'published', views: { gte: 100 } },
     *   sort: '-views',
     *   limit: 10,
     * })
     *
     * @throws {SvcError} `NOT_FOUND`
     */
    async list<const Path extends PopulatePath<Schema, Data> = never>(
      options: ListOptions<Data, Path, Schema> = {},
    ): Promise<Page<Document<Populated<Schema, Data, Path>>>> {
      return pageOf(queryOf(options)) as Promise<Page<Document<Populated<Schema, Data, Path>>>>
    },

    /**
     * Every document of a selection, each once even while others write. Without `sort`, in the order they were
     * created, by keys; with it, page by page, so that what moves while it runs may be missed or come twice.
     *
     * @example
     * for await (const post of svc.collection('posts').iterate({ where: { status: 'draft' } })) console.log(post.id)
     *
     * @throws {SvcError} `NOT_FOUND`
     */
    async *iterate<const Path extends PopulatePath<Schema, Data> = never>(
      options: Selection<Data, Path, Schema> = {},
    ): AsyncGenerator<Document<Populated<Schema, Data, Path>>, void, undefined> {
      const pages = readPages(pageOf, queryOf(options))
      for await (const { items } of pages) yield* items as Document<Populated<Schema, Data, Path>>[]
    },

    /**
     * How many documents a filter matches; all, without one. `populate` lets it look into linked documents.
     *
     * @example
     * const drafts = await svc.collection('posts').count({ where: { status: 'draft' } })
     *
     * @throws {SvcError} `NOT_FOUND`
     */
    async count<const Path extends PopulatePath<Schema, Data> = never>(
      options: Pick<Selection<Data, Path, Schema>, 'where' | 'populate' | 'signal'> = {},
    ): Promise<number> {
      const query = queryOf(options)
      // Some services refuse a limit of 0.
      const { total } = await pageOf({ ...query, limit: 1 })
      if (total !== null) return total
      // A service may leave the header out of an array, and count separately.
      return session
        .ask('GET', '', decodeCount, (dialect) => ({
          path: addresses.count(name),
          query: encodeListQuery(dialect, query),
          signal: query.signal,
        }))
        .catch((cause) => {
          if (!/^(404|405)$/.test(cause.status)) throw cause
          throw otherForm('list', 'The answer does not say how many documents match. ')
        })
    },

    /**
     * One document.
     *
     * @example
     * const [first] = (await svc.collection('posts').list({ limit: 1 })).items
     * if (first) console.log((await svc.collection('posts').get(first.id)).data)
     *
     * @throws {SvcError} `NOT_FOUND`
     */
    async get<const Path extends PopulatePath<Schema, Data> = never>(
      id: string,
      options: Pick<Selection<Data, Path>, 'populate' | 'signal'> = {},
    ): Promise<Document<Populated<Schema, Data, Path>>> {
      const pathOf = (dialect: Spoken) => addresses.document(dialect, name, id)
      return getLinked(session, pathOf, decodeDocument, options) as Promise<Document<Populated<Schema, Data, Path>>>
    },

    /**
     * Changes as they happen, to iterate or to be called with. A connection that breaks is opened again, and goes on
     * behind the last change: none is missed, none comes twice. Leaving the loop closes the subscription.
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
     * @throws {SvcError} while it is iterated: `NOT_FOUND`, `INVALID_COLLECTION`, `FORBIDDEN`, `RESYNC`
     */
    subscribe(options: SubscribeOptions<Data> = {}): Subscription<Data> {
      return openSubscription(session, name, options)
    },

    /**
     * A list that stays current, in its order and with its filter; `onPage` gets it at once and whenever it changed.
     * A change of a linked document alone is not noticed.
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
    live<const Path extends PopulatePath<Schema, Data> = never>(
      options: ListOptions<Data, Path, Schema> & LiveOptions<Document<Populated<Schema, Data, Path>>> = {},
    ): LiveList<Document<Populated<Schema, Data, Path>>> {
      const { signal } = options
      const query = queryOf(options)
      // A change names what it links to by id only: whether a filter that may look into that matches, the list has to say.
      const isLinked = query.populate[0] && query.where.all.some(({ any }) => any.some(({ path }) => path[1]))
      return openLive(
        () => pageOf(query) as Promise<Page<Document<Populated<Schema, Data, Path>>>>,
        (callbacks) =>
          openSubscription<Data>(session, name, { where: isLinked ? undefined : query.where, signal, ...callbacks }),
        options,
      )
    },
  }
}

export type CollectionClient<Schema, Data extends object> = ReturnType<typeof openCollection<Schema, Data>>
