/** Reads the heads of a form's parts for what the parser does not report. Each byte is looked at once. */
import type { FormSource } from './form-source.js'

export interface PartHeads {
  /** How many parts have begun. */
  begun(): number
  /** Whether part `part`, counted from 0, is a file with an empty name. Without a content type, the parser reports it as text. */
  isNameless(part: number): boolean
}

/** The parser refuses longer heads. */
const maxHeadBytes = 16 * 1024
const headEnd = '\r\n\r\n'
const namelessFile = /^content-disposition:[^\r\n]*;\s*filename(?:=""|\*=[^'";\s]*'[^'";\s]*'(?=[;\s]|$))/im

/** Watches a form until it is no longer piped to its parser. Finds no parts where the boundary is quoted with escapes. */
export function watchParts(source: FormSource, parser: NodeJS.WritableStream): PartHeads {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"\\]+)"|([^\s;"]+))/i.exec(source.headers['content-type'] ?? '') ?? []
  const boundary = quoted ?? plain
  if (boundary === undefined) return { begun: () => 0, isNameless: () => false }
  const line = Buffer.from(`\r\n--${boundary}\r\n`, 'latin1')
  // The line break at the end of one boundary line may begin the next one.
  const step = line.length - 2
  const nameless = new Set<number>()
  let begun = 0
  // The first line of a form may be a boundary.
  let rest: Buffer = Buffer.from('\r\n')

  /** Reads from one boundary line up to the next. False if the head is not complete yet. */
  function readHead(bytes: Buffer, at: number, next: number): boolean {
    const part = bytes.subarray(at + step, next < 0 ? at + step + maxHeadBytes : next + 2)
    const end = part.indexOf(headEnd)
    if (end < 0 && next < 0 && part.length < maxHeadBytes) return false
    if (namelessFile.test(part.toString('latin1', 0, end < 0 ? maxHeadBytes : end))) nameless.add(begun)
    begun++
    return true
  }

  function read(chunk: Buffer): void {
    const bytes = Buffer.concat([rest, chunk])
    let from = 0
    let at = bytes.indexOf(line)
    while (at >= 0) {
      const next = bytes.indexOf(line, at + step)
      if (!readHead(bytes, at, next)) break
      from = at + step
      at = next
    }
    // Keeps a head or a boundary line that continues in the next chunk.
    rest = bytes.subarray(at >= 0 ? at : Math.max(from, bytes.length - line.length + 1))
  }

  source.on('data', read)
  // A refused form is not read further.
  parser.once('unpipe', () => source.off('data', read))
  return { begun: () => begun, isNameless: (part) => nameless.has(part) }
}
