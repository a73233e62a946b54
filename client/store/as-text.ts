/** Serializes a value for comparison. Includes values that JSON cannot express; the client refuses them when it sends. */
export function asText(value: unknown): string {
  try {
    return JSON.stringify(value, (_, one) => (one === undefined || typeof one === 'object' ? one : typeof one + one))
  } catch (error) {
    return String(error)
  }
}
