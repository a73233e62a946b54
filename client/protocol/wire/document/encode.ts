import type { Document, Linked, OutgoingDocument, OutgoingUser } from '../../model/document.js'
import { type JsonObject, JsonText, type Writable } from '../../model/json.js'
import { forms } from '../codec.js'
import { object, text, time } from '../json-schema.js'
import { documentReaders } from '../records/decode.js'
import { writeCamelUser, writeSnakeUser } from '../records/user-record.js'
import { writeData, writePopulatedFields } from './populated.js'

/** The `document` axis. Spec, "Document": A is `enveloped`, B is `snake`, C is `flat`. */
export const documentShapes = forms<Document, OutgoingDocument>()({
  enveloped: {
    schema: object({ id: text, collection: text, data: { type: 'object' }, createdAt: time, updatedAt: time }),
    write: ({ id, collection, data, createdAt, updatedAt }): Writable => ({
      id,
      collection,
      data: writeData(data, linkWriters.enveloped),
      createdAt,
      updatedAt,
    }),
    read: documentReaders.enveloped,
  },
  snake: {
    schema: object({ id: text, collection_id: text, data: { type: 'object' }, created_at: time, updated_at: time }),
    write: ({ id, collectionId, data, createdAt, updatedAt }): Writable => ({
      id,
      collection_id: collectionId,
      data: writeData(data, linkWriters.snake),
      created_at: createdAt,
      updated_at: updatedAt,
    }),
    read: documentReaders.snake,
  },
  /** A field named `id`, `createdAt` or `updatedAt` is hidden by the service's own. Contract 2.5. */
  flat: {
    schema: { ...object({ id: text, createdAt: time, updatedAt: time }), additionalProperties: true },
    write: ({ id, data, createdAt, updatedAt }): Writable => {
      const fields =
        data instanceof JsonText ? (data.toJSON() as JsonObject) : writePopulatedFields(data, linkWriters.flat)
      return { ...fields, id, createdAt, updatedAt }
    },
    read: documentReaders.flat,
  },
})

/** How a document's links are written: documents in its own shape, users in its naming of times. */
export const linkWriters = {
  enveloped: ({ record }: Linked): Writable =>
    isUser(record) ? writeCamelUser(record, linkWriters.enveloped) : documentShapes.enveloped.write(record),
  snake: ({ record }: Linked): Writable =>
    isUser(record) ? writeSnakeUser(record, linkWriters.snake) : documentShapes.snake.write(record),
  /** A user's data are never flattened. Contract 1. */
  flat: ({ record }: Linked): Writable =>
    isUser(record) ? writeCamelUser(record, linkWriters.flat) : documentShapes.flat.write(record),
}

function isUser(record: Linked['record']): record is OutgoingUser {
  return 'email' in record
}
