import {
  type DocumentUpdate,
  type Fields,
  mergeFields,
  type UpdateOperators,
} from '../../../client/protocol/model/document.js'

/** The change of one document. */
export interface Edit {
  /** Computes the new fields from the old ones. */
  applyTo(before: Fields): Fields
  /** Returns the fields that it sends, with the items that it appends. */
  sent(): Fields
  /** Absent if it sends the whole document. */
  readonly operators?: UpdateOperators
  /** Tells which fields it sends. Absent if it sends the whole document. */
  readonly sends?: (name: string) => boolean
}

export function mergeEdit(changes: DocumentUpdate): Edit {
  return {
    applyTo: (before) => mergeFields(before, changes),
    sent: () => mergeFields({}, changes),
    operators: changes,
    // An operator names its fields as keys, or as a list.
    sends: (name) =>
      Object.values(changes).some((part) => (Array.isArray(part) ? part.includes(name) : Object.hasOwn(part, name))),
  }
}
