/**
 * Adds an idempotency key, so that the request is safe to retry: the key given, or 128 random bits. Avoids
 * `crypto.randomUUID`, which needs a secure context in browsers. Falls back to `Math.random`, because React Native has
 * no `crypto`; its polyfills fill arrays of up to 32-bit items.
 */
export function repeatable<Parts extends object>(parts?: Parts & { readonly idempotencyKey?: string }) {
  const random = () => globalThis.crypto?.getRandomValues?.(new Uint32Array(4)) ?? [Math.random(), Math.random()]
  return { ...parts, idempotencyKey: parts?.idempotencyKey ?? random().join('-') }
}
