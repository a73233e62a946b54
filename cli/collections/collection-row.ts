import type { Collection, CountedCollection } from '../../client/protocol/model/collection.js'
import type { Row } from '../terminal/print.js'

/** A collection as the terminal shows it. */
export function collectionRow(collection: Collection | CountedCollection): Row {
  const { name, id, schema, permissions = {}, createdAt, updatedAt } = collection
  const documents = 'documentCount' in collection ? { documents: collection.documentCount } : {}
  const rules = Object.entries(schema).map(
    ([field, rule]) =>
      `${field}:${rule.type}${rule.required ? '!' : ''}${rule.default === undefined ? '' : `=${JSON.stringify(rule.default)}`}`,
  )
  const roles = Object.entries(permissions).map(([kind, names]) => `${kind}: ${names.join(' ')}`)
  return {
    name,
    id,
    ...documents,
    ...(rules.length > 0 ? { fields: rules.join(', ') } : {}),
    ...(roles.length > 0 ? { permissions: roles.join(', ') } : {}),
    createdAt,
    updatedAt,
  }
}
