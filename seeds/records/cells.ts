/** Converts cells of CSV to JSON values and back. */
import { type FieldType, fieldTypes } from '../../client/protocol/model/collection.js'
import { isChangedByNumber, parseExactJson } from '../../client/protocol/model/exact-json.js'
import { isObject, type Json, type JsonObject, setOwn } from '../../client/protocol/model/json.js'
import { misused } from '../failure.js'

/** Type of a column. `auto` detects numbers, true, false, null and JSON. */
export type ColumnType = 'auto' | FieldType
export type ColumnTypes = ReadonlyMap<string, ColumnType>

/** Parses `zip:string,views:integer`; `*` means all other columns. */
export function readColumnTypes(text: readonly string[] = []): ColumnTypes {
  return new Map(
    text.map((part): [string, ColumnType] => {
      const at = part.lastIndexOf(':')
      const type = (['auto', ...fieldTypes] as const).find((known) => known === part.slice(at + 1))
      if (at < 1 || !type) {
        throw misused(
          `Invalid column type "${part}".`,
          `Use column:type with one of the types auto, ${fieldTypes.join(', ')}.`,
        )
      }
      return [part.slice(0, at), type]
    }),
  )
}

/** Converts the cells of a line to fields, or returns the problem. Skips empty cells. */
export function readCells(
  names: readonly string[],
  cells: readonly string[],
  types: ColumnTypes,
): { fields: JsonObject; kept?: string } | { problem: string } {
  if (cells.length !== names.length) {
    return { problem: `has ${cells.length} cell${cells.length === 1 ? '' : 's'}, but the header has ${names.length}` }
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

/** Formats a value as a cell; empty if missing. */
export function writeCell(value: Json | undefined): string {
  if (value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Help of `--safe`. */
export const safeDescription = 'CSV for a spreadsheet: puts an apostrophe before cells that start with = + - or @'

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
  link: (text) => text,
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

/** Reads a number only if it is exact: an account number of 20 digits stays text. */
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
