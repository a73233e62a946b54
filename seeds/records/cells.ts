/** Converts CSV cells to JSON values and back. */
import { type FieldType, fieldTypes } from '../../client/protocol/model/collection.js'
import { isChangedByNumber, parseExactJson } from '../../client/protocol/model/exact-json.js'
import { isObject, type Json, type JsonObject, setOwn } from '../../client/protocol/model/json.js'
import { misused } from '../failure.js'

/** Type of a column's cells. `auto` recognizes numbers, true, false, null, and JSON. */
export type ColumnType = 'auto' | FieldType
export type ColumnTypes = ReadonlyMap<string, ColumnType>

/** Parses `zip:string,views:integer`. `*` stands for all other columns. */
export function readColumnTypes(text: readonly string[] = []): ColumnTypes {
  return new Map(
    text.map((part): [string, ColumnType] => {
      const at = part.lastIndexOf(':')
      const type = (['auto', ...fieldTypes] as const).find((known) => known === part.slice(at + 1))
      if (at < 1 || !type) {
        throw misused(
          `Not a valid column type: "${part}".`,
          `Use column:type with one of these types: auto, ${fieldTypes.join(', ')}.`,
        )
      }
      return [part.slice(0, at), type]
    }),
  )
}

/** Converts a row of cells to fields. Skips empty cells. Returns the problem if a cell is invalid. */
export function readCells(
  names: readonly string[],
  cells: readonly string[],
  types: ColumnTypes,
): { fields: JsonObject; kept?: string } | { problem: string } {
  if (cells.length !== names.length) {
    return { problem: `has ${cells.length} cell${cells.length === 1 ? '' : 's'} where the header has ${names.length}` }
  }
  const fields: JsonObject = {}
  let kept: string | undefined
  const onKept = (literal: string) => {
    kept ??= literal
  }
  for (let at = 0; at < names.length; at++) {
    const name = names[at] ?? ''
    const text = cells[at] ?? ''
    if (text === '') continue
    const type = types.get(name) ?? types.get('*') ?? 'auto'
    const value = readers[type](text, onKept)
    if (value === undefined) return { problem: `"${name}" is not of type "${type}": ${text.slice(0, 80)}` }
    setOwn(fields, name, value)
  }
  return kept === undefined ? { fields } : { fields, kept }
}

/** Formats a value as a cell. A missing value is empty. */
export function writeCell(value: Json | undefined): string {
  if (value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Help text of `--safe`. */
export const safeDescription =
  'make CSV safe for spreadsheets: put an apostrophe before cells that begin with = + - or @'

const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

const booleans = new Map([
  ['true', true],
  ['false', false],
])

type OnKept = (literal: string) => void

const readers: { readonly [Type in ColumnType]: (text: string, onKept: OnKept) => Json | undefined } = {
  auto: readAny,
  any: readAny,
  string: (text) => text,
  datetime: (text) => text,
  file: (text) => text,
  number: readNumber,
  integer: (text) => {
    const value = readNumber(text)
    return Number.isInteger(value) ? value : undefined
  },
  boolean: (text) => booleans.get(text.toLowerCase()),
  array: (text, onKept) => readJson(text, Array.isArray, onKept),
  object: (text, onKept) => readJson(text, isObject, onKept),
}

function readAny(text: string, onKept: OnKept): Json {
  const first = text.charCodeAt(0)
  if (first === 0x2d || (first >= 0x30 && first <= 0x39)) return readExactNumber(text) ?? keptText(text, onKept)
  if (text === 'true') return true
  if (text === 'false') return false
  if (text === 'null') return null
  if (first === 0x7b || first === 0x5b) return readJson(text, () => true, onKept) ?? text
  return text
}

/** Parses a number only if nothing is lost: a 20-digit account number stays text. */
function readExactNumber(text: string): number | undefined {
  const digits = text
    .replace(/[eE].*$/, '')
    .replace(/\D/g, '')
    .replace(/^0+/, '').length
  return digits <= 15 ? readNumber(text) : undefined
}

function readNumber(text: string): number | undefined {
  if (!jsonNumber.test(text) || isChangedByNumber(text)) return undefined
  const value = Number(text)
  return Number.isFinite(value) ? value : undefined
}

function keptText(text: string, onKept: OnKept): string {
  if (isChangedByNumber(text)) onKept(text)
  return text
}

function readJson(text: string, fits: (value: unknown) => boolean, onKept: OnKept): Json | undefined {
  try {
    const value = parseExactJson(text, onKept)
    return fits(value) ? value : undefined
  } catch {
    return undefined
  }
}
