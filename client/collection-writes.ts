import { type WithFiles, writeForm } from './forms.js'
import { newKey, repeatable } from './keys.js'
import { type Changes, type Document, type Fields, noChanges } from './model/document.js'
import type { Json, JsonObject } from './model/json.js'
import { mostBatchItems } from './model/limits.js'
import type { Request } from './send.js'
import type { Read, Session } from './session.js'
import { readAllRemoved, readDocument, readDocuments, readRemoved } from './wire/answers.js'
import { writeBatchCreate, writeBatchDelete, writeBatchUpdate, writeChanges, writeNewDocument } from './wire/bodies.js'
import type { Dialect } from './wire/dialect.js'
import { addresses } from './wire/paths.js'

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

type Items<Data> = {
  readonly [Name in keyof Data]?: NonNullable<Data[Name]> extends readonly (infer Item)[]
    ? Item | readonly Item[]
    : Json
}

/** Everything that changes the documents of one collection. */
export function collectionWrites<Data extends object>({ dialect, call }: Session, name: string) {
  const one = (request: Request) => call(request, readDocument) as Promise<unknown> as Promise<Document<Data>>
  const many = async (request: Request, returning: boolean): Promise<Document<Data>[]> => {
    const prefer = returning ? undefined : 'return=minimal'
    const read: Read<Document[]> = returning ? readDocuments : () => []
    const documents = await call({ ...request, headers: { ...request.headers, prefer } }, read)
    return documents as unknown as Document<Data>[]
  }
  const put = async (
    id: string,
    body: (spoken: Dialect) => JsonObject | FormData,
    method: 'PATCH' | 'PUT',
    options: WriteOptions,
  ) => {
    const spoken = await dialect()
    const { ifMatch, signal } = options
    return one({
      method,
      path: addresses.document(spoken, name, id),
      body: body(spoken),
      headers: versionHeader(ifMatch),
      // Repeated after a success whose answer was lost, `if-match` would meet its own write.
      isRepeatable: method === 'PUT' && ifMatch === undefined,
      signal,
    })
  }
  const change = (id: string, changes: object, options: WriteOptions) =>
    put(id, (spoken) => writeForm(changes, (plain) => writeChanges(spoken, changesOf(plain))), 'PATCH', options)

  return {
    /**
     * Creates a document. Safe to repeat: an answer that was lost on the way is answered again.
     *
     * @example
     * const post = await svc.collection('posts').create({ title: 'Hello', views: 1 })
     *
     * @throws {SvcError} `VALIDATION_ERROR` with an issue for each field that does not fit.
     */
    async create(
      fields: WithFiles<Data>,
      { idempotencyKey = newKey(), signal }: CreateOptions = {},
    ): Promise<Document<Data>> {
      const spoken = await dialect()
      const body = writeForm(fields, (plain) => writeNewDocument(spoken, plain))
      return one({ method: 'POST', path: addresses.create(name), body, ...repeatable(idempotencyKey), signal })
    },

    /**
     * Changes some fields and keeps the others; `$append` and `$remove` change arrays item by item.
     *
     * @example
     * const post = await svc.collection('posts').create({ title: 'Hello', tags: ['new'] })
     * await svc.collection('posts').update(post.id, { title: 'Hello again', $append: { tags: 'seen' } })
     */
    update(id: string, changes: Update<Data>, options: WriteOptions = {}): Promise<Document<Data>> {
      return change(id, changes, options)
    },

    /** Puts other fields in the place of all. In a dialect whose PUT merges, the service merges. */
    replace(id: string, fields: WithFiles<Data>, options: WriteOptions = {}): Promise<Document<Data>> {
      return put(id, (spoken) => writeForm(fields, (plain) => writeNewDocument(spoken, plain)), 'PUT', options)
    },

    /** Deletes a document. Never repeated by itself: the second time would find nothing. */
    async delete(id: string, { ifMatch, signal }: WriteOptions = {}): Promise<{ id: string }> {
      const spoken = await dialect()
      const path = addresses.document(spoken, name, id)
      return call({ method: 'DELETE', path, headers: versionHeader(ifMatch), signal }, readRemoved)
    },

    /** Adds items to an array, those that are not in it yet; atomic, whoever else writes. */
    append(id: string, items: Items<Data>, options: WriteOptions = {}): Promise<Document<Data>> {
      return change(id, { $append: items }, options)
    },

    /** Takes items out of an array, every occurrence. */
    remove(id: string, items: Items<Data>, options: WriteOptions = {}): Promise<Document<Data>> {
      return change(id, { $remove: items }, options)
    },

    /**
     * Creates all documents or none, in the order given; at most 1,000 in a call, so that "all or none" stays true.
     *
     * @example
     * await svc.collection('posts').createMany([{ title: 'One' }, { title: 'Two' }])
     */
    async createMany(
      documents: readonly Data[],
      { idempotencyKey = newKey(), returning = true, signal }: CreateOptions & BatchOptions = {},
    ): Promise<Document<Data>[]> {
      requireBatch(documents.length)
      const body = writeBatchCreate(await dialect(), documents as unknown as readonly Fields[])
      const path = addresses.batchCreate(name)
      return many({ method: 'POST', path, body, ...repeatable(idempotencyKey), signal }, returning)
    },

    /** Changes some fields of each document, by id; all of them or none. */
    async updateMany(
      updates: Readonly<Record<string, Update<Data>>>,
      { returning = true, signal }: BatchOptions = {},
    ): Promise<Document<Data>[]> {
      const changes = new Map(Object.entries(updates).map(([id, update]) => [id, changesOf(update)]))
      requireBatch(changes.size)
      const path = addresses.batchUpdate(name)
      return many({ method: 'POST', path, body: writeBatchUpdate(changes), signal }, returning)
    },

    /** Deletes these documents; none of them if one does not exist. */
    async deleteMany(ids: readonly string[], { signal }: CallOptions = {}): Promise<{ ids: string[] }> {
      requireBatch(ids.length)
      const path = addresses.batchDelete(name)
      return call({ method: 'POST', path, body: writeBatchDelete(ids), signal }, readAllRemoved)
    },
  }
}

function changesOf(update: object): Changes {
  const { $append: append, $remove: remove, ...fields } = update as Record<string, JsonObject>
  return { ...noChanges, ...(append && { append }), ...(remove && { remove }), fields }
}

function versionHeader(version: number | undefined): Record<string, string | undefined> {
  return { 'if-match': version === undefined ? undefined : `"${version}"` }
}

function requireBatch(count: number) {
  if (count > mostBatchItems) throw new RangeError(`A batch holds at most ${mostBatchItems} documents, not ${count}.`)
}
