import {
  type Collection,
  type CountedCollection,
  type FieldRoles,
  fieldRuleKinds,
  type Permissions,
  permissionKinds,
} from '../../client/protocol/model/collection.js'
import type { Row } from '../terminal/print.js'

/** A collection as the terminal shows it. */
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

/** What is not open to all; nothing where everything is. */
export function permissionWords(permissions: Permissions = {}): string {
  const roles = [
    ...permissionKinds.flatMap((kind) => (permissions[kind] ? [`${kind}: ${permissions[kind].join(' ')}`] : [])),
    ...fieldRuleKinds.flatMap((rule) => (permissions[rule] ? [`${rule}: ${fieldRoleWords(permissions[rule])}`] : [])),
  ]
  return roles.join(', ')
}

/** Fields as flags name them, each with the roles that it is open to. */
function fieldRoleWords(fields: FieldRoles): string {
  return Object.entries(fields)
    .map(([field, roles]) => (roles.length === 0 ? field : `${field}=${roles.join(',')}`))
    .join(' ')
}
