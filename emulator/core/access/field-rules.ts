/** Permissions on fields: what of a document a caller may read and change. Off where a collection names no fields. Decision 71. */
import {
  type FieldRuleKind,
  fieldRuleKinds,
  ownerWord,
  type Permissions,
  type Schema,
  type StoredCollection,
} from '../../../client/protocol/model/collection.js'
import { operatorNames } from '../../../client/protocol/model/document.js'
import { type Issue, SvcError } from '../../../client/protocol/model/errors.js'
import { sizes } from '../../../client/protocol/model/limits.js'
import { formatPath, overlap, type Path, parsePath, withoutIndexes } from '../../../client/protocol/model/path.js'
import type { Reason } from '../../../client/protocol/model/requests/reason.js'
import { ownField, type Where } from '../../../client/protocol/model/where.js'
import type { Caller } from '../context.js'
import { rolesOf } from './grant.js'

type Ruled = Pick<StoredCollection, 'name' | 'permissions'>

const none: readonly Path[] = []

/** The fields that a caller may not read (`hidden`), or neither set nor change (`readonly`): of nested ones, the outermost. */
export function fieldsClosedTo(caller: Caller, { permissions }: Ruled, rule: FieldRuleKind): readonly Path[] {
  const fields = permissions[rule]
  if (fields === undefined || caller.secret) return none
  const roles = rolesOf(caller)
  const closed = Object.entries(fields).filter(([, wanted]) => !wanted.some((role) => roles.includes(role)))
  return outermost(closed.map(([name]) => parsePath(name)))
}

/** Without those that lie within another of them. */
export function outermost(paths: readonly Path[]): readonly Path[] {
  return paths.filter((path) => !paths.some((other) => other.length < path.length && overlap(other, path)))
}

/**
 * Refuses to look for documents by what the caller may not read: which ones are found, and in which order, would tell it.
 *
 * @throws {SvcError} `UNAUTHORIZED` where a user's token might help, `FORBIDDEN`
 */
export function requireVisible(caller: Caller, collection: Ruled, asked: readonly Path[]): void {
  const hidden = fieldsClosedTo(caller, collection, 'hidden')
  if (hidden.length === 0) return
  for (const path of asked) {
    const closed = hidden.find((field) => overlap(field, path))
    if (closed) throw refusedField(caller, collection, closed, 'hidden', 'no filter and no order may ask for it')
  }
}

/** The same for all that a filter asks for. */
export function requireVisibleFilter(caller: Caller, collection: Ruled, { all }: Where): void {
  if (collection.permissions.hidden === undefined) return
  requireVisible(
    caller,
    collection,
    all.flatMap(({ any }) => any.map(({ path }) => path)),
  )
}

/** @param why what cannot be done with the field, or has to be done first */
export function refusedField(
  caller: Caller,
  { name, permissions }: Ruled,
  path: Path,
  rule: FieldRuleKind,
  why: string,
): SvcError {
  const field = formatPath(path)
  const wanted = permissions[rule]?.[field] ?? []
  const reason: Reason = { kind: 'field', collection: name, field, rule, wanted, roles: rolesOf(caller) }
  const issue: Issue = { path: [...path], message: rule === 'hidden' ? 'is hidden' : 'is read-only', type: rule }
  const message = `"${field}" in "${name}" ${issue.message} for you: ${why}.`
  const mayHelp = caller.user === undefined && wanted.length > 0
  return new SvcError(mayHelp ? 'UNAUTHORIZED' : 'FORBIDDEN', message, [issue], { reason })
}

/** A schema as a caller sees it: without the defaults that would tell what stands in hidden fields. */
export function schemaSeenBy(
  caller: Caller,
  collection: Pick<StoredCollection, 'name' | 'permissions' | 'schema'>,
): Schema {
  const { schema } = collection
  const hidden = fieldsClosedTo(caller, collection, 'hidden')
  if (hidden.length === 0) return schema
  const shown = Object.entries(schema).map(([name, rule]) => {
    const { default: _, ...others } = rule
    return [name, hidden.some(([first]) => first === name) ? others : rule] as const
  })
  return Object.fromEntries(shown)
}

/** @throws {SvcError} `VALIDATION_ERROR` */
export function requireFieldRules(permissions: Permissions): void {
  for (const rule of fieldRuleKinds) {
    const fields = permissions[rule] ?? {}
    const issues = [...issuesOfCount(rule, fields), ...Object.entries(fields).flatMap((field) => issuesOf(rule, field))]
    const [first] = issues
    if (first) throw new SvcError('VALIDATION_ERROR', `"${first.path.join('.')}" ${first.message}.`, issues)
  }
}

function issuesOfCount(rule: FieldRuleKind, fields: object): Issue[] {
  const most = sizes.mostFieldRules
  if (Object.keys(fields).length <= most) return []
  return [{ path: ['permissions', rule], message: `names at most ${most} fields`, type: 'length' }]
}

function issuesOf(rule: FieldRuleKind, [name, roles]: readonly [string, readonly string[]]): Issue[] {
  const path = parsePath(name)
  const place = ['permissions', rule, name]
  if (ownField(path)) return [{ path: place, message: 'is set by the service, and everybody sees it', type: 'field' }]
  if (path.includes('') || operatorNames.includes(path[0])) {
    return [{ path: place, message: 'is no path of a field', type: 'field' }]
  }
  if (withoutIndexes(path).length < path.length) {
    const message = 'names an item of an array. Leave the index out: it then goes for all items'
    return [{ path: place, message, type: 'field' }]
  }
  const at = roles.indexOf(ownerWord)
  if (at < 0) return []
  const message = `takes no "${ownerWord}": fields are open to roles`
  return [{ path: [...place, at], message, type: 'owner' }]
}
