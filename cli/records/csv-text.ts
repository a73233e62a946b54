import { stringify } from 'csv-stringify/sync'
import type { Json } from '../../client/protocol/model/json.js'
import { writeCell } from '../../seeds/records/cells.js'
import { ownValue } from './own-value.js'

export interface CsvTextOptions {
  /** Whether a line with the names comes first. */
  readonly hasHeader: boolean
  /** Whether no cell may become a formula. */
  readonly isSafe: boolean
}

type Row = { readonly [name: string]: Json | undefined }

/** Rows as lines of CSV, each with a cell for every name. */
export function csvText(names: readonly string[], rows: readonly Row[], { hasHeader, isSafe }: CsvTextOptions): string {
  const columns = isSafe ? names.map(withoutFormula) : [...names]
  const cells = rows.map((row) => names.map((name) => cellOf(ownValue(row, name), isSafe)))
  return stringify(cells, { header: hasHeader, columns })
}

/** Only text can be a formula: a number that begins with `-` is one. */
function cellOf(value: Json | undefined, isSafe: boolean): string {
  const cell = writeCell(value)
  return isSafe && typeof value === 'string' ? withoutFormula(cell) : cell
}

/** Spreadsheets run a cell that begins with one of these, and show one behind an apostrophe as text. */
function withoutFormula(cell: string): string {
  return /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell
}
