/** Decodes a name or value of a query for display and masking. Badly encoded text stays as it is. */
export function queryText(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}
