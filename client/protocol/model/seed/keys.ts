/** Keys of seeded documents, as JSON, to distinguish the number 1 from the text "1". */

/** Returns the other key with the same text: for the number 1 that of the text "1", and vice versa. */
export function findOtherKey(key: string): string {
  const value: unknown = JSON.parse(key)
  if (typeof value !== 'string') return JSON.stringify(key)
  // Text that starts with a quote has no other key.
  return value.startsWith('"') ? key : value
}
