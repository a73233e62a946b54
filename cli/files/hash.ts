import { createHash } from 'node:crypto'

/** Returns the SHA-256 of a value as JSON, in hex. Names our files after their subject. */
export function hashJson(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex')
}
