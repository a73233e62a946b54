import type { Document } from '../document.js'
import { type JsonObject, setOwn } from '../json.js'

/** Fields of a document as an export writes them: `createdAt` and `updatedAt` are the service's only where it has none of its own. */
export function exported(
  { id, data, createdAt, updatedAt }: Document,
  columns: readonly string[] = Object.keys(data),
  withIds = false,
): JsonObject {
  const whole: JsonObject = { createdAt, updatedAt, ...data }
  const fields: JsonObject = withIds ? { id } : {}
  for (const name of columns) {
    // The document's own id, rather than a field that is called so.
    if (withIds && name === 'id') continue
    const value = Object.hasOwn(whole, name) ? whole[name] : undefined
    if (value !== undefined) setOwn(fields, name, value)
  }
  return fields
}
