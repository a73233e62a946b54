/** Returns the name at the start of a dialect, such as `d` of `d, errors=detail`. */
export function readDialectName(dialect: string): string {
  const [name = ''] = dialect.split(',', 1)
  return name.trim()
}
