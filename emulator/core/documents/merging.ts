/** Computes the new fields of changed documents. Contract 3.2, 3.3, 13.2 and 13.6. */
import {
  type Fields,
  parseFields,
  type StoredDocument,
  type UpdateOperators,
} from '../../../client/protocol/model/document.js'
import { SvcError } from '../../../client/protocol/model/errors.js'
import { refusedField } from '../access/closed-fields.js'
import { guardFields } from '../access/field-guard.js'
import { allows, type Grant, type Memberships } from '../access/grant.js'
import { openReplaceCompleter } from './check-and-serialize.js'
import type { Edit } from './edit.js'
import { collectLinks } from './links.js'
import { requireLight } from './weight.js'

/**
 * Opens the changes of one write. A caller who cannot read a document learns nothing from the answer about its arrays and
 * links. Decision 71.
 *
 * @param count the number of documents in the write
 * @param isWhole whether the new fields replace the whole document, so that required fields get their defaults
 */
export function openChanges(grant: Grant, count: number, isWhole: boolean) {
  const { name } = grant.collection
  const guard = guardFields(grant)
  const complete = openReplaceCompleter(guard, isWhole)
  const checked = { name, schema: guard.schema }
  const links = collectLinks(checked, count)

  /** Returns the new fields, and notes their links. */
  function change(before: StoredDocument, edit: Edit, memberships: Memberships): Fields {
    const isBlind = !allows(grant, 'read', before, memberships)
    if (edit.operators) requireUnsettable(grant, edit.operators)
    if (edit.operators && isBlind) requireUnlimited(grant, edit.operators)
    const after = complete(guard.changed(before, edit.applyTo, memberships))
    // A merge can grow a document beyond what one request could send.
    requireLight(after)
    return links.note(after, () => parseFields(before), isBlind ? edit.sent : undefined)
  }

  return { checked, links, change }
}

/**
 * Refuses to take away required fields, even those with a default, and fields that are closed to the caller.
 *
 * @throws {SvcError} `VALIDATION_ERROR`, `UNAUTHORIZED`, `FORBIDDEN`
 */
function requireUnsettable(grant: Grant, { unset }: UpdateOperators): void {
  const { schema } = grant.collection
  for (const name of unset) {
    for (const rule of ['hidden', 'readonly'] as const) {
      const closed = grant[rule].find(([first]) => first === name)
      if (closed) throw refusedField(grant, closed, rule, 'you cannot take it away')
    }
    if (!(Object.hasOwn(schema, name) && schema[name]?.required)) continue
    throw new SvcError('VALIDATION_ERROR', `"${name}" is required, so it cannot be unset.`, [
      { path: [name], message: `"${name}" is required`, type: 'missing' },
    ])
  }
}

const limits = [
  { operator: 'append', limit: 'maxLength' },
  { operator: 'remove', limit: 'minLength' },
] as const

/**
 * Refuses operators on arrays with a limit, because the answer would reveal how many items an array has, and which ones.
 *
 * @throws {SvcError} `FORBIDDEN`
 */
function requireUnlimited({ collection: { name, schema } }: Grant, operators: UpdateOperators): void {
  for (const { operator, limit } of limits) {
    for (const field of Object.keys(operators[operator])) {
      if (!Object.hasOwn(schema, field) || schema[field]?.[limit] === undefined) continue
      const message = `You cannot use "$${operator}" on "${field}" in "${name}", because you cannot read the document.`
      throw new SvcError('FORBIDDEN', message, [
        { path: [`$${operator}`, field], message: 'cannot be used on a field that you cannot read', type: 'operator' },
      ])
    }
  }
}
