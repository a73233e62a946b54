/** Maximum number of distinct texts to treat as choices, such as a status. */
export const maxChoices = 10

/** Tells whether texts are choices: few distinct ones, each seen several times on average. */
export function areChoices(different: number, seen: number): boolean {
  return different > 0 && different <= maxChoices && seen >= 3 * different
}
