import type { Session } from '../auth/session.js'
import { type WithFiles, writeForm } from '../files/forms.js'
import { repeatable } from '../keys.js'
import type { Document } from '../protocol/model/document.js'
import { SvcError } from '../protocol/model/errors.js'
import type { Json } from '../protocol/model/json.js'
import { encodeBatchCreate, encodeBatchDelete, encodeBatchUpdate, encodeFields } from '../protocol/wire/body/encode.js'
import { decodeDocument } from '../protocol/wire/document/decode.js'
import * as addresses from '../protocol/wire/paths/encode.js'
import { reaches } from '../protocol/wire/reach.js'
import { decodeAllRemoved, decodeRemoved, decodeUpdated, type Read } from '../protocol/wire/records/decode.js'
import type { NamedDialect } from '../protocol/wire/spoken.js'
import type { Method, RequestParts } from '../send.js'
import type { NewFields, WithDates, Writable } from '../types.js'

export interface CallOptions {
  /** Cancels the call. */
  readonly signal?: AbortSignal
}

export interface CreateOptions extends CallOptions {
  /** Calls with the same key within 24 hours create only once. Default: a new key for each call. */
  readonly idempotencyKey?: string
}

export interface BatchOptions extends CallOptions {
  /** `false` returns an empty list instead of the documents, which is faster for large batches. */
  readonly returning?: boolean
}

export interface WriteOptions extends CallOptions {
  /** Writes only if the document is still at this version. Throws `CONFLICT` otherwise. */
  readonly ifMatch?: number
}

/** Fields to change. `$append` and `$remove` change items of arrays, and `$unset` removes fields. */
export type Update<Data> = Partial<WithFiles<Data>> & {
  readonly $append?: Items<Data>
  readonly $remove?: Items<Data>
  readonly $unset?: readonly UnsetField<Data>[]
}

/** Fields that a document may go without. */
type UnsetField<Data> = string extends keyof Data
  ? string
  : { [Name in keyof Data & string]: undefined extends Data[Name] ? Name : never }[keyof Data & string]

/** Items of fields that hold arrays, or may hold them. */
type Items<Data> = {
  readonly [Name in keyof Data as [ArrayItem<Data[Name]>] extends [never] ? never : Name]?:
    | ArrayItem<Data[Name]>
    | readonly ArrayItem<Data[Name]>[]
}

type ArrayItem<Value> = unknown extends Value
  ? Json
  : Json extends Value
    ? Json
    : Value extends readonly (infer Item)[]
      ? Item | WithDates<Item>
      : never

/** Opens the calls that write documents of one collection. */
export function collectionWrites<Data extends object>({ ask }: Session, name: string) {
  const one = (method: Method, toPath: (spoken: NamedDialect) => string, fields: object, options?: RequestParts) =>
    ask(method, '', decodeDocument, (spoken) => ({
      ...options,
      path: toPath(spoken),
      method: method === 'PUT' ? reaches[spoken.name].replaces : method,
      ...writeForm(fields, (plain, isForm) =>
        encodeFields(isForm ? formSpeaks(spoken) : spoken, withoutOperators(spoken, plain)),
      ),
      wrappers: [0, 1],
    })) as Promise<unknown> as Promise<Document<Data>>

  const toPath = (id: string) => (spoken: NamedDialect) => addresses.document(spoken, name, id)

  const many = <Answer = Document<Data>[]>(
    what: string,
    body: (spoken: NamedDialect) => object,
    options?: RequestParts,
    read: Read<unknown> = options?.returning === false ? () => [] : decodeUpdated,
  ) =>
    ask('POST', '', read, (spoken) => ({
      ...options,
      path: `${addresses.create(name)}/batch/documents${what || reaches[spoken.name].batch}`,
      body: body(spoken),
      wrappers: [0, 2],
    })) as Promise<Answer>

  return {
    /**
     * Creates a document. Safe to retry: if the response was lost, the service sends it again.
     *
     * @example
     * const post = await svc.collection('posts').create({ title: 'Hello', views: 1 })
     *
     * @throws {SvcError} `VALIDATION_ERROR` with an issue for each invalid field
     */
    async create(fields: WithFiles<NewFields<Data>>, options?: CreateOptions): Promise<Document<Data>> {
      return one('POST', (spoken) => reaches[spoken.name].create(name), fields, repeatable(options))
    },

    /**
     * Changes some fields and keeps the others. `$append` and `$remove` change single items of arrays, and `$unset` removes
     * fields.
     *
     * @example
     * const post = await svc.collection('posts').create({ title: 'Hello', tags: ['new'] })
     * await svc.collection('posts').update(post.id, { title: 'Hello again', $append: { tags: 'seen' } })
     *
     * @throws {SvcError} `NOT_FOUND`, `VALIDATION_ERROR`, `CONFLICT`
     */
    update(id: string, changes: Update<Data>, options?: WriteOptions): Promise<Document<Data>> {
      return one('PATCH', toPath(id), changes, options)
    },

    /**
     * Replaces all fields. In dialects whose PUT merges, the service merges them instead.
     *
     * @example
     * const post = await svc.collection('posts').create({ title: 'Hello', tags: ['new'] })
     * await svc.collection('posts').replace(post.id, { title: 'Hello again' }, { ifMatch: post.version })
     *
     * @throws {SvcError} `NOT_FOUND`, `VALIDATION_ERROR`, `CONFLICT`
     */
    replace(id: string, fields: WithFiles<Data>, options?: WriteOptions): Promise<Document<Data>> {
      return one('PUT', toPath(id), fields, options)
    },

    /**
     * Deletes a document. Never retried automatically, because the retry would find nothing.
     *
     * @example
     * const post = await svc.collection('posts').create({ title: 'Hello', tags: ['new'] })
     * await svc.collection('posts').delete(post.id)
     *
     * @throws {SvcError} `NOT_FOUND`, `CONFLICT`
     */
    async delete(id: string, options?: WriteOptions): Promise<{ id: string }> {
      return ask('DELETE', '', decodeRemoved(id), (spoken) => ({ ...options, path: toPath(id)(spoken) }))
    },

    /**
     * Adds items to an array, unless the array already has them. Atomic, even with concurrent writes.
     *
     * @example
     * const post = await svc.collection('posts').create({ title: 'Hello', tags: ['new'] })
     * await svc.collection('posts').append(post.id, { tags: ['seen', 'liked'] })
     */
    append(id: string, items: Items<Data>, options?: WriteOptions): Promise<Document<Data>> {
      return one('PATCH', toPath(id), { $append: items }, options)
    },

    /**
     * Removes items from an array, every occurrence.
     *
     * @example
     * const post = await svc.collection('posts').create({ title: 'Hello', tags: ['new'] })
     * await svc.collection('posts').remove(post.id, { tags: 'new' })
     */
    remove(id: string, items: Items<Data>, options?: WriteOptions): Promise<Document<Data>> {
      return one('PATCH', toPath(id), { $remove: items }, options)
    },

    /**
     * Removes fields. A document without a field differs from one whose field is `null`.
     *
     * @example
     * const post = await svc.collection('posts').create({ title: 'Hello', subtitle: 'A greeting' })
     * await svc.collection('posts').unset(post.id, ['subtitle'])
     *
     * @throws {SvcError} `VALIDATION_ERROR` for a required field
     */
    unset(id: string, names: readonly UnsetField<Data>[], options?: WriteOptions): Promise<Document<Data>> {
      return one('PATCH', toPath(id), { $unset: names }, options)
    },

    /**
     * Creates all documents or none, in the order given. At most 1,000 per call.
     *
     * @example
     * await svc.collection('posts').createMany([{ title: 'One' }, { title: 'Two' }])
     */
    async createMany(
      documents: readonly Writable<NewFields<Data>>[],
      options?: CreateOptions & BatchOptions,
    ): Promise<Document<Data>[]> {
      return many('', (spoken) => encodeBatchCreate(formSpeaks(spoken), documents), repeatable(options))
    },

    /**
     * Updates all documents or none, by id. Only `update` accepts files.
     *
     * @example
     * const [one, two] = await svc.collection('posts').createMany([{ title: 'One' }, { title: 'Two' }])
     * if (one && two) await svc.collection('posts').updateMany({ [one.id]: { views: 1 }, [two.id]: { views: 2 } })
     */
    async updateMany(
      updates: Readonly<Record<string, Partial<Writable<Data>> & Pick<Update<Data>, '$append' | '$remove' | '$unset'>>>,
      options?: BatchOptions,
    ): Promise<Document<Data>[]> {
      return many(
        '/update',
        (spoken) => {
          for (const changes of Object.values(updates)) withoutOperators(spoken, changes)
          return encodeBatchUpdate(updates)
        },
        options,
      )
    },

    /**
     * Deletes all documents, or none if one does not exist.
     *
     * @example
     * const made = await svc.collection('posts').createMany([{ title: 'One' }, { title: 'Two' }])
     * await svc.collection('posts').deleteMany(made.map(({ id }) => id))
     */
    async deleteMany(ids: readonly string[], options?: CallOptions): Promise<{ ids: string[] }> {
      return many('/delete', () => encodeBatchDelete(ids), options, decodeAllRemoved(ids))
    },
  }
}

/** Returns the body form of batches and multipart forms. */
function formSpeaks({ body, name }: NamedDialect) {
  return { body: reaches[name].body ?? body }
}

/** @throws {SvcError} `VALIDATION_ERROR` for operators that the service would store as fields */
function withoutOperators<Changes extends object>({ name }: NamedDialect, changes: Changes): Changes {
  for (const field in changes) {
    if (!reaches[name].hasOperators && /^\$(append|remove|unset)$/.test(field))
      throw new SvcError('VALIDATION_ERROR', `This dialect has no "${field}". Write the whole field.`)
  }
  return changes
}
