import {
  type Collection,
  type CountedCollection,
  type FieldRoles,
  type FieldRule,
  fieldRuleKinds,
  type Permissions,
  permissionKinds,
} from '../../client/protocol/model/collection.js'
import type { Row } from '../terminal/print.js'

/** Formats a collection as a table row. */
export function collectionRow(collection: Collection | CountedCollection): Row {
  const { name, id, schema, unique = [], title, permissions, createdAt, updatedAt } = collection
  const documents = 'documentCount' in collection ? { documents: collection.documentCount } : {}
  const rules = Object.entries(schema).map(
    ([field, rule]) =>
      `${field}:${ruleType(rule)}${rule.required ? '!' : ''}${rule.default === undefined ? '' : `=${JSON.stringify(rule.default)}`}`,
  )
  const guarded = permissionWords(permissions)
  return {
    name,
    id,
    ...documents,
    ...(rules.length > 0 ? { fields: rules.join(', ') } : {}),
    ...(unique.length > 0 ? { unique: unique.map((names) => names.join('+')).join(', ') } : {}),
    ...(title === undefined ? {} : { title }),
    ...(guarded === '' ? {} : { permissions: guarded }),
    createdAt,
    updatedAt,
  }
}

/** Formats the type of a field like the flag `--field`. */
function ruleType({ type, to, many }: FieldRule): string {
  return to === undefined ? type : `${many ? 'links' : 'link'}:${to}`
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
