/** Encodes collections. The `document` axis decides the names of times. */
import { fieldFormats, fieldRuleKinds, fieldTypes, onDeleteActions, permissionKinds } from '../../model/collection.js'
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

const number = { type: 'number' }
const ruleOptions = {
  required: flag,
  default: {},
  unique: flag,
  description: text,
  enum: arrayOf({}),
  min: number,
  max: number,
  minLength: count,
  maxLength: count,
  pattern: text,
  format: oneOf(fieldFormats),
  fields: { type: 'object' },
  items: { type: 'object' },
  to: text,
  many: flag,
  onDelete: oneOf(onDeleteActions),
}
const rule = object({ type: oneOf(fieldTypes), ...ruleOptions }, { optional: Object.keys(ruleOptions) })
const roles = arrayOf(text)
const roleSchemas = (kinds: readonly string[], schema: JsonSchema) => kinds.map((kind) => [kind, schema] as const)
const permissions = object(
  Object.fromEntries([...roleSchemas(permissionKinds, roles), ...roleSchemas(fieldRuleKinds, mapOf(roles))]),
  { optional: [...permissionKinds, ...fieldRuleKinds] },
)
const common = {
  id: text,
  name: text,
  created_at: time,
  schema: mapOf(rule),
  unique: arrayOf(arrayOf(text)),
  title: text,
  permissions,
}
/** Permissions and the document count are omitted for callers without read permission. Contract 5.3. */
const optional = ['unique', 'title', 'permissions', 'document_count']

/** All namings include `created_at`, because the specification does. */
const collectionShapes = {
  snake: {
    schema: object({ ...common, updated_at: time, document_count: count }, { optional }),
    encode: (collection) => encode(collection, { updated_at: collection.updatedAt }),
  },
  deployed: {
    schema: object({ ...common, updated_at: time, document_count: count, webhook_url: { type: 'null' } }, { optional }),
    encode: (collection) => encode(collection, { updated_at: collection.updatedAt, webhook_url: null }),
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
  /** Always null, because the emulator calls no webhooks. */
  readonly webhook_url?: null
}

/**
 * Encodes a collection without `Writable` parts, which is faster for long lists. One literal serves both namings, because
 * undefined members are omitted; spreading objects would take longer.
 */
function encode(collection: AnyCollection, { createdAt, updatedAt, updated_at, webhook_url }: Times): Writable {
  const { id, name, schema, unique, title, permissions } = collection
  const document_count = 'documentCount' in collection ? collection.documentCount : undefined
  const created_at = collection.createdAt
  const settings = { schema, unique, title, permissions }
  const times = { updated_at, createdAt, updatedAt }
  const record = { id, name, created_at, ...settings, document_count, ...times, webhook_url }
  return new JsonText(JSON.stringify(record))
}
