import type { Document } from '../../client/protocol/model/document.js'
import { type JsonObject, setOwn } from '../../client/protocol/model/json.js'

/** A document as one flat line: its id, its fields, and when it was made and changed. */
export function documentRow({ id, data, createdAt, updatedAt }: Document): JsonObject {
  const row: JsonObject = { id }
  for (const [name, value] of Object.entries(data)) if (name !== 'id') setOwn(row, name, value)
  setOwn(row, 'createdAt', createdAt)
  setOwn(row, 'updatedAt', updatedAt)
  return row
}
