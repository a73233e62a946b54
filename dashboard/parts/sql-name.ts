/** A name in quotes, as SQL takes any. */
export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
