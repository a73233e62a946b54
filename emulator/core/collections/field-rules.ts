/** Checks permissions on fields before a collection takes them. Decision 71. */
import {
  type FieldRuleKind,
  fieldRuleKinds,
  ownerWord,
  type Permissions,
} from '../../../client/protocol/model/collection.js'
import { operatorNames } from '../../../client/protocol/model/document.js'
import { type Issue, SvcError } from '../../../client/protocol/model/errors.js'
import { sizes } from '../../../client/protocol/model/limits.js'
import { parsePath, withoutIndexes } from '../../../client/protocol/model/path.js'
import { ownField } from '../../../client/protocol/model/where.js'

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
  const most = sizes.maxFieldRules
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
