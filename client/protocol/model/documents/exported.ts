import type { Document } from '../document.js'
import { type JsonObject, setOwn } from '../json.js'

/** Returns the fields of a document for an export. Its own `createdAt` and `updatedAt` fields override the service's. */
export function exported(
  { id, data, createdAt, updatedAt }: Document,
  columns: readonly string[] = Object.keys(data),
  withIds = false,
): JsonObject {
  const whole: JsonObject = { createdAt, updatedAt, ...data }
  const fields: JsonObject = withIds ? { id } : {}
  for (const name of columns) {
    // Keeps the id of the document, not a field of that name.
    if (withIds && name === 'id') continue
    const value = Object.hasOwn(whole, name) ? whole[name] : undefined
    if (value !== undefined) setOwn(fields, name, value)
  }
  return fields
}
