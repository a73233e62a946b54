import { createHash } from 'node:crypto'

/** Hashes a secret, to recognize it without storing it. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}
