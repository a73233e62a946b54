import type { Session } from '../auth/session.js'
import { type WithFiles, writeForm } from '../files/forms.js'
import { repeatable } from '../keys.js'
import type { Document } from '../protocol/model/document.js'
import type { Json } from '../protocol/model/json.js'
import { encodeBatchCreate, encodeBatchDelete, encodeBatchUpdate, encodeFields } from '../protocol/wire/body/encode.js'
import { decodeDocument } from '../protocol/wire/document/decode.js'
import * as addresses from '../protocol/wire/paths/encode.js'
import { decodeAll, decodeAllRemoved, decodeRemoved, type Read } from '../protocol/wire/records/decode.js'
import type { Spoken } from '../protocol/wire/spoken.js'
import type { Method, RequestParts } from '../send.js'
import type { WithDates, Writable } from '../types.js'

export interface CallOptions {
  /** Gives the call up when it aborts. */
  readonly signal?: AbortSignal
}

export interface CreateOptions extends CallOptions {
  /** The same key within 24 hours creates nothing again; left out, each call has its own. */
  readonly idempotencyKey?: string
}

export interface BatchOptions extends CallOptions {
  /** `false` has nothing sent back, and the list that is answered is empty: faster, where many are written. */
  readonly returning?: boolean
}

export interface WriteOptions extends CallOptions {
  /** Only if the document is still at this version; else `CONFLICT`. */
  readonly ifMatch?: number
}

/** Fields to change, and `$append` and `$remove` for items of arrays. */
export type Update<Data> = Partial<WithFiles<Data>> & { readonly $append?: Items<Data>; readonly $remove?: Items<Data> }

/** Of the fields that hold arrays; a field of an unknown type may. */
type Items<Data> = {
  readonly [Name in keyof Data as [ItemOf<Data[Name]>] extends [never] ? never : Name]?:
    | ItemOf<Data[Name]>
    | readonly ItemOf<Data[Name]>[]
}

type ItemOf<Value> = unknown extends Value
  ? Json
  : Json extends Value
    ? Json
    : Value extends readonly (infer Item)[]
      ? Item | WithDates<Item>
      : never

/** Everything that changes the documents of one collection. */
export function collectionWrites<Data extends object>({ ask }: Session, name: string) {
  const one = (method: Method, pathOf: (spoken: Spoken) => string, fields: object, options?: RequestParts) =>
    ask(method, '', decodeDocument, (spoken) => ({
      ...options,
      path: pathOf(spoken),
      ...writeForm(fields, (plain) => encodeFields(spoken, plain)),
      wrappers: [0, 1],
    })) as Promise<unknown> as Promise<Document<Data>>

  const pathOf = (id: string) => (spoken: Spoken) => addresses.document(spoken, name, id)

  const many = <Answer = Document<Data>[]>(
    what: string,
    body: (spoken: Spoken) => object,
    options?: RequestParts,
    read: Read<unknown> = options?.returning === false ? () => [] : decodeAll(decodeDocument),
  ) =>
    ask('POST', `${addresses.create(name)}/batch/documents${what}`, read, (spoken) => ({
      ...options,
      body: body(spoken),
      wrappers: [0, 2],
    })) as Promise<Answer>

  return {
    /**
     * Creates a document. Safe to repeat: an answer that was lost on the way is answered again.
     *
     * @example
     * const post = await svc.collection('posts').create({ title: 'Hello', views: 1 })
     *
     * @throws {SvcError} `VALIDATION_ERROR` with an issue for each field that does not fit.
     */
    async create(fields: WithFiles<Data>, options?: CreateOptions): Promise<Document<Data>> {
      return one('POST', () => addresses.create(name), fields, repeatable(options))
    },

    /**
     * Changes some fields and keeps the others; `$append` and `$remove` change arrays item by item.
     *
     * @example
     * const post = await svc.collection('posts').create({ title: 'Hello', tags: ['new'] })
     * await svc.collection('posts').update(post.id, { title: 'Hello again', $append: { tags: 'seen' } })
     *
     * @throws {SvcError} `NOT_FOUND`, `VALIDATION_ERROR`, `CONFLICT`
     */
    update(id: string, changes: Update<Data>, options?: WriteOptions): Promise<Document<Data>> {
      return one('PATCH', pathOf(id), changes, options)
    },

    /**
     * Replaces all fields. In a dialect whose PUT merges, the service merges.
     *
     * @example
     * const post = await svc.collection('posts').create({ title: 'Hello', tags: ['new'] })
     * await svc.collection('posts').replace(post.id, { title: 'Hello again' }, { ifMatch: post.version })
     *
     * @throws {SvcError} `NOT_FOUND`, `VALIDATION_ERROR`, `CONFLICT`
     */
    replace(id: string, fields: WithFiles<Data>, options?: WriteOptions): Promise<Document<Data>> {
      return one('PUT', pathOf(id), fields, options)
    },

    /**
     * Deletes a document. Never repeated by itself: the second time would find nothing.
     *
     * @example
     * const post = await svc.collection('posts').create({ title: 'Hello', tags: ['new'] })
     * await svc.collection('posts').delete(post.id)
     *
     * @throws {SvcError} `NOT_FOUND`, `CONFLICT`
     */
    async delete(id: string, options?: WriteOptions): Promise<{ id: string }> {
      return ask('DELETE', '', decodeRemoved, (spoken) => ({ ...options, path: pathOf(id)(spoken) }))
    },

    /**
     * Adds items to an array, those that are not in it yet; atomic beside other writers.
     *
     * @example
     * const post = await svc.collection('posts').create({ title: 'Hello', tags: ['new'] })
     * await svc.collection('posts').append(post.id, { tags: ['seen', 'liked'] })
     */
    append(id: string, items: Items<Data>, options?: WriteOptions): Promise<Document<Data>> {
      return one('PATCH', pathOf(id), { $append: items }, options)
    },

    /**
     * Takes items out of an array, every occurrence.
     *
     * @example
     * const post = await svc.collection('posts').create({ title: 'Hello', tags: ['new'] })
     * await svc.collection('posts').remove(post.id, { tags: 'new' })
     */
    remove(id: string, items: Items<Data>, options?: WriteOptions): Promise<Document<Data>> {
      return one('PATCH', pathOf(id), { $remove: items }, options)
    },

    /**
     * Creates all documents or none, in the order given; at most 1,000 in a call, so that "all or none" stays true.
     *
     * @example
     * await svc.collection('posts').createMany([{ title: 'One' }, { title: 'Two' }])
     */
    async createMany(
      documents: readonly Writable<Data>[],
      options?: CreateOptions & BatchOptions,
    ): Promise<Document<Data>[]> {
      return many('', (spoken) => encodeBatchCreate(spoken, documents), repeatable(options))
    },

    /**
     * Changes some fields of each document, by id; all of them or none. Files are taken by `update` alone.
     *
     * @example
     * const [one, two] = await svc.collection('posts').createMany([{ title: 'One' }, { title: 'Two' }])
     * if (one && two) await svc.collection('posts').updateMany({ [one.id]: { views: 1 }, [two.id]: { views: 2 } })
     */
    async updateMany(
      updates: Readonly<Record<string, Partial<Writable<Data>> & Pick<Update<Data>, '$append' | '$remove'>>>,
      options?: BatchOptions,
    ): Promise<Document<Data>[]> {
      return many('/update', () => encodeBatchUpdate(updates), options)
    },

    /**
     * Deletes these documents; none of them if one does not exist.
     *
     * @example
     * const made = await svc.collection('posts').createMany([{ title: 'One' }, { title: 'Two' }])
     * await svc.collection('posts').deleteMany(made.map(({ id }) => id))
     */
    async deleteMany(ids: readonly string[], options?: CallOptions): Promise<{ ids: string[] }> {
      return many('/delete', () => encodeBatchDelete(ids), options, decodeAllRemoved)
    },
  }
}
