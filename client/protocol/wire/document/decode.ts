/** Decodes the `document` axis. */
import type { Document } from '../../model/document.js'
import { isObject, type Json, type JsonObject, objectIn } from '../../model/json.js'
import { areTexts, asObject, decodeRecord, expect, type HeaderReader, numberIn } from '../expected.js'

export const documentDecoders = {
  enveloped: readNamed,
  snake: readNamed,
  flat: (body) => {
    const { id, createdAt, updatedAt, ...data } = asObject(body, 'document')
    // Only this distinguishes it from a collection.
    expect(areTexts(createdAt, updatedAt), body, 'document')
    return buildDocument({ id, data, createdAt, updatedAt })
  },
  deployed: (body) => {
    const record = decodeRecord(asObject(body, 'document'))
    return buildDocument({ updatedAt: record.createdAt, ...record, collection: objectIn(record.collection).name })
  },
} as const satisfies { readonly [form: string]: (body: Json) => Document }

export type DocumentForm = keyof typeof documentDecoders

const isSnakeRecord = (value: JsonObject) => isObject(value.data) && 'created_at' in value && areTexts(value.id)

/** Distinguishes a populated document in each shape from a plain object. */
export const isRecord = {
  snake: isSnakeRecord,
  enveloped: (value) => isObject(value.data) && 'collection' in value && areTexts(value.id),
  flat: (value) => areTexts(value.id, value.createdAt, value.updatedAt),
  deployed: isSnakeRecord,
} as const satisfies Record<DocumentForm, (value: JsonObject) => boolean>

function readNamed(body: Json): Document {
  return buildDocument(decodeRecord(asObject(body, 'document')))
}

/** Builds a document from decoded parts. Leaves out parts that the wire form does not include. */
export function buildDocument(parts: { readonly [part: string]: Json | undefined }): Document {
  asObject(parts.data, 'document')
  return expect(areTexts(parts.id), parts, 'document')
}

/** Decodes a document. Reads its version from the `etag` header. @throws {SvcError} for other records */
export function decodeDocument(
  record: Json,
  { document }: { readonly document: DocumentForm },
  header?: HeaderReader,
): Document {
  const version = numberIn(header?.('etag')?.match(/"(\d+)"/)?.[1])
  return { ...documentDecoders[document](record), version }
}
