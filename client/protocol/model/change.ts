import type { OutgoingDocument } from './document.js'

/** One that is added is demanded by the compiler wherever kinds differ. */
export const changeKinds = ['created', 'updated', 'deleted'] as const

/** What happened to which document. `seq` grows by one with each change of a project, in commit order. */
export interface Change {
  readonly seq: number
  readonly kind: (typeof changeKinds)[number]
  readonly project: string
  readonly document: OutgoingDocument
}
