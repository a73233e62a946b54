/** A value as text, to compare by. What JSON leaves out or cannot say has one too: the client refuses it once it is sent. */
export function asText(value: unknown): string {
  try {
    return JSON.stringify(value, (_, one) => (one === undefined || typeof one === 'object' ? one : typeof one + one))
  } catch (error) {
    return String(error)
  }
}
