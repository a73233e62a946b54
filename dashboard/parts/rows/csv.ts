/** Rows for and from spreadsheets. */
import type { Fields, Json } from '../../../client/index.js'
import { isChangedByNumber, parseExactJson, withExactIntegers } from '../../../client/protocol/model/exact-json.js'
import { ahead } from '../ahead.js'

type OnKept = (literal: string) => void

const writer = ahead(() => import('csv-stringify/browser/esm/sync'))
const reader = ahead(() => import('csv-parse/browser/esm/sync'))

/** A text that a spreadsheet would take for a formula stays one: the file is data, to be read back. */
export async function csvOf(rows: readonly { readonly [name: string]: Json }[]): Promise<string> {
  const { stringify } = await writer()
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const cells = rows.map((row) => columns.map((name) => cellOf(Object.hasOwn(row, name) ? row[name] : undefined)))
  return stringify([columns, ...cells], { record_delimiter: 'windows' })
}

function cellOf(value: Json | undefined): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/**
 * What came as JSON, NDJSON, CSV or cells of a spreadsheet. Integers that a number would change are kept as text.
 *
 * @throws {Error} where none of them fits
 */
export async function readRows(text: string, onKept?: OnKept): Promise<Fields[]> {
  const trimmed = text.trim()
  if (trimmed === '') return []
  if (trimmed.startsWith('[')) return objectsOf(JSON.parse(withExactIntegers(trimmed, onKept)))
  if (trimmed.startsWith('{')) {
    const exact = withExactIntegers(trimmed, onKept)
    const lines = exact.split(/\r?\n/).filter((line) => line.trim() !== '')
    return objectsOf(isWhole(exact) ? [JSON.parse(exact)] : lines.map(parseLine))
  }
  const { parse } = await reader()
  const [first = ''] = trimmed.split('\n', 1)
  const delimiter = first.includes('\t') ? '\t' : first.includes(';') && !first.includes(',') ? ';' : ','
  // Only the lines that follow go from its end: the last row may end with empty cells, which tabs part.
  const table = text.trimStart().replace(/\r?\n\s*$/, '')
  return parse(table, { columns: true, delimiter, skip_empty_lines: true, relax_column_count: false }).map(
    (row: unknown, at: number) => fieldsOf(row, at, onKept),
  )
}

/** An empty cell is no field, as for the command. @throws {Error} for a row that has nothing else */
function fieldsOf(row: unknown, at: number, onKept: OnKept | undefined): Fields {
  const cells = Object.entries(row as object).filter(([, cell]) => cell !== '')
  if (cells.length === 0) throw new Error(`Row ${at + 1} has no value.`)
  return Object.fromEntries(cells.map(([name, cell]) => [name, meant(cell, onKept)]))
}

function isWhole(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function parseLine(line: string, at: number): Json {
  try {
    return JSON.parse(line)
  } catch (error) {
    throw new Error(`Line ${at + 1}: ${error instanceof Error ? error.message : error}`)
  }
}

function objectsOf(values: Json[]): Fields[] {
  const at = values.findIndex((value) => typeof value !== 'object' || value === null || Array.isArray(value))
  if (at >= 0) throw new Error(`Document ${at + 1} is no object.`)
  return values as Fields[]
}

/** A cell that is JSON is that value; all else is text. Numbers that JSON would write otherwise, such as 007, stay text. */
function meant(cell: string, onKept: OnKept | undefined): Json {
  if (isChangedByNumber(cell)) onKept?.(cell)
  if (/^(-?(0|[1-9]\d{0,14})(\.\d{1,15})?|true|false|null|\[.*\]|\{.*\})$/s.test(cell)) {
    try {
      return parseExactJson(cell, onKept)
    } catch {
      return cell
    }
  }
  return cell
}
