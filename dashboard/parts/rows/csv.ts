/** Reads and writes rows as CSV. */
import type { Fields, Json } from '../../../client/index.js'
import { isChangedByNumber, parseExactJson, withExactIntegers } from '../../../client/protocol/model/exact-json.js'
import { registerPreload } from '../preload.js'

type OnKept = (literal: string) => void

const writer = registerPreload(() => import('csv-stringify/browser/esm/sync'))
const reader = registerPreload(() => import('csv-parse/browser/esm/sync'))

/** Does not escape formulas, because the file must be readable again without changes. */
export async function formatCsv(rows: readonly { readonly [name: string]: Json }[]): Promise<string> {
  const { stringify } = await writer()
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const cells = rows.map((row) => columns.map((name) => formatCell(Object.hasOwn(row, name) ? row[name] : undefined)))
  return stringify([columns, ...cells], { record_delimiter: 'windows' })
}

function formatCell(value: Json | undefined): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/**
 * Reads JSON, NDJSON, CSV or spreadsheet cells. Keeps integers as text if a number would change them.
 *
 * @throws {Error} if the text has none of these formats
 */
export async function readRows(text: string, onKept?: OnKept): Promise<Fields[]> {
  const trimmed = text.trim()
  if (trimmed === '') return []
  if (trimmed.startsWith('[')) return requireObjects(JSON.parse(withExactIntegers(trimmed, onKept)))
  if (trimmed.startsWith('{')) {
    const exact = withExactIntegers(trimmed, onKept)
    const lines = exact.split(/\r?\n/).filter((line) => line.trim() !== '')
    return requireObjects(isWhole(exact) ? [JSON.parse(exact)] : lines.map(parseLine))
  }
  const { parse } = await reader()
  const [first = ''] = trimmed.split('\n', 1)
  const delimiter = first.includes('\t') ? '\t' : first.includes(';') && !first.includes(',') ? ';' : ','
  // Remove only trailing line breaks: the last row may end with tabs for empty cells.
  const table = text.trimStart().replace(/\r?\n\s*$/, '')
  return parse(table, { columns: true, delimiter, skip_empty_lines: true, relax_column_count: false }).map(
    (row: unknown, at: number) => readFields(row, at, onKept),
  )
}

/** Skips empty cells, like `svc docs import`. @throws {Error} for a row without values */
function readFields(row: unknown, at: number, onKept: OnKept | undefined): Fields {
  const cells = Object.entries(row as object).filter(([, cell]) => cell !== '')
  if (cells.length === 0) throw new Error(`Row ${at + 1} has no value.`)
  return Object.fromEntries(cells.map(([name, cell]) => [name, parseCell(cell, onKept)]))
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

function requireObjects(values: Json[]): Fields[] {
  const at = values.findIndex((value) => typeof value !== 'object' || value === null || Array.isArray(value))
  if (at >= 0) throw new Error(`Document ${at + 1} is not an object.`)
  return values as Fields[]
}

/** Parses a cell as JSON if possible. Everything else stays text, also numbers such as 007. */
function parseCell(cell: string, onKept: OnKept | undefined): Json {
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
