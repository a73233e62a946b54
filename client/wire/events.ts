/** The `events` and the `frames` axis: how a change is told to who listens. Spec, "Events". */
import type { Change } from '../model/change.js'
import type { Document, OutgoingDocument } from '../model/document.js'
import type { Json, Writable } from '../model/json.js'
import type { Codec } from './codec.js'
import { asObject } from './documents.js'

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
    read(body) {
      const { collection, event, seq, document } = asObject(body)
      const { id, data, createdAt } = asObject(document)
      const told = {
        id: String(id),
        collection: String(collection),
        collectionId: '',
        data: asObject(data),
        createdAt: String(createdAt),
        updatedAt: '',
        version: 0,
      }
      return { event: String(event), seq: Number(seq), document: told }
    },
  },
  model: {
    write: ({ event, seq, document }, shape) => ({ event, seq, data: shape.write(document) }),
    read(body, shape) {
      const { event, seq, data } = asObject(body)
      return { event: String(event), seq: Number(seq), document: shape.read(asObject(data)) }
    },
  },
} as const satisfies Record<string, FrameForm>

function kindOf(name: string | undefined): Kind {
  if (name === 'created' || name === 'updated' || name === 'deleted') return name
  throw new TypeError(`"${name}" is no event of this dialect.`)
}
