import type { Session } from '../auth/session.js'
import { repeatable } from '../keys.js'
import type { Collection, CountedCollection, Permissions, Schema } from '../protocol/model/collection.js'
import * as addresses from '../protocol/wire/paths/encode.js'
import { reaches } from '../protocol/wire/reach.js'
import { decodeAll, decodeCollection, decodeRemoved } from '../protocol/wire/records/decode.js'
import type { CallOptions } from './collection-writes.js'

export interface CollectionInput {
  readonly name: string
  readonly schema?: Schema
  /** Groups of fields whose values no two documents share. Contract 13.1. */
  readonly unique?: readonly (readonly string[])[]
  /** The field shown for a document. null removes it. */
  readonly title?: string | null
  readonly permissions?: Permissions
}

export type Collections = ReturnType<typeof openCollections>

/** Opens the calls for the collections of a project. */
export function openCollections({ ask }: Session) {
  return {
    /**
     * Lists all collections, oldest first.
     *
     * @example
     * for (const { name } of await svc.collections.list()) console.log(name)
     */
    list(options?: CallOptions): Promise<Collection[]> {
      return ask('GET', addresses.collections, decodeAll(decodeCollection), options)
    },

    /**
     * Returns one collection, by name or id, with its exact number of documents.
     *
     * @example
     * const { documentCount } = await svc.collections.get('posts')
     *
     * @throws {SvcError} `NOT_FOUND`
     */
    async get(name: string, options?: CallOptions): Promise<CountedCollection> {
      return ask('GET', addresses.collection(name), decodeCollection, options) as Promise<CountedCollection>
    },

    /**
     * Creates a collection. Safe to retry: if the response was lost, the service sends it again.
     *
     * @example
     * await svc.collections.create({ name: 'notes', schema: { text: { type: 'string', required: true } } })
     *
     * @throws {SvcError} `COLLECTION_EXISTS`, `INVALID_COLLECTION`, `VALIDATION_ERROR`
     */
    create(input: CollectionInput, options?: CallOptions): Promise<Collection> {
      return ask('POST', addresses.collections, decodeCollection, { ...repeatable(options), body: input })
    },

    /**
     * Changes the name, schema or permissions. Does not validate existing documents again.
     *
     * @example
     * await svc.collections.create({ name: 'drafts' })
     * await svc.collections.update('drafts', { schema: { title: { type: 'string' } } })
     *
     * @throws {SvcError} `NOT_FOUND`, `COLLECTION_EXISTS`, `INVALID_COLLECTION`, `VALIDATION_ERROR`
     */
    async update(name: string, changes: Partial<CollectionInput>, options?: CallOptions): Promise<Collection> {
      return ask('PATCH', '', decodeCollection, ({ name: dialect }) => ({
        ...options,
        path: reaches[dialect].collection(name),
        body: changes,
      }))
    },

    /**
     * Renames a collection. Its documents keep their ids.
     *
     * @example
     * await svc.collections.create({ name: 'oldNews' })
     * await svc.collections.rename('oldNews', 'archive')
     */
    async rename(name: string, newName: string, options?: CallOptions): Promise<Collection> {
      return this.update(name, { name: addresses.requireName(newName) }, options)
    },

    /**
     * Deletes a collection and all its documents.
     *
     * @example
     * await svc.collections.create({ name: 'scratch' })
     * await svc.collections.delete('scratch')
     */
    async delete(name: string, options?: CallOptions): Promise<{ id: string }> {
      return ask('DELETE', '', decodeRemoved(name), ({ name: dialect }) => ({
        ...options,
        path: reaches[dialect].collection(name),
      }))
    },
  }
}
