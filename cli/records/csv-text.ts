import { stringify } from 'csv-stringify/sync'
import type { Json } from '../../client/protocol/model/json.js'
import { withoutFormula } from '../../client/protocol/model/spreadsheet.js'
import { writeCell } from '../../seeds/records/cells.js'
import { ownValue } from './own-value.js'

export interface CsvTextOptions {
  /** Adds a header line with the names. */
  readonly hasHeader: boolean
  /** Escapes cells that a spreadsheet would run as a formula. */
  readonly isSafe: boolean
}

type Row = { readonly [name: string]: Json | undefined }

/** Formats rows as CSV with one cell per name. */
export function csvText(names: readonly string[], rows: readonly Row[], { hasHeader, isSafe }: CsvTextOptions): string {
  const columns = isSafe ? names.map(withoutFormula) : [...names]
  const cells = rows.map((row) => names.map((name) => formatCell(ownValue(row, name), isSafe)))
  return stringify(cells, { header: hasHeader, columns })
}

/** Escapes only text, because a number can begin with `-` too. */
function formatCell(value: Json | undefined, isSafe: boolean): string {
  const cell = writeCell(value)
  return isSafe && typeof value === 'string' ? withoutFormula(cell) : cell
}
