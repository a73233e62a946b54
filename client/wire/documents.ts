import { type Document, Linked, type OutgoingDocument, type PopulatedValue } from '../model/document.js'
import { isObject, type Json, type JsonObject, JsonText, type Writable, type WritableObject } from '../model/json.js'
import { forms } from './codec.js'
import { object, text, time } from './schemas.js'

/** The `document` axis. Spec, "Document": A is `enveloped`, B is `snake`, C is `flat`. */
export const documentShapes = forms<Document, OutgoingDocument>()({
  enveloped: {
    schema: object({ id: text, collection: text, data: { type: 'object' }, createdAt: time, updatedAt: time }),
    write: ({ id, collection, data, createdAt, updatedAt }): Writable => ({
      id,
      collection,
      data: writeData(data, documentShapes.enveloped.write),
      createdAt,
      updatedAt,
    }),
    read: (body) => {
      const { id, collection, data, createdAt, updatedAt } = asObject(body)
      return documentOf({ id, collection, data, createdAt, updatedAt })
    },
  },
  snake: {
    schema: object({ id: text, collection_id: text, data: { type: 'object' }, created_at: time, updated_at: time }),
    write: ({ id, collectionId, data, createdAt, updatedAt }): Writable => ({
      id,
      collection_id: collectionId,
      data: writeData(data, documentShapes.snake.write),
      created_at: createdAt,
      updated_at: updatedAt,
    }),
    read: (body) => {
      const { id, collection_id: collectionId, data, created_at: createdAt, updated_at: updatedAt } = asObject(body)
      return documentOf({ id, collectionId, data, createdAt, updatedAt })
    },
  },
  /** A field named `id`, `createdAt` or `updatedAt` is hidden by the service's own. Contract 2.5. */
  flat: {
    schema: { ...object({ id: text, createdAt: time, updatedAt: time }), additionalProperties: true },
    write: ({ id, data, createdAt, updatedAt }): Writable => {
      const fields =
        data instanceof JsonText ? (data.toJSON() as JsonObject) : writeFields(data, documentShapes.flat.write)
      return { ...fields, id, createdAt, updatedAt }
    },
    read: (body) => {
      const { id, createdAt, updatedAt, ...data } = asObject(body)
      return documentOf({ id, data, createdAt, updatedAt })
    },
  },
})

/** The object that a body must be. A service that answers otherwise speaks another dialect. */
export function asObject(body: Json | undefined): JsonObject {
  if (isObject(body)) return body
  throw new TypeError('The answer is not of the form that this dialect has. Does the service speak another one?')
}

type WriteDocument = (document: OutgoingDocument) => Writable

function writeData(data: OutgoingDocument['data'], write: WriteDocument): Writable {
  return data instanceof JsonText ? data : writeFields(data, write)
}

function writeFields(fields: { readonly [field: string]: PopulatedValue }, write: WriteDocument): WritableObject {
  return Object.fromEntries(Object.entries(fields).map(([field, value]) => [field, writePopulated(value, write)]))
}

function writePopulated(value: PopulatedValue, write: WriteDocument): Writable {
  if (value instanceof Linked) return write(value.document)
  if (Array.isArray(value)) return value.map((item: PopulatedValue) => writePopulated(item, write))
  if (typeof value === 'object' && value !== null) return writeFields(value as WritableFields, write)
  return value
}

type WritableFields = { readonly [field: string]: PopulatedValue }

function documentOf(parts: { [Part in keyof Document]?: Json | undefined }): Document {
  const { id, collection = '', collectionId = '', data, createdAt, updatedAt } = parts
  return {
    id: String(id),
    collection: String(collection),
    collectionId: String(collectionId),
    data: asObject(data as Json),
    createdAt: String(createdAt),
    updatedAt: String(updatedAt),
    version: 0,
  }
}
