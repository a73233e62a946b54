/** The states of a document in the editor, and how it gets from one to the next. */
import type { Document, Fields } from '../../../../client/index.js'
import type { Draft } from '../../../session/drafts.js'

export interface Conflict {
  /** What both began from; what was joined begins from what they had saved until then. */
  readonly base: Fields
  readonly mine: Fields
  readonly theirs: Document
}

/** In every state there may be a draft: while a save runs, typing goes on. A conflict stays until it is solved. */
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
  /** With what was typed meanwhile. */
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
