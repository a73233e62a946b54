import type { OutgoingDocument } from './document.js'

/** The compiler demands a new kind wherever kinds differ. */
export const changeKinds = ['created', 'updated', 'deleted'] as const

/** A change of one document. `seq` grows by one with each change in a project, in commit order. */
export interface Change {
  readonly seq: number
  readonly kind: (typeof changeKinds)[number]
  readonly project: string
  readonly document: OutgoingDocument
}
