import { createHash } from 'node:crypto'

/** The SHA-256 of a value as JSON, in hexadecimal: by it files of ours are named after what they are about. */
export function hashOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex')
}
