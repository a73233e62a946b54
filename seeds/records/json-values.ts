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
/** Outside strings, every character up to this one is white space. */
const space = 0x20

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
  let start = 0
  for (let at = 0; at < piece.length; at++) {
    if (scan.inString) {
      at = scanString(scan, piece, at)
      continue
    }
    const wasOpen = scan.isOpen
    const end = scanByte(scan, piece[at] ?? space, at)
    if (scan.isOpen && !wasOpen) start = at
    if (end === undefined) continue
    const place = { number: scan.number, line: scan.startLine, endByte: scan.position + end }
    records.push(scan.held.close(piece.subarray(start, end), place))
    scan.number += 1
    scan.isOpen = false
  }
  if (scan.isOpen) scan.held.add(piece.subarray(start))
  scan.position += piece.length
}

/** Returns the end of the record if the byte ends it. */
function scanByte(scan: Scan, byte: number, at: number): number | undefined {
  if (byte === newline) scan.line += 1
  if (byte <= space) return undefined
  if (!scan.isOpen) {
    if (takeBetweenRecords(scan, byte)) return undefined
    scan.isOpen = true
    scan.startLine = scan.line
  }
  return scanInRecord(scan, byte, at)
}

/** Returns the position of the closing quote, or the end of the piece. */
function scanString(scan: Scan, piece: Buffer, from: number): number {
  for (let at = from; at < piece.length; at++) {
    const byte = piece[at]
    if (scan.isEscaped) scan.isEscaped = false
    else if (byte === backslash) scan.isEscaped = true
    else if (byte === newline) scan.line += 1
    else if (byte === quote) {
      scan.inString = false
      return at
    }
  }
  return piece.length
}

/** Takes a comma, or opens or closes the array. Returns false if the byte belongs to a record. */
function takeBetweenRecords(scan: Scan, byte: number): boolean {
  if (byte === openBracket && !scan.isArray && scan.depth === 0) {
    scan.isArray = true
    scan.depth = 1
    return true
  }
  if (byte === closeBracket && scan.isArray && scan.depth === 1) {
    closeArray(scan)
    return true
  }
  return byte === comma && scan.depth === topDepth(scan)
}

/** Returns the end of the record if the byte ends it: elements end before the byte, other records with it. */
function scanInRecord(scan: Scan, byte: number, at: number): number | undefined {
  if (scan.isArray && scan.depth === 1 && (byte === comma || byte === closeBracket)) {
    if (byte === closeBracket) closeArray(scan)
    return at
  }
  if (byte === quote) scan.inString = true
  else if (byte === openBrace || byte === openBracket) scan.depth += 1
  else if (byte === closeBrace || byte === closeBracket) {
    scan.depth = Math.max(topDepth(scan), scan.depth - 1)
    if (scan.depth === 0) return at + 1
  }
  return undefined
}

function closeArray(scan: Scan): void {
  scan.isClosed = true
  scan.depth = 0
}

/** Returns the depth between records. */
function topDepth({ isArray }: Scan): number {
  return isArray ? 1 : 0
}
