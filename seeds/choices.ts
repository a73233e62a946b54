/** With more distinct texts than this, a field is not an enum. */
export const maxChoices = 10

/** Returns whether the texts are an enum: few distinct values that repeat. */
export function areChoices(different: number, seen: number): boolean {
  return different > 0 && different <= maxChoices && seen >= 3 * different
}
