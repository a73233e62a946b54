import type { Readable } from 'node:stream'
import { type CsvError, type Info, parse } from 'csv-parse'
import { InputFailure, misused } from '../failure.js'
import { type ColumnTypes, readCells } from './cells.js'
import { type BadRow, type InputRecord, mostRecordBytes, type Records, type RowPosition } from './record.js'

export interface CsvOptions {
  readonly types: ColumnTypes
  readonly delimiter: string
  /** What people call the input. */
  readonly source: string
}

interface CsvRow {
  readonly info: Info
  readonly record: readonly string[]
  /** As it stands in the file. */
  readonly raw: string
}

const handful = 250

/** A row is read up to here, so that the next one is found; a quote that is never closed makes one row of all that follows. */
const maxHeldBytes = 4 * mostRecordBytes

/**
 * CSV whose first line names the columns. A line with too many or too few cells is a bad row, and so is one without a
 * value, unless it is an empty line at the end of the file, and one with quotes that CSV does not allow. The parser lets these through,
 * since it would take all that follows such a quote, up to the next one, for the same cell.
 */
export async function* readCsv(input: Readable, { types, delimiter, source }: CsvOptions): Records {
  let unclosed: Unclosed | undefined
  const parser = parse({
    bom: true,
    info: true,
    raw: true,
    delimiter,
    relax_column_count: true,
    relax_quotes: true,
    skip_records_with_error: true,
    max_record_size: maxHeldBytes,
    on_skip: (error, raw = '') => {
      if (unclosed) return undefined
      unclosed = { error, raw }
      if (error?.code !== 'CSV_MAX_RECORD_SIZE') return undefined
      // From here on the parser finds no beginning of a row any more.
      input.unpipe(parser)
      parser.end()
      return undefined
    },
  })
  const encoding = watchEncoding(input)
  input.on('error', (error) => parser.destroy(error))
  input.pipe(parser)

  let names: readonly string[] | undefined
  let lastLine = 1
  let number = 1
  let records: InputRecord[] = []
  // Held back until a row follows.
  const emptyLines: InputRecord[] = []
  for await (const { info, record, raw } of parser as AsyncIterable<CsvRow>) {
    const line = lastLine + (names ? 1 : 0)
    lastLine = info.lines
    const isEmptyLine = record.length === 1 && record[0] === ''
    if (!names) {
      if (isEmptyLine) continue
      if (encoding.isDamaged(record)) throw notUtf8(source)
      if (!isWellQuoted(raw, record, delimiter)) throw badHeader(source)
      names = requireDistinct(record, source)
      requireColumns(names, types, source)
      continue
    }
    const place = { number: number++, line, endByte: info.bytes }
    let read: InputRecord
    if (encoding.isDamaged(record)) read = bad(place, 'is not UTF-8', record.join(','))
    else if (isWellQuoted(raw, record, delimiter)) read = readLine(names, record, types, place)
    else read = bad(place, quotesProblem + upTo(info.lines, line), raw.trimEnd())
    if (isEmptyLine) emptyLines.push(read)
    else records.push(...emptyLines.splice(0), read)
    if (records.length >= handful) {
      yield records
      records = []
    }
  }
  if (unclosed && !names) throw badHeader(source)
  if (unclosed) records.push(...emptyLines.splice(0), damaged(unclosed, number, lastLine + 1))
  if (records.length > 0) yield records
}

/** Tells text that holds U+FFFD from text in another encoding, which becomes U+FFFD when it is read. */
function watchEncoding(input: Readable) {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let isUtf8 = true
  input.on('data', (bytes: Buffer) => {
    try {
      if (isUtf8) decoder.decode(bytes, { stream: true })
    } catch {
      isUtf8 = false
    }
  })
  return { isDamaged: (cells: readonly string[]) => !isUtf8 && cells.some((cell) => cell.includes('\ufffd')) }
}

function notUtf8(source: string): InputFailure {
  const hint = 'Save it as UTF-8, or convert it first: iconv -f windows-1252 -t utf-8'
  return new InputFailure('invalid', 'NOT_UTF8', `${source} is not UTF-8.`, hint)
}

function badHeader(source: string): InputFailure {
  const message = `The first line of ${source}, which names the columns, ${quotesProblem}.`
  return new InputFailure('invalid', 'BAD_HEADER', message, 'Mend it: a quote within a quoted name is written twice.')
}

/** Of two columns of one name, one would be lost. */
function requireDistinct(names: readonly string[], source: string): readonly string[] {
  const twice = names.find((name, at) => name !== '' && names.indexOf(name) < at)
  if (twice === undefined) return names
  const message = `Two columns of ${source} are called "${twice}".`
  throw new InputFailure('invalid', 'BAD_HEADER', message, 'Rename one of them in the first line.')
}

/** A type for a column that is not there was most likely meant for another one. */
function requireColumns(names: readonly string[], types: ColumnTypes, source: string) {
  const missing = [...types.keys()].find((name) => name !== '*' && !names.includes(name))
  if (missing !== undefined) throw misused(`${source} has no column "${missing}".`, `There are: ${names.join(', ')}.`)
}

function readLine(
  names: readonly string[],
  cells: readonly string[],
  types: ColumnTypes,
  place: RowPosition,
): InputRecord {
  if (cells.every((cell) => cell === '')) return bad(place, 'has no value', cells.join(','))
  const read = readCells(names, cells, types)
  if ('problem' in read) return bad(place, read.problem, cells.join(','))
  const bytes = cells.reduce((sum, cell) => sum + cell.length, 0) + names.join('').length
  if (bytes > mostRecordBytes) return { ...place, problem: 'is too long', text: cells.join(',').slice(0, 200) }
  return { ...place, bytes, ...read }
}

function bad(place: RowPosition, problem: string, text: string): BadRow {
  return { ...place, problem, text }
}

const quotesProblem = 'has quotes that CSV does not allow'

/** Whether each cell stands in the row as it was read: quoted as a whole, or without a quote. */
function isWellQuoted(raw: string, cells: readonly string[], delimiter: string): boolean {
  if (!raw.includes('"')) return true
  let at = raw.startsWith('\ufeff') ? 1 : 0
  for (const cell of cells) {
    const isQuoted = raw[at] === '"'
    const written = isQuoted ? `"${cell.replaceAll('"', '""')}"` : cell
    if (!raw.startsWith(written, at) || (cell.includes('"') && !isQuoted)) return false
    at += written.length + delimiter.length
  }
  return true
}

/** A quote that nothing closes makes one row of all that follows. */
interface Unclosed {
  readonly error: CsvError | undefined
  readonly raw: string
}

function damaged({ error, raw }: Unclosed, number: number, line: number): BadRow {
  const lastLine = typeof error?.lines === 'number' ? error.lines : line
  const endByte = typeof error?.bytes === 'number' ? error.bytes : 0
  const isTooLong = error?.code === 'CSV_MAX_RECORD_SIZE'
  const problem = isTooLong
    ? 'is too long, perhaps for a quote that is not closed; the file was read no further'
    : `has a quote that is not closed${upTo(lastLine, line)}`
  return bad({ number, line, endByte }, problem, isTooLong ? raw.slice(0, 200) : raw.trimEnd())
}

function upTo(last: number, first: number): string {
  return last > first ? `, up to line ${last.toLocaleString('en')}` : ''
}

/** The one of `, ; tab |` that the header has most of. */
export function likelyDelimiter(head: Buffer): string {
  const header = head.toString('utf8').split(/\r?\n/, 1)[0] ?? ''
  const unquoted = header.replace(/"[^"]*"/g, '')
  const counts = [',', ';', '\t', '|'].map((delimiter) => ({ delimiter, times: unquoted.split(delimiter).length }))
  return counts.reduce((best, next) => (next.times > best.times ? next : best)).delimiter
}
