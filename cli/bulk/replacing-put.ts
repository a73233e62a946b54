/** Selects a dialect whose PUT removes missing fields, unless the user chose one. */
export function withReplacingPut(dialect: string | undefined): string | undefined {
  if (dialect === undefined || dialect === 'auto' || /\bput\s*=/.test(dialect)) return dialect
  return `${dialect}, put=replace`
}
