/** Parses the documents of changes. */
import { type Fields, parseFields } from '../../../client/protocol/model/document.js'
import type { Matchable } from '../../../client/protocol/model/matching.js'
import type { Recorded, RecordedDocumentChange } from '../../store/realtime/changes.js'

// Shared by all subscriptions, so that each change is parsed once.
const currents = new WeakMap<RecordedDocumentChange, Matchable>()
const formers = new WeakMap<RecordedDocumentChange, Matchable>()

export function parseCurrent(change: RecordedDocumentChange): Matchable {
  const { document } = change
  return once(currents, change, () => ({ ...document, data: parseFields(document) }))
}

export function parseFormer(
  change: RecordedDocumentChange,
  before: NonNullable<RecordedDocumentChange['before']>,
): Matchable {
  return once(formers, change, () => ({ ...change.document, updatedAt: before.updatedAt, data: parseFields(before) }))
}

function once(
  known: WeakMap<RecordedDocumentChange, Matchable>,
  change: RecordedDocumentChange,
  read: () => Matchable,
): Matchable {
  const found = known.get(change) ?? read()
  known.set(change, found)
  return found
}

/** Parses the document after the change, and before it if it was there. */
export function parseStates(change: RecordedDocumentChange): readonly Fields[] {
  const { before } = change
  return [parseCurrent(change).data, ...(before ? [parseFormer(change, before).data] : [])]
}

export function isOfDocument(change: Recorded): change is RecordedDocumentChange {
  return change.kind !== 'collection' && change.kind !== 'reset'
}
