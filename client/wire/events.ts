/** The `events` and the `frames` axis: how a change is told to who listens. Spec, "Events". */
import type { Change } from '../model/change.js'
import type { Document, OutgoingDocument } from '../model/document.js'
import type { Json, JsonObject, Writable } from '../model/json.js'
import type { Codec } from './codec.js'
import type { Form } from './dialect.js'
import { asObject, documentReaders } from './readers.js'

type Kind = Change['kind']

interface EventNames {
  write(kind: Kind): string
  read(name: string): Kind
}

const plainNames = { created: 'create', updated: 'update', deleted: 'delete' } as const satisfies Record<Kind, string>

export const eventNames = {
  past: { write: (kind) => kind, read: (name) => kindOf(name) },
  plain: {
    write: (kind) => plainNames[kind],
    read: (name) => kindOf((Object.keys(plainNames) as Kind[]).find((kind) => plainNames[kind] === name)),
  },
} as const satisfies Record<string, EventNames>

/** What a frame says of a change, its event already named. */
export interface Frame<Told = OutgoingDocument> {
  readonly event: string
  readonly seq: number
  readonly document: Told
}

interface FrameForm {
  write(frame: Frame, shape: Codec<Document, OutgoingDocument>): Writable
  read(body: Json, shape: Codec<Document, OutgoingDocument>): Frame<Document>
}

export const frameReaders = {
  message(body) {
    const { collection, event, seq, document } = asObject(body)
    const { id, data, createdAt } = asObject(document)
    const told = documentReaders.enveloped({ id, collection, data, createdAt, updatedAt: '' } as JsonObject)
    return { event: String(event), seq: Number(seq), document: told }
  },
  model(body, readDocument) {
    const { event, seq, data } = asObject(body)
    return { event: String(event), seq: Number(seq), document: readDocument(asObject(data)) }
  },
} as const satisfies Record<Form<'frames'>, (body: Json, readDocument: (body: Json) => Document) => Frame<Document>>

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
    read: (body) => frameReaders.message(body),
  },
  model: {
    write: ({ event, seq, document }, shape) => ({ event, seq, data: shape.write(document) }),
    read: (body, shape) => frameReaders.model(body, shape.read),
  },
} as const satisfies Record<string, FrameForm>

function kindOf(name: string | undefined): Kind {
  if (name === 'created' || name === 'updated' || name === 'deleted') return name
  throw new TypeError(`"${name}" is no event of this dialect.`)
}
