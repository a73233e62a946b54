/**
 * Parts of a request that is safe to repeat, since it has a key that no other has: the one given, or 128 random bits.
 * `crypto.randomUUID` would need a secure context in a browser.
 */
export function repeatable<Parts extends object>(parts?: Parts & { readonly idempotencyKey?: string }) {
  return {
    ...parts,
    idempotencyKey: parts?.idempotencyKey ?? crypto.getRandomValues(new BigUint64Array(2)).join('-'),
  }
}
