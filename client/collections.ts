import type { CallOptions } from './collection-writes.js'
import { newKey, repeatable } from './keys.js'
import type { Collection, CountedCollection, Permissions, Schema } from './model/collection.js'
import type { Json } from './model/json.js'
import type { Session } from './session.js'
import { readCollection, readCollections, readRemoved } from './wire/answers.js'
import { addresses } from './wire/paths.js'

export interface CollectionInput {
  readonly name: string
  readonly schema?: Schema
  readonly permissions?: Permissions
}

export type Collections = ReturnType<typeof openCollections>

/** The collections of a project. */
export function openCollections({ call }: Session) {
  return {
    /**
     * All collections, the oldest first.
     *
     * @example
     * for (const { name } of await svc.collections.list()) console.log(name)
     */
    async list({ signal }: CallOptions = {}): Promise<Collection[]> {
      return call({ method: 'GET', path: addresses.collections(), signal }, readCollections)
    },

    /**
     * One collection, by name or id, with its exact number of documents.
     *
     * @example
     * const { documentCount } = await svc.collections.get('posts')
     *
     * @throws {SvcError} `NOT_FOUND`
     */
    async get(name: string, { signal }: CallOptions = {}): Promise<CountedCollection> {
      const collection = await call({ method: 'GET', path: addresses.collection(name), signal }, readCollection)
      return { documentCount: 0, ...collection }
    },

    /**
     * Creates a collection. Safe to repeat: an answer that was lost on the way is answered again.
     *
     * @example
     * await svc.collections.create({ name: 'notes', schema: { text: { type: 'string', required: true } } })
     *
     * @throws {SvcError} `COLLECTION_EXISTS`, `INVALID_COLLECTION`, `VALIDATION_ERROR`
     */
    async create(input: CollectionInput, { signal }: CallOptions = {}): Promise<Collection> {
      const path = addresses.collections()
      const body = input as unknown as Json
      return call({ method: 'POST', path, body, ...repeatable(newKey()), signal }, readCollection)
    },

    /** Changes name, schema or permissions. What is stored already is not checked again. */
    async update(name: string, changes: Partial<CollectionInput>, { signal }: CallOptions = {}): Promise<Collection> {
      const path = addresses.collection(name)
      return call({ method: 'PATCH', path, body: changes as unknown as Json, signal }, readCollection)
    },

    /** Gives a collection another name; its documents keep their ids. */
    async rename(name: string, newName: string, options: CallOptions = {}): Promise<Collection> {
      return this.update(name, { name: newName }, options)
    },

    /** Deletes a collection with all its documents. */
    async delete(name: string, { signal }: CallOptions = {}): Promise<{ id: string }> {
      return call({ method: 'DELETE', path: addresses.collection(name), signal }, readRemoved)
    },
  }
}
