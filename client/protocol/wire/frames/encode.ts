/** The `events` and the `frames` axis: how a change is told to who listens. Spec, "Events". */
import type { Change } from '../../model/change.js'
import type { Document, OutgoingDocument } from '../../model/document.js'
import { isObject, type Json, type JsonObject, type Writable } from '../../model/json.js'
import type { Codec } from '../codec.js'
import type { Form } from '../dialects.js'
import { documentOf } from '../records/decode.js'

type Kind = Change['kind']

const plainNames = { created: 'create', updated: 'update', deleted: 'delete' } as const satisfies Record<Kind, string>

export const eventNames = {
  past: { write: (kind) => kind },
  plain: { write: (kind) => plainNames[kind] },
} as const satisfies Record<Form<'events'>, { write(kind: Kind): string }>

/** What a frame says of a change, its event already named. */
export interface Frame {
  readonly event: string
  readonly seq: number
  readonly document: OutgoingDocument
}

export const frameForms = {
  /** The document is `{id, data, createdAt}`, whatever the document axis says. */
  message: {
    write: ({ event, seq, document: { id, collection, data, createdAt } }) => ({
      type: 'event',
      collection,
      event,
      seq,
      document: { id, data: data as Writable, createdAt },
    }),
  },
  model: { write: ({ event, seq, document }, shape) => ({ event, seq, data: shape.write(document) }) },
} as const satisfies Record<Form<'frames'>, { write(frame: Frame, shape: Codec<Document, OutgoingDocument>): Writable }>

/** A change as it is told. */
export interface ToldChange {
  readonly kind: Kind
  readonly seq: number
  readonly document: Document
}

/** A change in either frame, of which one has the document under that name; nothing if it tells of none. */
export function readChange(body: JsonObject, readDocument: (body: Json) => Document): ToldChange | undefined {
  const { event, seq, collection, document, data = null } = body
  if (typeof event !== 'string') return undefined
  const told = isObject(document) ? documentOf({ ...document, collection }) : readDocument(data)
  // A plain name lacks the last letter of the past.
  return { kind: event.replace(/d?$/, 'd') as Kind, seq: seq as number, document: told }
}
