/** What a statement may have done, by its text, for when its answer is lost. */

const reading = /^\s*(select|with|values|show)\b/i
const changing = /\b(insert\s+into|update|delete\s+from|merge\s+into)\b/i

/** Whether it may have changed something. What it cannot tell, it takes for a write; values are parameters, so none of them counts. */
export function mayWrite(text: string): boolean {
  return !reading.test(text) || changing.test(text)
}
