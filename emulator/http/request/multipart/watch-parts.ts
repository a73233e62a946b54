import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'

/** What the parser does not say of the parts of a form. */
export interface PartHeads {
  /** How many parts were begun. */
  begun(): number
  /** Whether that part, counted from 0, is a file whose name is empty: without a type of its own, the parser takes it for text. */
  isNameless(part: number): boolean
}

/** The parser reads no head that is longer. */
const mostHeadBytes = 16 * 1024
const headEnd = '\r\n\r\n'
const namelessFile = /^content-disposition:[^\r\n]*;\s*filename(?:=""|\*=[^'";\s]*'[^'";\s]*'(?=[;\s]|$))/im

/** Reads the heads of a form's parts as its bytes come by; none where its boundary is written in a way not known here. */
export function watchParts(req: Readable & Pick<IncomingMessage, 'headers'>): PartHeads {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"\\]+)"|([^\s;"]+))/i.exec(req.headers['content-type'] ?? '') ?? []
  const boundary = quoted ?? plain
  if (boundary === undefined) return { begun: () => 0, isNameless: () => false }
  const line = Buffer.from(`\r\n--${boundary}\r\n`, 'latin1')
  let begun = 0
  const nameless = new Set<number>()
  // The first line of a form may be a boundary.
  let rest: Buffer = Buffer.from('\r\n')
  req.on('data', (chunk: Buffer) => {
    const bytes = Buffer.concat([rest, chunk])
    let from = 0
    let at = bytes.indexOf(line)
    while (at >= 0) {
      const end = bytes.indexOf(headEnd, at + line.length - 2)
      if (end < 0 && bytes.length - at <= mostHeadBytes) break
      if (namelessFile.test(bytes.toString('latin1', at, end < 0 ? at + mostHeadBytes : end))) nameless.add(begun)
      begun++
      from = at + line.length - 2
      at = bytes.indexOf(line, from)
    }
    // A head or a boundary that lies across two chunks is whole with the next one.
    rest = bytes.subarray(at >= 0 ? at : Math.max(from, bytes.length - line.length + 1))
  })
  return { begun: () => begun, isNameless: (part) => nameless.has(part) }
}
