import {
  type Collection,
  type CountedCollection,
  type FieldRoles,
  fieldRuleKinds,
  type Permissions,
  permissionKinds,
} from '../../client/protocol/model/collection.js'
import type { Row } from '../terminal/print.js'

/** Formats a collection as a table row. */
export function collectionRow(collection: Collection | CountedCollection): Row {
  const { name, id, schema, permissions, createdAt, updatedAt } = collection
  const documents = 'documentCount' in collection ? { documents: collection.documentCount } : {}
  const rules = Object.entries(schema).map(
    ([field, rule]) =>
      `${field}:${rule.type}${rule.required ? '!' : ''}${rule.default === undefined ? '' : `=${JSON.stringify(rule.default)}`}`,
  )
  const guarded = permissionWords(permissions)
  return {
    name,
    id,
    ...documents,
    ...(rules.length > 0 ? { fields: rules.join(', ') } : {}),
    ...(guarded === '' ? {} : { permissions: guarded }),
    createdAt,
    updatedAt,
  }
}

/** Lists the restrictions. Empty if everything is open. */
export function permissionWords(permissions: Permissions = {}): string {
  const roles = [
    ...permissionKinds.flatMap((kind) => (permissions[kind] ? [`${kind}: ${permissions[kind].join(' ')}`] : [])),
    ...fieldRuleKinds.flatMap((rule) => (permissions[rule] ? [`${rule}: ${fieldRoleWords(permissions[rule])}`] : [])),
  ]
  return roles.join(', ')
}

/** Formats fields as flags name them, with their roles. */
function fieldRoleWords(fields: FieldRoles): string {
  return Object.entries(fields)
    .map(([field, roles]) => (roles.length === 0 ? field : `${field}=${roles.join(',')}`))
    .join(' ')
}
