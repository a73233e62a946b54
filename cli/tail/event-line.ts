import type { Document } from '../../client/index.js'
import { type FieldChange, fieldChanges } from '../documents/edit/field-changes.js'
import type { Shown } from './open-tail.js'

/** An event as scripts get it, as a line of JSON. */
export interface EventLine {
  readonly type: 'event'
  readonly event: string
  readonly collection: string
  readonly id: string
  readonly seq: number
  readonly document: Document
  /** The changed fields, or `null` if the previous document is unknown. */
  readonly changed: Readonly<Record<string, FieldChange>> | null
}

export function eventLine({ collection, change, before }: Shown & { type: 'event' }): EventLine {
  const { kind, document, seq } = change
  const changed = kind === 'updated' ? (before ? Object.fromEntries(fieldChanges(before, document.data)) : null) : {}
  return { type: 'event', event: kind, collection, id: document.id, seq, document, changed }
}
