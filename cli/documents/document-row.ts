import type { Document } from '../../client/protocol/model/document.js'
import { type JsonObject, setOwn } from '../../client/protocol/model/json.js'

/** Flattens a document into one row: id, fields, and times. */
export function documentRow({ id, data, createdAt, updatedAt }: Document): JsonObject {
  const row: JsonObject = { id }
  for (const [name, value] of Object.entries(data)) if (name !== 'id') setOwn(row, name, value)
  setOwn(row, 'createdAt', createdAt)
  setOwn(row, 'updatedAt', updatedAt)
  return row
}
