/** What one document may weigh, as it is sent and as a merge leaves it. Contract 2.4. */
import { SvcError } from '../../client/model/errors.js'
import { isObject, type Json, type JsonObject } from '../../client/model/json.js'
import { sizes } from '../../client/model/limits.js'

/**
 * Refuses a document that is too deep, has too many keys or is too heavy.
 *
 * @throws {SvcError} `PAYLOAD_TOO_LARGE`
 */
export function requireLight(fields: JsonObject): void {
  const { depth, keys } = measure(fields)
  if (depth > sizes.mostDocumentDepth) {
    throw tooDeep()
  }
  if (keys > sizes.mostDocumentKeys) {
    throw new SvcError('PAYLOAD_TOO_LARGE', `A document may hold ${sizes.mostDocumentKeys} keys.`)
  }
  if (Buffer.byteLength(JSON.stringify(fields)) > sizes.mostDocumentBytes) {
    throw new SvcError('PAYLOAD_TOO_LARGE', `A document may be ${sizes.mostDocumentBytes} bytes.`)
  }
}

export function tooDeep() {
  return new SvcError('PAYLOAD_TOO_LARGE', `A document may be ${sizes.mostDocumentDepth} levels deep.`)
}

/** Depth and keys of a value; a value without members has no depth. */
function measure(value: Json): { depth: number; keys: number } {
  if (value === null || typeof value !== 'object') return { depth: 0, keys: 0 }
  let depth = 0
  let keys = isObject(value) ? Object.keys(value).length : 0
  for (const member of Array.isArray(value) ? value : Object.values(value)) {
    if (member === null || typeof member !== 'object') continue
    const inner = measure(member)
    depth = Math.max(depth, inner.depth)
    keys += inner.keys
  }
  return { depth: depth + 1, keys }
}
