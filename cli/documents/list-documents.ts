/** Prints documents as a table, CSV, NDJSON, or one JSON object. */
import { once } from 'node:events'
import type { Document } from '../../client/protocol/model/document.js'
import { namingFields, namingRank } from '../../client/protocol/model/documents/naming-fields.js'
import { isObject, type Json, type JsonObject } from '../../client/protocol/model/json.js'
import { type OpenTable, type TableLayout, tableLayout } from '../terminal/print.js'
import { shortTime } from '../terminal/short-time.js'
import { jsonText, printableLines } from '../terminal/text-width.js'
import { documentRow } from './document-row.js'

export const listFormats = ['table', 'csv', 'ndjson'] as const
export type ListFormat = (typeof listFormats)[number] | 'json'

/** Makes a row for a table. Shows linked documents by name, and `updatedAt` only if it was chosen. */
function row(document: Document, columns: readonly string[] | undefined): JsonObject {
  const { updatedAt = null, createdAt = null, ...rest } = documentRow(document)
  const shown = Object.entries(rest).map(([name, value]) => [name, nameLinked(value)] as const)
  return {
    ...Object.fromEntries(shown),
    createdAt: shortTime(createdAt) ?? null,
    ...(columns ? { updatedAt: shortTime(updatedAt) ?? null } : {}),
  }
}

/** Replaces a linked document with its title or, without one, its id. */
function nameLinked(value: Json): Json {
  if (Array.isArray(value)) return value.map(nameLinked)
  if (!isObject(value) || !isObject(value.data) || !hasTextIn(value, ['id', 'collection', 'createdAt'])) return value
  const names = Object.entries(value.data).filter(([field, name]) => isName(field) && typeof name === 'string' && name)
  const [first] = names.toSorted(([one], [other]) => namingRank(one) - namingRank(other))
  return first?.[1] ?? value.id ?? null
}

function hasTextIn(value: JsonObject, fields: readonly string[]): boolean {
  return fields.every((field) => typeof value[field] === 'string')
}

function isName(field: string): boolean {
  return namingRank(field) < namingFields.length
}

/** Notes the selected columns that no document has. */
export function missingColumns(documents: readonly Document[], columns: readonly string[] = []): string | undefined {
  const names = fieldNames(documents.map(documentRow))
  const missing = columns.filter((column) => !names.includes(column)).map((column) => `"${column}"`)
  if (documents.length === 0 || missing.length === 0) return undefined
  return `No document has a field ${missing.join(' or ')}. Fields: ${names.join(', ')}`
}

const handful = 100

/** Prints any number of documents in batches, with backpressure from the reader. */
export async function printDocuments(
  documents: AsyncIterable<Document> | Iterable<Document>,
  format: ListFormat,
  options: PrintOptions = {},
): Promise<number> {
  const print = await printers[format](options)
  let written = 0
  let some: Document[] = []
  const flush = async (isLast: boolean) => {
    const text = print(some, { isFirst: written === 0, isLast })
    written += some.length
    some = []
    if (text !== '') options.onBegun?.()
    if (text !== '' && !process.stdout.write(text)) await once(process.stdout, 'drain')
  }
  for await (const document of documents) {
    some.push(document)
    if (some.length >= handful) await flush(false)
  }
  await flush(true)
  return written
}

interface PrintOptions {
  readonly columns?: readonly string[] | undefined
  /** Escapes CSV cells that a spreadsheet would run. */
  readonly isSafe?: boolean
  /** Called once output has begun. */
  readonly onBegun?: () => void
  /** Column widths of the table. Defaults to those of its first rows. */
  readonly layout?: TableLayout | undefined
}

type Print = (documents: readonly Document[], place: { isFirst: boolean; isLast: boolean }) => string

/** Closes the items of the JSON object. */
export const endOfItems = '\n]'

const printers: { readonly [F in ListFormat]: (options: PrintOptions) => Promise<Print> | Print } = {
  ndjson: () => (documents) => documents.map((document) => `${jsonText(documentRow(document))}\n`).join(''),
  json: () => {
    let isBegun = false
    return (documents, { isLast }) => {
      const items = documents.map((document, at) => `${isBegun || at > 0 ? ',' : ''}\n${jsonText(document)}`).join('')
      const text = `${isBegun ? '' : '{"items":['}${items}${isLast ? `${endOfItems}}\n` : ''}`
      isBegun = true
      return text
    }
  },
  csv: async ({ columns, isSafe = false }) => {
    const { csvText } = await import('../records/csv-text.js')
    let names = columns
    return (documents, { isFirst }) => {
      const rows = documents.map(documentRow)
      names ??= fieldNames(rows)
      if (names.length === 0) return ''
      const text = csvText(names, rows, { hasHeader: isFirst, isSafe })
      // Escapes control characters only on a terminal. A file gets the cells unchanged.
      return process.stdout.isTTY ? printableLines(text) : text
    }
  },
  table: ({ columns, layout = tableLayout() }) => {
    let open: OpenTable | undefined
    return (documents, { isLast }) => {
      const rows = documents.map((document) => row(document, columns))
      const isFirst = open === undefined
      layout.add(open === undefined ? rows : [])
      open ??= layout.open({ columns: columns ?? inTableOrder(layout.names()) })
      const parts = [isFirst ? open.head : '', rows.length > 0 ? open.lines(rows) : '', isLast ? (open.foot ?? '') : '']
      return parts.flatMap((part) => (part === '' ? [] : [`${part}\n`])).join('')
    }
  },
}

/** Computes the columns and widths that fit all documents, without keeping them in memory. */
export async function layoutOfAll(
  documents: AsyncIterable<Document>,
  columns?: readonly string[],
): Promise<TableLayout> {
  const layout = tableLayout()
  for await (const document of documents) layout.add([row(document, columns)])
  return layout
}

/** Returns every field of all documents, for a CSV that leaves nothing out. */
export async function namesOfAll(documents: AsyncIterable<Document> | Iterable<Document>): Promise<string[]> {
  const names = new Set<string>()
  for await (const document of documents) for (const name of Object.keys(documentRow(document))) names.add(name)
  return timesLast([...names])
}

function fieldNames(rows: readonly JsonObject[]): string[] {
  return timesLast([...new Set(rows.flatMap((row) => Object.keys(row)))])
}

/** Puts the service's own times last, after fields that only later documents have. */
function timesLast(names: readonly string[]): string[] {
  const isTime = (name: string) => name === 'createdAt' || name === 'updatedAt'
  return [...names.filter((name) => !isTime(name)), ...names.filter(isTime)]
}

/** Orders columns: id, the naming field, all others as they appear, and the times. */
function inTableOrder(names: readonly string[]): string[] {
  const rank = (name: string) => (name === 'id' ? -1 : namingRank(name))
  return timesLast(names.toSorted((one, other) => rank(one) - rank(other)))
}
