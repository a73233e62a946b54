import type { JsonObject, Writable } from '../../model/json.js'
import { forms } from '../codec.js'
import { count, object, text, time } from '../json-schema.js'
import { type AnyCollection, readCollection } from './decode.js'

const common = { id: text, name: text, created_at: time, schema: { type: 'object' }, permissions: { type: 'object' } }
/** Callers who may not read a collection are not told who may, nor how much there is. Contract 5.3. */
const optional = ['permissions', 'document_count']

/** `created_at` stands in every naming, because the specification writes it so. Follows the `document` axis. */
const snake = {
  schema: object({ ...common, updated_at: time, document_count: count }, { optional }),
  write: (collection: AnyCollection): Writable => ({ ...written(collection), updated_at: collection.updatedAt }),
  read: readCollection,
}

const camel = {
  schema: object({ ...common, createdAt: time, updatedAt: time, document_count: count }, { optional }),
  write: (collection: AnyCollection): Writable => ({
    ...written(collection),
    createdAt: collection.createdAt,
    updatedAt: collection.updatedAt,
  }),
  read: readCollection,
}

export const collectionShapes = forms<AnyCollection>()({ enveloped: camel, snake, flat: camel })

function written(collection: AnyCollection) {
  const { id, name, createdAt, schema, permissions } = collection
  return {
    id,
    name,
    created_at: createdAt,
    schema: schema as unknown as JsonObject,
    permissions: permissions as JsonObject | undefined,
    document_count: 'documentCount' in collection ? collection.documentCount : undefined,
  }
}
