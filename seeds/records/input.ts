import { constants, createReadStream, fstatSync, open } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Socket } from 'node:net'
import { extname } from 'node:path'
import { addAbortSignal, PassThrough, Readable } from 'node:stream'
import { promisify } from 'node:util'
import { InputFailure, misused, noFile } from '../failure.js'
import { warnKeptAsText } from '../json-text.js'
import type { ColumnTypes } from './cells.js'
import { readJsonLines } from './json-lines.js'
import { readJsonValues } from './json-values.js'
import type { Records } from './record.js'

export const formats = ['json', 'ndjson', 'csv'] as const
export type Format = (typeof formats)[number]

/** Input of an import: a file, or `-` for stdin. */
export interface ImportSource {
  readonly name: string
  readonly path: string | undefined
  /** Undefined for stdin and pipes. */
  readonly bytes: number | undefined
  /** Detects changes of the file, together with the size. */
  readonly changedAt: number
  /** Content to use instead of the file's own. */
  readonly text?: string | undefined
}

export interface ReadOptions {
  readonly format?: Format | undefined
  readonly types: ColumnTypes
  readonly delimiter?: string | undefined
  /** Closes the input when aborted, so that reading fails. */
  readonly signal?: AbortSignal | undefined
}

/** Tells whether the input can be read only once, like stdin and pipes. */
export function isReadOnce({ bytes }: ImportSource): boolean {
  return bytes === undefined
}

/** @throws {InputFailure} if the file does not exist */
export async function openInput(name: string): Promise<ImportSource> {
  if (name === '-') return { name: 'stdin', path: undefined, bytes: undefined, changedAt: 0 }
  const found = await stat(name).catch((cause) => {
    throw noFile(name, cause)
  })
  if (found.isDirectory()) throw misused(`"${name}" is a folder.`, `Name its files: "${name}/*.json"`)
  return { name, path: name, bytes: found.isFile() ? found.size : undefined, changedAt: found.mtimeMs }
}

/** Tells whether size and time of the file are unchanged. */
export async function isUnchanged({ path, bytes, changedAt }: ImportSource): Promise<boolean> {
  if (path === undefined || bytes === undefined) return true
  const found = await stat(path).catch(() => undefined)
  return found?.size === bytes && found.mtimeMs === changedAt
}

/** Reads the records of an input in any format, without keeping them in memory. Warns about the first integer kept as text. */
export async function* readRecords(input: ImportSource, options: ReadOptions): Records {
  let hasWarned = false
  for await (const records of readFormat(input, options)) {
    for (const record of hasWarned ? [] : records) {
      if (!('kept' in record) || record.kept === undefined || hasWarned) continue
      warnKeptAsText(`${input.name}:${record.line}`, record.kept)
      hasWarned = true
    }
    yield records
  }
}

async function* readFormat(input: ImportSource, options: ReadOptions): Records {
  const stream = await openStream(input)
  if (options.signal) addAbortSignal(options.signal, stream)
  const head = await readHead(stream)
  const source = input.path === undefined ? 'stdin' : `"${input.name}"`
  if (isPacked(head)) {
    throw new InputFailure('invalid', 'PACKED', `${source} is packed (gzip or zip).`, 'Unpack it first.')
  }
  const whole = withHead(head, stream)
  const format = options.format ?? detectFormat(input, head)
  const { types, delimiter } = options
  if (format === 'csv') {
    const { likelyDelimiter, readCsv } = await import('./csv.js')
    yield* readCsv(whole, { types, delimiter: delimiter ?? likelyDelimiter(head), source })
  } else if (format === 'ndjson' || looksLikeLines(head)) yield* readJsonLines(whole)
  else yield* readJsonValues(whole)
}

async function openStream(input: ImportSource): Promise<Readable> {
  const { path, text } = input
  if (text !== undefined) return Readable.from(Buffer.from(text))
  if (path === undefined) return process.stdin
  return isReadOnce(input) ? openPipe(path) : createReadStream(path, { highWaterMark: pieceBytes })
}

/** Opens a pipe as a socket, because reading it as a file cannot be cancelled and would keep the process alive. */
async function openPipe(path: string): Promise<Readable> {
  const fd = await promisify(open)(path, constants.O_RDONLY | constants.O_NONBLOCK)
  return fstatSync(fd).isFIFO() ? new Socket({ fd, readable: true, writable: false }) : createReadStream(path, { fd })
}

function isPacked(head: Buffer): boolean {
  return ['1f8b', '504b0304'].some((mark) => head.subarray(0, mark.length / 2).toString('hex') === mark)
}

/** Chunk size. */
const pieceBytes = 64 * 1024

const byExtension: { readonly [extension: string]: Format } = {
  '.json': 'json',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.csv': 'csv',
  '.tsv': 'csv',
}

/** Tells whether a file has cells, whose types are guessed. */
export function hasCells(name: string): boolean {
  return byExtension[extname(name).toLowerCase()] === 'csv'
}

function detectFormat({ name, path }: ImportSource, head: Buffer): Format {
  const named = path === undefined ? undefined : byExtension[extname(path).toLowerCase()]
  if (named) return named
  const first = firstCharacter(head)
  if (first === '[' || first === '{') return 'json'
  if (path === undefined || head.length === 0) return 'csv'
  throw misused(
    `Cannot detect the format of "${name}".`,
    'Use a file that ends in .json, .ndjson or .csv. With svc docs import, you can pass --format.',
  )
}

/** Detects NDJSON in any file: its first line is a complete JSON object. */
function looksLikeLines(head: Buffer): boolean {
  if (firstCharacter(head) !== '{') return false
  const line = head.toString('utf8').trimStart().split('\n', 1)[0] ?? ''
  try {
    JSON.parse(line)
    return true
  } catch {
    return false
  }
}

function firstCharacter(head: Buffer): string | undefined {
  return /\S/.exec(head.toString('utf8', 0, 4096))?.[0]
}

async function readHead(stream: Readable): Promise<Buffer> {
  for await (const piece of stream.iterator({ destroyOnReturn: false })) return withoutMark(piece)
  return Buffer.alloc(0)
}

function withoutMark(bytes: Buffer): Buffer {
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  return hasMark ? bytes.subarray(3) : bytes
}

function withHead(head: Buffer, rest: Readable): Readable {
  const whole = new PassThrough({ highWaterMark: pieceBytes })
  whole.write(head)
  // Avoids an uncaught error before anything reads the stream. Readers get the error too.
  whole.on('error', () => undefined)
  rest.on('error', (error) => whole.destroy(error))
  rest.pipe(whole)
  return whole
}
