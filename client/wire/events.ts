/** The `events` and the `frames` axis: how a change is told to who listens. Spec, "Events". */
import type { Change } from '../model/change.js'
import type { Document, OutgoingDocument } from '../model/document.js'
import { isObject, type Json, type JsonObject, type Writable } from '../model/json.js'
import type { Codec } from './codec.js'
import type { Form } from './dialect.js'
import { documentOf } from './readers.js'

type Kind = Change['kind']

const plainNames = { created: 'create', updated: 'update', deleted: 'delete' } as const satisfies Record<Kind, string>

export const eventNames = {
  past: { write: (kind) => kind },
  plain: { write: (kind) => plainNames[kind] },
} as const satisfies Record<Form<'events'>, { write(kind: Kind): string }>

/** Either family: a plain name lacks the last letter of the past. */
export function readEventName(name: string): Kind {
  return name.replace(/d?$/, 'd') as Kind
}

/** What a frame says of a change, its event already named. */
export interface Frame<Told = OutgoingDocument> {
  readonly event: string
  readonly seq: number
  readonly document: Told
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

/** Either form: a message has its document under that name. */
export function readFrame(body: JsonObject, readDocument: (body: Json) => Document): Frame<Document> {
  const { event, seq, collection = '', document, data = null } = body
  return {
    event: String(event),
    seq: Number(seq),
    document: isObject(document) ? documentOf({ ...document, collection }) : readDocument(data),
  }
}
