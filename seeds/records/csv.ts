import type { Readable } from 'node:stream'
import { type CsvError, type Info, parse } from 'csv-parse'
import { InputFailure, misused } from '../failure.js'
import { type ColumnTypes, readCells } from './cells.js'
import { type BadRow, type InputRecord, maxRecordBytes, type Records, type RowPosition } from './record.js'

export interface CsvOptions {
  readonly types: ColumnTypes
  readonly delimiter: string
  /** Name of the input in messages. */
  readonly source: string
}

interface CsvRow {
  readonly info: Info
  readonly record: readonly string[]
  /** Text in the file. */
  readonly raw: string
}

const handful = 250

interface Reading extends CsvOptions, ReturnType<typeof watchEncoding> {}

/** Stops reading a row here, because an unclosed quote turns the rest of the file into one row. */
const maxHeldBytes = 4 * maxRecordBytes

/**
 * Reads CSV whose first line names the columns. Bad rows are lines with too many or too few cells, without values (except
 * empty lines at the end), or with invalid quotes. The parser accepts invalid quotes, because otherwise it would read
 * everything up to the next quote as one cell.
 */
export async function* readCsv(input: Readable, options: CsvOptions): Records {
  let unclosed: Unclosed | undefined
  const parser = parse({
    bom: true,
    info: true,
    raw: true,
    delimiter: options.delimiter,
    relax_column_count: true,
    relax_quotes: true,
    skip_records_with_error: true,
    max_record_size: maxHeldBytes,
    on_skip: (error, raw = '') => {
      if (unclosed) return undefined
      unclosed = { error, raw }
      if (error?.code !== 'CSV_MAX_RECORD_SIZE') return undefined
      // The parser can no longer find the start of a row.
      input.unpipe(parser)
      parser.end()
      return undefined
    },
  })
  const reading = { ...options, ...watchEncoding(input) }
  input.on('error', (error) => parser.destroy(error))
  input.pipe(parser)

  let names: readonly string[] | undefined
  let lastLine = 1
  let number = 1
  let records: InputRecord[] = []
  // Held back until another row follows.
  const emptyLines: InputRecord[] = []
  for await (const row of parser as AsyncIterable<CsvRow>) {
    const { info, record } = row
    const line = lastLine + 1
    lastLine = info.lines
    const isEmptyLine = record.length === 1 && record[0] === ''
    if (!names) {
      if (!isEmptyLine) names = readHeader(row, reading)
      continue
    }
    const read = readRow(names, row, { number: number++, line, endByte: info.bytes }, reading)
    if (isEmptyLine) emptyLines.push(read)
    else records.push(...emptyLines.splice(0), read)
    if (records.length >= handful) {
      yield records
      records = []
    }
  }
  if (unclosed && !names) throw badHeader(options.source)
  if (unclosed) records.push(...emptyLines.splice(0), damaged(unclosed, number, lastLine + 1))
  if (records.length > 0) yield records
}

/** Distinguishes text that contains U+FFFD from text in another encoding, which is decoded to U+FFFD. */
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

/** @throws {InputFailure} if the first line does not name the columns */
function readHeader({ record, raw }: CsvRow, { types, delimiter, source, isDamaged }: Reading): readonly string[] {
  if (isDamaged(record)) throw notUtf8(source)
  if (!isWellQuoted(raw, record, delimiter)) throw badHeader(source)
  const names = requireDistinct(record, source)
  requireColumns(names, types, source)
  return names
}

function notUtf8(source: string): InputFailure {
  const hint = 'Save it as UTF-8, or convert it first: iconv -f windows-1252 -t utf-8'
  return new InputFailure('invalid', 'NOT_UTF8', `${source} is not UTF-8.`, hint)
}

function badHeader(source: string): InputFailure {
  const message = `The first line of ${source}, which names the columns, ${quotesProblem}.`
  return new InputFailure(
    'invalid',
    'BAD_HEADER',
    message,
    'Fix the quotes. Inside a quoted name, write a quote twice.',
  )
}

/** Refuses duplicate column names, which would lose values. */
function requireDistinct(names: readonly string[], source: string): readonly string[] {
  const twice = names.find((name, at) => name !== '' && names.indexOf(name) < at)
  if (twice === undefined) return names
  const message = `Two columns of ${source} are named "${twice}".`
  throw new InputFailure('invalid', 'BAD_HEADER', message, 'Rename one of them in the first line.')
}

/** Refuses types for missing columns, which are probably misspelled. */
function requireColumns(names: readonly string[], types: ColumnTypes, source: string) {
  const missing = [...types.keys()].find((name) => name !== '*' && !names.includes(name))
  if (missing !== undefined)
    throw misused(`${source} has no column "${missing}".`, `Its columns are ${names.join(', ')}.`)
}

function readRow(
  names: readonly string[],
  { info, record: cells, raw }: CsvRow,
  place: RowPosition,
  { types, delimiter, isDamaged }: Reading,
): InputRecord {
  if (isDamaged(cells)) return bad(place, 'is not UTF-8', cells.join(','))
  if (!isWellQuoted(raw, cells, delimiter)) {
    return bad(place, quotesProblem + upTo(info.lines, place.line), raw.trimEnd())
  }
  if (cells.every((cell) => cell === '')) return bad(place, 'has no value', cells.join(','))
  const read = readCells(names, cells, types)
  if ('problem' in read) return bad(place, read.problem, cells.join(','))
  const bytes = cells.reduce((sum, cell) => sum + cell.length, 0) + names.join('').length
  if (bytes > maxRecordBytes) return bad(place, 'is too long', cells.join(',').slice(0, 200))
  return { ...place, bytes, ...read }
}

function bad(place: RowPosition, problem: string, text: string): BadRow {
  return { ...place, problem, text }
}

const quotesProblem = 'has quotes that CSV does not allow'

/** Tells whether each cell is quoted as a whole, or has no quotes. */
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

/** The row with an unclosed quote, which contains the rest of the file. */
interface Unclosed {
  readonly error: CsvError | undefined
  readonly raw: string
}

function damaged({ error, raw }: Unclosed, number: number, line: number): BadRow {
  const lastLine = typeof error?.lines === 'number' ? error.lines : line
  const endByte = typeof error?.bytes === 'number' ? error.bytes : 0
  const isTooLong = error?.code === 'CSV_MAX_RECORD_SIZE'
  const problem = isTooLong
    ? 'is too long, possibly because of an unclosed quote. The rest of the file was not read'
    : `has an unclosed quote${upTo(lastLine, line)}`
  return bad({ number, line, endByte }, problem, isTooLong ? raw.slice(0, 200) : raw.trimEnd())
}

function upTo(last: number, first: number): string {
  return last > first ? `, up to line ${last.toLocaleString('en')}` : ''
}

/** Picks the delimiter of `, ; tab |` that is most frequent in the header. */
export function likelyDelimiter(head: Buffer): string {
  const header = head.toString('utf8').split(/\r?\n/, 1)[0] ?? ''
  const unquoted = header.replace(/"[^"]*"/g, '')
  const counts = [',', ';', '\t', '|'].map((delimiter) => ({ delimiter, times: unquoted.split(delimiter).length }))
  return counts.reduce((best, next) => (next.times > best.times ? next : best)).delimiter
}
