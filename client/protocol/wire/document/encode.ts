/** The `document` axis. Spec, "Document": A is `enveloped`, B is `snake`, C is `flat`. */
import {
  type Document,
  idTime,
  type LinkedRecord,
  type OutgoingDocument,
  type OutgoingUser,
} from '../../model/document.js'
import { type JsonObject, JsonText, type Writable } from '../../model/json.js'
import type { Codec, JsonSchema } from '../codec.js'
import { object, text, time } from '../json-schema.js'
import { type DocumentForm, documentDecoders } from './decode.js'
import { type EncodeLink, encodeData, encodePopulatedFields } from './populated.js'
import { encodeUserRecord, type Naming } from './user-record.js'

export interface DocumentShape extends Codec<Document, OutgoingDocument> {
  /** Naming of times in users, collections, files and tickets. */
  readonly naming: Naming
  /** Encodes a populated document or user. */
  readonly encodeLink: EncodeLink
}

export const documentShapes = {
  enveloped: shape({
    form: 'enveloped',
    naming: 'camel',
    schema: object({ id: text, collection: text, data: { type: 'object' }, createdAt: time, updatedAt: time }),
    encode: ({ id, collection, data, createdAt, updatedAt }, encodeLink) => ({
      id,
      collection,
      data: encodeData(data, encodeLink),
      createdAt,
      updatedAt,
    }),
  }),
  snake: shape({
    form: 'snake',
    naming: 'snake',
    schema: object({ id: text, collection_id: text, data: { type: 'object' }, created_at: time, updated_at: time }),
    encode: ({ id, collectionId, data, createdAt, updatedAt }, encodeLink) => ({
      id,
      collection_id: collectionId,
      data: encodeData(data, encodeLink),
      created_at: createdAt,
      updated_at: updatedAt,
    }),
  }),
  /** A linked record has no collection. */
  deployed: shape({
    form: 'deployed',
    naming: 'deployed',
    schema: object({
      id: text,
      collection_id: text,
      data: { type: 'object' },
      ...{ created_at: time, updated_at: time },
      collection: object({ id: text, name: text, created_at: time, webhook_url: { type: 'null' } }),
    }),
    encode: ({ id, collection: name, collectionId, data, createdAt, updatedAt }, encodeLink) => ({
      id,
      collection_id: collectionId,
      data: encodeData(data, encodeLink),
      ...{ created_at: createdAt, updated_at: updatedAt },
      collection: { id: collectionId, name, created_at: idTime(collectionId), webhook_url: null },
    }),
    encodeLinked: ({ id, data, createdAt }, encodeLink) => ({
      id,
      data: encodeData(data, encodeLink),
      created_at: createdAt,
    }),
  }),
  /** The service's `id`, `createdAt` and `updatedAt` override fields of the same names. Contract 2.5. */
  flat: shape({
    form: 'flat',
    naming: 'camel',
    schema: { ...object({ id: text, createdAt: time, updatedAt: time }), additionalProperties: true },
    encode: ({ id, data, createdAt, updatedAt }, encodeLink) => {
      const fields = data instanceof JsonText ? (data.toJSON() as JsonObject) : encodePopulatedFields(data, encodeLink)
      return { ...fields, id, createdAt, updatedAt }
    },
  }),
} as const satisfies Record<DocumentForm, DocumentShape>

/** Returns the naming of times in a dialect. */
export function chooseNaming({ document }: { readonly document: DocumentForm }): Naming {
  return documentShapes[document].naming
}

interface ShapeParts {
  readonly form: DocumentForm
  readonly naming: Naming
  readonly schema: JsonSchema
  encode(document: OutgoingDocument, encodeLink: EncodeLink): Writable
  /** Defaults to `encode`. */
  encodeLinked?(document: OutgoingDocument, encodeLink: EncodeLink): Writable
}

function shape({ form, naming, schema, encode, encodeLinked = encode }: ShapeParts): DocumentShape {
  // Never flattens the data of a user. Contract 1.
  const encodeLink: EncodeLink = ({ record }) =>
    isUser(record) ? encodeUserRecord(naming, record, encodeLink) : encodeLinked(record, encodeLink)
  return {
    naming,
    schema,
    encode: (document) => encode(document, encodeLink),
    decode: documentDecoders[form],
    encodeLink,
  }
}

function isUser(record: LinkedRecord['record']): record is OutgoingUser {
  return 'email' in record
}
