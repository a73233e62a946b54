import type { Readable } from 'node:stream'
import { type InputRecord, mostRecordBytes, type Records, readRow } from './record.js'

const newline = 0x0a

/** NDJSON: a record on each line. A bad line is one bad row; empty lines are none. */
export async function* readJsonLines(input: Readable): Records {
  let rest: Buffer = Buffer.alloc(0)
  let line = 1
  let number = 1
  let position = 0
  for await (const piece of input as AsyncIterable<Buffer>) {
    const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece])
    const records: InputRecord[] = []
    let start = 0
    for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, start)) {
      const text = bytes.subarray(start, end)
      if (!isBlank(text)) records.push(readRow(text, { number: number++, line, endByte: position + end + 1 }))
      line += 1
      start = end + 1
    }
    position += start
    rest = bytes.subarray(start)
    if (rest.length > mostRecordBytes) {
      const text = rest.toString('utf8', 0, 200)
      yield [
        ...records,
        { number, line, endByte: position, problem: 'is too long; the file was read no further', text },
      ]
      return
    }
    if (records.length > 0) yield records
  }
  if (!isBlank(rest)) yield [readRow(rest, { number, line, endByte: position + rest.length })]
}

function isBlank(bytes: Buffer): boolean {
  return (bytes[0] ?? 0x20) <= 0x20 && bytes.toString('latin1').trim() === ''
}
