import type { Readable } from 'node:stream'
import { type InputRecord, openRecord, type Records } from './record.js'

const newline = 0x0a

/** Reads NDJSON, one record per line. A bad line is one bad row; empty lines are skipped. */
export async function* readJsonLines(input: Readable): Records {
  const record = openRecord()
  let line = 1
  let number = 1
  let position = 0
  const close = (last: Buffer, endByte: number): InputRecord[] =>
    record.isEmpty() && isBlank(last) ? [] : [record.close(last, { number: number++, line, endByte })]

  for await (const piece of input as AsyncIterable<Buffer>) {
    const records: InputRecord[] = []
    let start = 0
    for (let end = piece.indexOf(newline); end !== -1; end = piece.indexOf(newline, start)) {
      records.push(...close(piece.subarray(start, end), position + end + 1))
      line += 1
      start = end + 1
    }
    position += piece.length
    const rest = piece.subarray(start)
    if (!record.isEmpty() || !isBlank(rest)) record.add(rest)
    if (records.length > 0) yield records
  }
  const last = close(Buffer.alloc(0), position)
  if (last.length > 0) yield last
}

function isBlank(bytes: Buffer): boolean {
  return (bytes[0] ?? 0x20) <= 0x20 && bytes.toString('latin1').trim() === ''
}
