/** Validates field permissions before a collection accepts them. Decision 71. */
import { classifyWord, isOfDocument } from '../../../client/protocol/model/access/permission-words.js'
import { type FieldRuleKind, fieldRuleKinds, type Permissions } from '../../../client/protocol/model/collection.js'
import { operatorNames } from '../../../client/protocol/model/document.js'
import { type Issue, SvcError } from '../../../client/protocol/model/errors.js'
import { sizes } from '../../../client/protocol/model/limits.js'
import { parsePath, withoutIndexes } from '../../../client/protocol/model/path.js'
import { ownField } from '../../../client/protocol/model/where.js'

/** @throws {SvcError} `VALIDATION_ERROR` */
export function requireFieldRules(permissions: Permissions): void {
  for (const rule of fieldRuleKinds) {
    const fields = permissions[rule] ?? {}
    const issues = [...checkCount(rule, fields), ...Object.entries(fields).flatMap((field) => checkRule(rule, field))]
    const [first] = issues
    if (first) throw new SvcError('VALIDATION_ERROR', `"${first.path.join('.')}" ${first.message}.`, issues)
  }
}

function checkCount(rule: FieldRuleKind, fields: object): Issue[] {
  const max = sizes.maxFieldRules
  if (Object.keys(fields).length <= max) return []
  return [{ path: ['permissions', rule], message: `can name at most ${max} fields`, type: 'length' }]
}

function checkRule(rule: FieldRuleKind, [name, roles]: readonly [string, readonly string[]]): Issue[] {
  const path = parsePath(name)
  const place = ['permissions', rule, name]
  if (ownField(path)) return [{ path: place, message: 'is set by the service and always visible', type: 'field' }]
  if (path.includes('') || operatorNames.includes(path[0])) {
    return [{ path: place, message: 'is not the path of a field', type: 'field' }]
  }
  if (withoutIndexes(path).length < path.length) {
    const message = 'names an item of an array. Remove the index to match all items'
    return [{ path: place, message, type: 'field' }]
  }
  const at = roles.findIndex(isOfDocument)
  const word = roles[at]
  if (word === undefined) return []
  const message = `cannot contain "${word.slice(0, 80)}". Use roles`
  return [{ path: [...place, at], message, type: classifyWord(word) }]
}
