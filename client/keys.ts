/** A key that no other request has: 128 random bits. `crypto.randomUUID` would need a secure context in a browser. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
