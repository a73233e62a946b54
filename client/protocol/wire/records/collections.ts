/** How collections look outside. They follow the `document` axis for the names of times. */
import { fieldRuleKinds, fieldTypes, permissionKinds } from '../../model/collection.js'
import { JsonText, type Writable } from '../../model/json.js'
import type { Dialect } from '../axes.js'
import type { JsonSchema } from '../codec.js'
import { namingOf } from '../document/encode.js'
import type { Naming } from '../document/user-record.js'
import { arrayOf, count, flag, mapOf, object, oneOf, text, time } from '../json-schema.js'
import type { AnyCollection } from './decode.js'

interface CollectionShape {
  readonly schema: JsonSchema
  encode(collection: AnyCollection): Writable
}

const rule = object({ type: oneOf(fieldTypes), required: flag, default: {} }, { optional: ['required', 'default'] })
const roles = arrayOf(text)
const rolesOf = (kinds: readonly string[], schema: JsonSchema) => kinds.map((kind) => [kind, schema] as const)
const permissions = object(
  Object.fromEntries([...rolesOf(permissionKinds, roles), ...rolesOf(fieldRuleKinds, mapOf(roles))]),
  { optional: [...permissionKinds, ...fieldRuleKinds] },
)
const common = { id: text, name: text, created_at: time, schema: mapOf(rule), permissions }
/** Callers who may not read a collection see neither who may, nor how much there is. Contract 5.3. */
const optional = ['permissions', 'document_count']

/** `created_at` stands in either naming, because the specification writes it so. */
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
  return collectionShapes[namingOf(dialect)]
}

interface Times {
  readonly createdAt?: string
  readonly updatedAt?: string
  readonly updated_at?: string
}

/**
 * Written at once, as a list of thousands of them wants: nothing in a collection is text already. What is undefined is left out,
 * so one literal serves both namings; spreading objects into each other takes longer than writing them.
 */
function encode(collection: AnyCollection, { createdAt, updatedAt, updated_at }: Times): Writable {
  const { id, name, schema, permissions } = collection
  const document_count = 'documentCount' in collection ? collection.documentCount : undefined
  const created_at = collection.createdAt
  const record = { id, name, created_at, schema, permissions, document_count, updated_at, createdAt, updatedAt }
  return new JsonText(JSON.stringify(record))
}
