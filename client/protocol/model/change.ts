import type { OutgoingDocument } from './document.js'

/** What happened to which document. `seq` grows by one with each change of a project, in commit order. */
export interface Change {
  readonly seq: number
  readonly kind: 'created' | 'updated' | 'deleted'
  readonly project: string
  readonly document: OutgoingDocument
}
