/** So few different texts that they are choices, such as a status. */
export const mostChoices = 10

/** Whether texts are choices, where so many different ones were seen among so many: each of them comes again and again. */
export function areChoices(different: number, seen: number): boolean {
  return different > 0 && different <= mostChoices && seen >= 3 * different
}
