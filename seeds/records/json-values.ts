import type { Readable } from 'node:stream'
import { type InputRecord, openRecord, type Records, type RowPosition } from './record.js'

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const openBrace = 0x7b
const closeBrace = 0x7d
const openBracket = 0x5b
const closeBracket = 0x5d
const newline = 0x0a

/**
 * Reads the elements of a JSON array, or consecutive JSON objects. Holds at most one of them and a chunk of the input in
 * memory.
 */
export async function* readJsonValues(input: Readable): Records {
  const scan = startScan()
  for await (const piece of input as AsyncIterable<Buffer>) {
    const records: InputRecord[] = []
    scanPiece(scan, piece, records)
    if (records.length > 0) yield records
  }
  const tail = scan.held.text().trim()
  if (tail !== '') {
    const problem = 'is incomplete: the file ends in the middle of it'
    yield [{ ...unfinished(scan), problem, text: tail.slice(0, 10_000) }]
  } else if (scan.isArray && !scan.isClosed) {
    yield [{ ...unfinished(scan), problem: 'is missing: the file ends before the end of its array', text: '' }]
  }
}

interface Scan {
  /** True if elements are inside an array, not at the top level. */
  isArray: boolean
  isClosed: boolean
  depth: number
  inString: boolean
  isEscaped: boolean
  /** True inside a record. */
  isOpen: boolean
  line: number
  startLine: number
  /** Number of the current or next record. */
  number: number
  position: number
  /** Start of the current record, from earlier chunks. */
  readonly held: ReturnType<typeof openRecord>
}

function startScan(): Scan {
  return {
    isArray: false,
    isClosed: false,
    depth: 0,
    inString: false,
    isEscaped: false,
    isOpen: false,
    line: 1,
    startLine: 1,
    number: 1,
    position: 0,
    held: openRecord(),
  }
}

function unfinished({ number, isOpen, line, startLine, position }: Scan): RowPosition {
  return { number, line: isOpen ? startLine : line, endByte: position }
}

/** Scans bytes in one pass. Tracks strings and nesting, and leaves everything else to JSON.parse. */
function scanPiece(scan: Scan, piece: Buffer, records: InputRecord[]) {
  let start = scan.isOpen ? 0 : -1
  const end = (at: number) => {
    const place = { number: scan.number, line: scan.startLine, endByte: scan.position + at }
    records.push(scan.held.close(piece.subarray(start, at), place))
    scan.number += 1
    scan.isOpen = false
    start = -1
  }
  for (let at = 0; at < piece.length; at++) {
    const byte = piece[at]
    if (scan.inString) {
      if (scan.isEscaped) scan.isEscaped = false
      else if (byte === backslash) scan.isEscaped = true
      else if (byte === quote) scan.inString = false
      else if (byte === newline) scan.line += 1
      continue
    }
    if (byte === newline) scan.line += 1
    if (byte === undefined || byte <= 0x20) continue
    const base = scan.isArray ? 1 : 0
    if (!scan.isOpen) {
      if (!scan.isArray && byte === openBracket && scan.depth === 0) {
        scan.isArray = true
        scan.depth = 1
        continue
      }
      if (scan.isArray && scan.depth === 1 && byte === closeBracket) {
        scan.isClosed = true
        scan.depth = 0
        continue
      }
      if (byte === comma && scan.depth === base) continue
      scan.isOpen = true
      scan.startLine = scan.line
      start = at
    } else if (scan.isArray && scan.depth === 1 && (byte === comma || byte === closeBracket)) {
      end(at)
      if (byte === closeBracket) {
        scan.isClosed = true
        scan.depth = 0
      }
      continue
    }
    if (byte === quote) scan.inString = true
    else if (byte === openBrace || byte === openBracket) scan.depth += 1
    else if (byte === closeBrace || byte === closeBracket) {
      scan.depth = Math.max(base, scan.depth - 1)
      if (scan.depth === base && base === 0) end(at + 1)
    }
  }
  if (start !== -1) scan.held.add(piece.subarray(start))
  scan.position += piece.length
}
