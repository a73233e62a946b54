/** Removes hidden fields from changes, once for all subscribers with the same rights. */
import type { Path } from '../../../client/protocol/model/path.js'
import type { RecordedDocumentChange } from '../../store/realtime/changes.js'
import { withoutFields } from '../access/closed-fields.js'

const left = new WeakMap<RecordedDocumentChange, RecordedDocumentChange>()

/** Returns the change with the document as it was before, for subscribers who may no longer see it. */
export function takeBack(change: RecordedDocumentChange): RecordedDocumentChange {
  const { document, before } = change
  if (!before) return change
  const { data, updatedAt } = before
  const known = left.get(change) ?? { ...change, document: { ...document, data, updatedAt }, before: null }
  left.set(change, known)
  return known
}

const seen = new WeakMap<RecordedDocumentChange, Map<string, RecordedDocumentChange>>()

/**
 * Returns the same object for the same fields, so that it is serialized once. Leaves out the former data, which is not sent.
 */
export function seenWithout(change: RecordedDocumentChange, hidden: readonly Path[]): RecordedDocumentChange {
  if (hidden.length === 0) return change
  const known = seen.get(change) ?? new Map<string, RecordedDocumentChange>()
  seen.set(change, known)
  const name = JSON.stringify(hidden)
  const found = known.get(name) ?? { ...change, document: withoutFields(change.document, hidden), before: null }
  known.set(name, found)
  return found
}
