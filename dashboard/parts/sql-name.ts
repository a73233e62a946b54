/** Quotes an SQL identifier. */
export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
