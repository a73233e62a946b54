/** How a document is known by its key: the value as JSON, so that the number 1 is not the text "1". */

/** The one other key that has the same text: of the number 1 that of the text "1", and the other way round. */
export function otherKeyOf(key: string): string {
  const value: unknown = JSON.parse(key)
  if (typeof value !== 'string') return JSON.stringify(key)
  // Quotes in it are its own.
  return value.startsWith('"') ? key : value
}
