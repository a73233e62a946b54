import type { Collection, CountedCollection, Permissions, Schema } from '../model/collection.js'
import { isObject, type Json, type JsonObject, type Writable } from '../model/json.js'
import { forms } from './codec.js'
import { asObject } from './documents.js'
import { count, object, text, time } from './schemas.js'

export type AnyCollection = Collection | CountedCollection

const common = { id: text, name: text, created_at: time, schema: { type: 'object' }, permissions: { type: 'object' } }
const optional = ['document_count']

/** `created_at` stands in every naming, because the specification writes it so. Follows the `document` axis. */
const snake = {
  schema: object({ ...common, updated_at: time, document_count: count }, { optional }),
  write: (collection: AnyCollection): Writable => ({ ...written(collection), updated_at: collection.updatedAt }),
  read: (body: Json) => collectionOf(asObject(body), 'updated_at'),
}

const camel = {
  schema: object({ ...common, createdAt: time, updatedAt: time, document_count: count }, { optional }),
  write: (collection: AnyCollection): Writable => ({
    ...written(collection),
    createdAt: collection.createdAt,
    updatedAt: collection.updatedAt,
  }),
  read: (body: Json) => collectionOf(asObject(body), 'updatedAt'),
}

export const collectionShapes = forms<AnyCollection>()({ enveloped: camel, snake, flat: camel })

function written(collection: AnyCollection) {
  const { id, name, createdAt, schema, permissions } = collection
  return {
    id,
    name,
    created_at: createdAt,
    schema: schema as unknown as JsonObject,
    permissions: permissions as JsonObject,
    document_count: 'documentCount' in collection ? collection.documentCount : undefined,
  }
}

function collectionOf(body: JsonObject, updated: 'updatedAt' | 'updated_at'): AnyCollection {
  const collection: Collection = {
    id: String(body.id),
    name: String(body.name),
    schema: (isObject(body.schema) ? body.schema : {}) as unknown as Schema,
    permissions: (isObject(body.permissions) ? body.permissions : {}) as Permissions,
    createdAt: String(body.created_at),
    updatedAt: String(body[updated] ?? body.created_at),
  }
  const { document_count: documentCount } = body
  return typeof documentCount === 'number' ? { ...collection, documentCount } : collection
}
