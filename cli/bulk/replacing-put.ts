/** A dialect whose PUT removes what it does not name, where the service lets the client choose. */
export function withReplacingPut(dialect: string | undefined): string | undefined {
  if (dialect === undefined || dialect === 'auto' || /\bput\s*=/.test(dialect)) return dialect
  return `${dialect}, put=replace`
}
