/** State machine of the document editor. */
import type { Document, Fields } from '../../../../client/index.js'
import type { Draft } from '../../../session/drafts.js'

export interface Conflict {
  /** Common base of both sides. After a merge, it is the version that the other side saved. */
  readonly base: Fields
  readonly mine: Fields
  readonly theirs: Document
}

/** Every state may have a draft, because the user can type during a save. A conflict stays until it is resolved. */
export type Editing =
  | { readonly kind: 'idle'; readonly draft?: Draft | undefined }
  | { readonly kind: 'saving'; readonly draft?: Draft | undefined; readonly conflict?: Conflict | undefined }
  | {
      readonly kind: 'failed'
      readonly draft?: Draft | undefined
      readonly conflict?: Conflict | undefined
      readonly failure: unknown
    }
  | { readonly kind: 'conflicting'; readonly draft?: Draft | undefined; readonly conflict: Conflict }

export type EditingEvent =
  | { readonly kind: 'typed'; readonly draft: Draft }
  | { readonly kind: 'begun' }
  /** Includes a draft if the user typed during the save. */
  | { readonly kind: 'saved'; readonly draft?: Draft | undefined }
  | { readonly kind: 'refused'; readonly failure: unknown }
  | { readonly kind: 'overtaken'; readonly conflict: Conflict }
  | { readonly kind: 'discarded' }

export function nextEditing(state: Editing, event: EditingEvent): Editing {
  const { draft } = state
  const conflict = 'conflict' in state ? state.conflict : undefined
  switch (event.kind) {
    case 'typed':
      if (state.kind === 'saving') return { ...state, draft: event.draft }
      return conflict ? { kind: 'conflicting', draft: event.draft, conflict } : { kind: 'idle', draft: event.draft }
    case 'begun':
      return { kind: 'saving', draft, conflict }
    case 'saved':
      return { kind: 'idle', draft: event.draft }
    case 'refused':
      return { kind: 'failed', draft, conflict, failure: event.failure }
    case 'overtaken':
      return { kind: 'conflicting', draft, conflict: event.conflict }
    case 'discarded':
      return { kind: state.kind === 'saving' ? 'saving' : 'idle' }
  }
}
