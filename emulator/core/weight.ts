/** What one document may weigh, as it is sent and as a merge leaves it. Contract 2.4. */
import { SvcError } from '../../client/model/errors.js'
import { formatBytes, formatCount } from '../../client/model/figures.js'
import { isObject, type Json, type JsonObject } from '../../client/model/json.js'
import { sizes } from '../../client/model/limits.js'

/**
 * Refuses a document that is too deep, has too many keys or is too heavy.
 *
 * @throws {SvcError} `PAYLOAD_TOO_LARGE`
 */
export function requireLight(fields: JsonObject): void {
  const { depth, keys, mostBytes } = measure(fields)
  if (depth > sizes.mostDocumentDepth) {
    throw tooDeep()
  }
  if (keys > sizes.mostDocumentKeys) {
    throw new SvcError('PAYLOAD_TOO_LARGE', `A document has at most ${formatCount(sizes.mostDocumentKeys)} keys.`)
  }
  // Few documents come near the limit; only those are written out to be weighed.
  const isHeavy =
    mostBytes > sizes.mostDocumentBytes && Buffer.byteLength(JSON.stringify(fields)) > sizes.mostDocumentBytes
  if (isHeavy) {
    throw new SvcError('PAYLOAD_TOO_LARGE', `A document is at most ${formatBytes(sizes.mostDocumentBytes)}.`)
  }
}

export function tooDeep() {
  return new SvcError('PAYLOAD_TOO_LARGE', `A document is at most ${sizes.mostDocumentDepth} levels deep.`)
}

interface Measure {
  depth: number
  keys: number
  /** As JSON it takes no more bytes than this. */
  mostBytes: number
}

/** What a text may take at most: quotes around it, and an escape for each of its units. */
const textBytes = (text: string) => 2 + 6 * text.length
/** The longest number, with what stands between two values. */
const scalarBytes = 26

/** A value without members has no depth. */
function measure(value: Json): Measure {
  if (typeof value === 'string') return { depth: 0, keys: 0, mostBytes: textBytes(value) + 1 }
  if (value === null || typeof value !== 'object') return { depth: 0, keys: 0, mostBytes: scalarBytes }
  const whole: Measure = { depth: 0, keys: 0, mostBytes: 3 }
  for (const member of Array.isArray(value) ? value : Object.values(value)) {
    const { depth, keys, mostBytes } = measure(member)
    whole.depth = Math.max(whole.depth, depth)
    whole.keys += keys
    whole.mostBytes += mostBytes
  }
  whole.depth++
  if (!isObject(value)) return whole
  for (const key of Object.keys(value)) {
    whole.keys++
    whole.mostBytes += textBytes(key) + 1
  }
  return whole
}
