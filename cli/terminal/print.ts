import { counted, formatCount } from '../../client/protocol/model/figures.js'
import type { Json } from '../../client/protocol/model/json.js'
import type { Page } from '../../client/protocol/model/page.js'
import { ownValue } from '../records/own-value.js'
import { onStdout } from './colour.js'
import { cut, printable, textWidth } from './text-width.js'

/** A row of a table. Missing cells stay empty. */
export type Row = { readonly [column: string]: Json | undefined }

export interface TableOptions {
  /** Columns to show, in this order. Defaults to all, in order of appearance. */
  readonly columns?: readonly string[]
  /** Columns with values to copy, such as emails. They are cut only if the terminal has no room for them beside the id. */
  readonly whole?: readonly string[]
  /** Width in terminal columns. Defaults to the width of stdout, and to no limit in a pipe. */
  readonly width?: number
}

const gap = '  '
const minColumns = 8
/** Cuts longer cells, in a pipe too: tables are for people, and --json has everything. */
const maxCellColumns = 100
/** Narrower cells have no room for the length of a value. */
const minColumnsWithLength = 20

/** Fits a table to the terminal: cuts wide columns, and names columns without room below the table. */
export function table(rows: readonly Row[], options: TableOptions = {}): string {
  const { head, lines, foot } = openTable(rows, options)
  return [head, ...(rows.length > 0 ? [lines(rows)] : []), ...(foot === undefined ? [] : [foot])].join('\n')
}

export interface OpenTable {
  readonly head: string
  /** Formats rows as lines, in the measured columns. */
  lines(rows: readonly Row[]): string
  readonly foot: string | undefined
}

/** Measures rows for a table. The table itself may show other rows, which arrive in pieces. */
export interface TableLayout {
  add(rows: readonly Row[]): void
  /** Returns all columns, in order of appearance. */
  names(): readonly string[]
  open(options?: TableOptions): OpenTable
}

export function tableLayout(): TableLayout {
  const measured = new Map<string, Measured>()
  return {
    add(rows) {
      for (const row of rows) for (const [name, value] of Object.entries(row)) measure(measured, name, shown(value))
    },
    names: () => [...measured.keys()],
    open({ columns = [...measured.keys()], whole = [], width = terminalWidth() } = {}) {
      const all = columns.map((name) => makeColumn(name, measured.get(name)))
      return openLaidOut(keepWhole(all, { whole, width }).map(limitWidth), width)
    },
  }
}

/** Lays out the columns of a table by its first rows. */
export function openTable(first: readonly Row[], options: TableOptions = {}): OpenTable {
  const layout = tableLayout()
  layout.add(first)
  return layout.open(options)
}

function openLaidOut(columns: readonly Column[], width: number): OpenTable {
  const { visible, left } = layOut(columns, width)
  // A later row may be wider than the measured ones. A pipe has room for it.
  const fitted = (text: string, column: Column) =>
    column.isWhole ? text : cutCell(text, Number.isFinite(width) ? column.width : maxCellColumns)
  const line = (row: Row) =>
    visible.map((column) => {
      const { text, kind } = shown(ownValue(row, column.name))
      return colours[kind](pad(fitted(text, column), column.width, column.isRight))
    })
  const join = (cells: readonly string[]) => cells.join(gap).trimEnd()
  return {
    head: join(
      visible.map(({ name, width, isRight }) => onStdout.bold(pad(cut(printable(name), width), width, isRight))),
    ),
    lines: (rows) => rows.map((row) => join(line(row))).join('\n'),
    foot: left.length === 0 ? undefined : onStdout.dim(cut(`not shown: ${left.map(printable).join(', ')}`, width)),
  }
}

/** Formats an object with a line for each field. */
export function record(fields: Row, width: number = terminalWidth()): string {
  const names = Object.keys(fields)
  const widest = Math.min(24, Math.max(0, ...names.map((name) => textWidth(printable(name)))))
  return names
    .map((name) => {
      const { text, kind } = shown(ownValue(fields, name))
      return `${onStdout.bold(pad(cut(printable(name), widest), widest))}${gap}${colours[kind](wrap(text, widest + gap.length, width))}`
    })
    .join('\n')
}

/** Formats 12345 as 12,345. */
export const count = formatCount

export { counted }

/** Formats "20 of 345 documents. Next page: --offset 20". */
export function pageNote({ items, total, limit, offset }: Page<unknown>, noun: string): string {
  const last = offset + items.length
  if (items.length === 0) {
    if (!total) return `No ${noun}s.`
    return limit === 0
      ? counted(total, noun)
      : `No ${noun}s from offset ${count(offset)} on. There are ${count(total)}.`
  }
  const range = offset === 0 ? count(items.length) : `${count(offset + 1)} to ${count(last)}`
  const of = total === null ? '' : ` of ${count(total)}`
  const nouns = total === null && range === '1' ? noun : `${noun}s`
  // Without a limit in the answer, the page may or may not be full.
  if (total === null && limit === undefined) return `${range} ${nouns}. There may be more: --offset ${last}`
  const more = total === null ? items.length === limit : last < total
  return `${range}${of} ${nouns}${more ? `. Next page: --offset ${last}` : ''}`
}

export function terminalWidth(stream: NodeJS.WriteStream = process.stdout): number {
  if (stream.isTTY) return Math.max(20, stream.columns || 80)
  return Number.POSITIVE_INFINITY
}

type Kind = 'string' | 'number' | 'boolean' | 'null' | 'json' | 'missing'
interface Cell {
  readonly text: string
  readonly kind: Kind
}

const colours: { readonly [K in Kind]: (text: string) => string } = {
  string: (text) => text,
  number: onStdout.yellow,
  boolean: onStdout.magenta,
  null: onStdout.dim,
  json: onStdout.cyan,
  missing: (text) => text,
}

function shown(value: Json | undefined): Cell {
  if (value === undefined) return { text: '', kind: 'missing' }
  if (value === null) return { text: 'null', kind: 'null' }
  if (typeof value === 'string') return { text: printable(value), kind: 'string' }
  if (typeof value === 'number') return { text: String(value), kind: 'number' }
  if (typeof value === 'boolean') return { text: String(value), kind: 'boolean' }
  return { text: printable(JSON.stringify(value)), kind: 'json' }
}

interface Measured {
  width: number
  hasNumbers: boolean
  hasOthers: boolean
}

interface Column {
  readonly name: string
  readonly width: number
  /** Aligns numbers to the right. */
  readonly isRight: boolean
  /** Never cuts values that are useless when cut, such as ids. */
  readonly isWhole: boolean
}

function measure(columns: Map<string, Measured>, name: string, { text, kind }: Cell): void {
  const { width, hasNumbers, hasOthers } = columns.get(name) ?? { width: 0, hasNumbers: false, hasOthers: false }
  columns.set(name, {
    width: Math.max(width, textWidth(text)),
    hasNumbers: hasNumbers || kind === 'number',
    hasOthers: hasOthers || !['number', 'missing', 'null'].includes(kind),
  })
}

function makeColumn(name: string, { width, hasNumbers, hasOthers }: Measured = nothing): Column {
  const isRight = hasNumbers && !hasOthers
  return { name, width: Math.max(textWidth(printable(name)), width), isRight, isWhole: name === 'id' }
}

const nothing: Measured = { width: 0, hasNumbers: false, hasOthers: false }

/** Keeps ids whole always, and the other named columns if a line has room for all of them. */
function keepWhole(
  columns: readonly Column[],
  { whole, width }: { readonly whole: readonly string[]; readonly width: number },
): Column[] {
  const named = columns.filter(({ name, isWhole }) => isWhole || whole.includes(name))
  const hasRoom = total(named.map((column) => column.width)) <= width
  return columns.map((column) => (hasRoom && named.includes(column) ? { ...column, isWhole: true } : column))
}

function limitWidth(column: Column): Column {
  return column.isWhole ? column : { ...column, width: Math.min(column.width, maxCellColumns) }
}

/** Cuts a text, and appends its length if the text is long and the cell has room. */
function cutCell(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text
  if (textWidth(text) <= maxCellColumns || columns < minColumnsWithLength) return cut(text, columns)
  const length = ` (${count(text.length)} chars)`
  return `${cut(text, columns - length.length)}${length}`
}

/** Narrows the widest columns first, and drops the last columns if that is not enough. */
function layOut(columns: readonly Column[], width: number): { visible: Column[]; left: string[] } {
  const visible = [...columns]
  const left: string[] = []
  while (visible.length > 1 && minWidth(visible) > width) {
    const last = visible.findLastIndex(({ isWhole }) => !isWhole)
    left.unshift(...visible.splice(last, 1).map(({ name }) => name))
  }
  const widths = visible.map((column) => column.width)
  while (total(widths) > width) {
    const cuttable = widths.map((each, at) => (visible[at]?.isWhole ? 0 : each))
    const widest = Math.max(...cuttable)
    if (widest <= 1) break
    widths[cuttable.indexOf(widest)] = widest - 1
  }
  return { visible: visible.map((column, at) => ({ ...column, width: widths[at] ?? column.width })), left }
}

function minWidth(columns: readonly Column[]): number {
  return total(columns.map(({ width, isWhole }) => (isWhole ? width : Math.min(width, minColumns))))
}

function total(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, 0) + gap.length * (widths.length - 1)
}

function pad(text: string, width: number, right = false): string {
  const space = ' '.repeat(Math.max(0, width - textWidth(text)))
  return right ? space + text : text + space
}

/** Wraps long text, and indents the following lines. */
function wrap(text: string, indent: number, width: number): string {
  const room = Math.max(20, width - indent)
  if (textWidth(text) <= room) return text
  const lines: string[] = []
  let line = ''
  for (const word of text.split(/(?<=[ ,])/)) {
    for (let rest = word; rest !== ''; ) {
      if (textWidth(line) + textWidth(rest.trimEnd()) <= room) {
        line += rest
        rest = ''
      } else if (line === '') {
        line = rest.slice(0, room)
        rest = rest.slice(room)
      } else {
        lines.push(line.trimEnd())
        line = ''
      }
    }
  }
  return [...lines, line.trimEnd()].join(`\n${' '.repeat(indent)}`)
}
