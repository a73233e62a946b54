/** Caches OpenAPI descriptions. They are public, so a repeated request must cost little more than sending the bytes. */
import { createHash } from 'node:crypto'
import type { Dialect } from '../../../client/protocol/wire/axes.js'
import { formatDialect } from '../../../client/protocol/wire/dialects.js'
import { createSemaphore } from '../../core/concurrency/semaphore.js'
import type { ReplyValues } from '../reply/reply.js'
import { writeInSteps } from '../reply/write-steps.js'
import type { Route } from '../route.js'
import { describeRoutes } from './openapi.js'

type Description = ReplyValues['description']

export interface Descriptions {
  /** Whether a description in that dialect is cached or being written. */
  has(dialect: Dialect): boolean
  of(dialect: Dialect): Promise<Description>
}

/** There are thousands of dialects, at some hundred kilobytes each. Our choice: more than the dialects in use. */
const maxCached = 20

export function openDescriptions(routes: readonly Route[], version: string): Descriptions {
  const kept = new Map<string, Promise<Description>>()
  // One at a time, because each takes several megabytes while it is written.
  const writing = createSemaphore(1)
  return {
    has: (dialect) => kept.has(formatDialect(dialect)),
    of(dialect) {
      const name = formatDialect(dialect)
      const description = kept.get(name) ?? writing.run(() => describe(routes, dialect, version))
      // Moves the entry to the end, so that the least recently used is first.
      kept.delete(name)
      const [oldest] = kept.keys()
      if (oldest !== undefined && kept.size >= maxCached) kept.delete(oldest)
      kept.set(name, description)
      return description
    },
  }
}

async function describe(routes: readonly Route[], dialect: Dialect, version: string): Promise<Description> {
  const text = toAscii([await writeInSteps(await describeRoutes(routes, dialect, version))].flat().join(''))
  return { text, etag: `"${createHash('sha256').update(text).digest('base64url')}"` }
}

/**
 * Escapes all other characters, and lets V8 store the text in one byte per character. Encoding it for a client then takes
 * microseconds instead of milliseconds.
 */
function toAscii(json: string): string {
  const ascii = json.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return Buffer.from(ascii, 'latin1').toString('latin1')
}
