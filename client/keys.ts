/**
 * Parts of a request that is safe to repeat, since it has a key that no other has: the one given, or 128 random bits.
 * `crypto.randomUUID` would need a secure context in a browser. React Native has no `crypto`, and less chance has to do there, or what a
 * polyfill puts in its place, which fills arrays of 32 bits at most.
 */
export function repeatable<Parts extends object>(parts?: Parts & { readonly idempotencyKey?: string }) {
  const random = () => globalThis.crypto?.getRandomValues?.(new Uint32Array(4)) ?? [Math.random(), Math.random()]
  return { ...parts, idempotencyKey: parts?.idempotencyKey ?? random().join('-') }
}
