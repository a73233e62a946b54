import type { IncomingMessage } from 'node:http'

/** Counts how many parts a form begins, as its bytes come by; none where its boundary is written in a way not known here. */
export function countParts(req: IncomingMessage): () => number {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"\\]+)"|([^\s;"]+))/i.exec(req.headers['content-type'] ?? '') ?? []
  const boundary = quoted ?? plain
  if (boundary === undefined) return () => 0
  const line = Buffer.from(`\r\n--${boundary}\r\n`, 'latin1')
  const most = line.length - 1
  let count = 0
  // The first line of a form may be a boundary.
  let end: Buffer = Buffer.from('\r\n')
  req.on('data', (chunk: Buffer) => {
    // One that lies across two chunks is in neither.
    const seam = Buffer.concat([end, chunk.subarray(0, most)])
    if (seam.includes(line)) count++
    for (let at = chunk.indexOf(line); at >= 0; at = chunk.indexOf(line, at + line.length)) count++
    end = chunk.length < most ? seam.subarray(-most) : chunk.subarray(-most)
  })
  return () => count
}
