/** Spreadsheets run a cell that begins with one of these. An apostrophe in front makes it plain text. */
export function withoutFormula(cell: string): string {
  return /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell
}
