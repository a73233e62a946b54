import { createHash } from 'node:crypto'

/** What is kept of a secret: it is known again, and cannot be read. */
export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}
