/** A key that no other request has: 128 random bits. `crypto.randomUUID` would need a secure context in a browser. */
export function newKey(): string {
  return crypto.getRandomValues(new BigUint64Array(2)).join('-')
}
