/** Tells from its text whether a statement may have written, for when its answer is lost. */

const reading = /^\s*(select|with|values|show)\b/i
const changing = /\b(insert\s+into|update|delete\s+from|merge\s+into)\b/i

/** Takes a statement for a write when in doubt. Values are parameters, so they cannot confuse it. */
export function mayWrite(text: string): boolean {
  return !reading.test(text) || changing.test(text)
}
