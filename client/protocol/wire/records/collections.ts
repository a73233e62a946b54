/** Encodes collections. The `document` axis decides the names of times. */
import { fieldRuleKinds, fieldTypes, permissionKinds } from '../../model/collection.js'
import { JsonText, type Writable } from '../../model/json.js'
import type { Dialect } from '../axes.js'
import type { JsonSchema } from '../codec.js'
import { chooseNaming } from '../document/encode.js'
import type { Naming } from '../document/user-record.js'
import { arrayOf, count, flag, mapOf, object, oneOf, text, time } from '../json-schema.js'
import type { AnyCollection } from './decode.js'

interface CollectionShape {
  readonly schema: JsonSchema
  encode(collection: AnyCollection): Writable
}

const rule = object({ type: oneOf(fieldTypes), required: flag, default: {} }, { optional: ['required', 'default'] })
const roles = arrayOf(text)
const roleSchemas = (kinds: readonly string[], schema: JsonSchema) => kinds.map((kind) => [kind, schema] as const)
const permissions = object(
  Object.fromEntries([...roleSchemas(permissionKinds, roles), ...roleSchemas(fieldRuleKinds, mapOf(roles))]),
  { optional: [...permissionKinds, ...fieldRuleKinds] },
)
const common = { id: text, name: text, created_at: time, schema: mapOf(rule), permissions }
/** Omitted for callers without read permission: permissions and document count. Contract 5.3. */
const optional = ['permissions', 'document_count']

/** Both namings include `created_at`, because the specification does. */
const collectionShapes = {
  snake: {
    schema: object({ ...common, updated_at: time, document_count: count }, { optional }),
    encode: (collection) => encode(collection, { updated_at: collection.updatedAt }),
  },
  camel: {
    schema: object({ ...common, createdAt: time, updatedAt: time, document_count: count }, { optional }),
    encode: (collection) => encode(collection, collection),
  },
} as const satisfies Record<Naming, CollectionShape>

export function collectionShape(dialect: Pick<Dialect, 'document'>): CollectionShape {
  return collectionShapes[chooseNaming(dialect)]
}

interface Times {
  readonly createdAt?: string
  readonly updatedAt?: string
  readonly updated_at?: string
}

/**
 * Encodes a collection without `Writable` parts, which is faster for long lists. One literal serves both namings, because
 * undefined members are omitted; spreading objects would take longer.
 */
function encode(collection: AnyCollection, { createdAt, updatedAt, updated_at }: Times): Writable {
  const { id, name, schema, permissions } = collection
  const document_count = 'documentCount' in collection ? collection.documentCount : undefined
  const created_at = collection.createdAt
  const record = { id, name, created_at, schema, permissions, document_count, updated_at, createdAt, updatedAt }
  return new JsonText(JSON.stringify(record))
}
