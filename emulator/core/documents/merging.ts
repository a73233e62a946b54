/** Merges the changes of an update into a document. Contract 3.2, 3.3 and 13.6. */
import type { DocumentUpdate, Fields } from '../../../client/protocol/model/document.js'
import { SvcError } from '../../../client/protocol/model/errors.js'
import { refusedField } from '../access/closed-fields.js'
import type { Grant } from '../access/grant.js'
import { requireGrant } from '../collections/collections.js'
import type { Context } from '../context.js'
import { type Edit, mergeEdit } from './writing.js'

/** Opens the merge of these updates. Only `$unset` depends on the collection. */
export async function openMerge(
  ctx: Context,
  name: string,
  updates: Iterable<DocumentUpdate>,
): Promise<(changes: DocumentUpdate) => Edit> {
  const isUnsetting = [...updates].some(({ unset }) => unset.length > 0)
  const grant = isUnsetting ? await requireGrant(ctx, name, 'update') : undefined
  return (changes) => {
    const { applyTo, sends } = mergeEdit(changes)
    const checked = (before: Fields) => {
      if (grant) requireUnsettable(grant, changes.unset)
      return applyTo(before)
    }
    return { applyTo: checked, sends }
  }
}

/**
 * Refuses to take away required fields, even those with a default, and fields that are closed to the caller.
 *
 * @throws {SvcError} `VALIDATION_ERROR`, `UNAUTHORIZED`, `FORBIDDEN`
 */
function requireUnsettable(grant: Grant, names: readonly string[]): void {
  const { schema } = grant.collection
  for (const name of names) {
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
