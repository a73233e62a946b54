import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'

/** The bytes of a form, with the headers of its request. */
export type FormSource = Readable & Pick<IncomingMessage, 'headers'>

/** Parser and stores hold on to pieces, each with an overhead of about 500 bytes. */
const minPieceBytes = 4 * 1024
/** The number of pieces that may be smaller, so that the first bytes of a slow sender pass through at once. */
const maxSmallPieces = 100

/** Gathers small chunks into pieces worth their overhead. Holds back less than a piece until more arrives or the form ends. */
export function openFormSource(req: IncomingMessage): FormSource {
  const source = new Readable({ read: () => void req.resume() })
  let begun: Buffer | undefined
  let length = 0
  let smallPieces = 0

  function give(bytes: Buffer): void {
    if (!source.push(bytes)) req.pause()
  }

  /** Copies what fits of a chunk into the current piece. Returns how much that was. */
  function fill(piece: Buffer, chunk: Buffer): number {
    const taken = chunk.copy(piece, length)
    length += taken
    if (length < minPieceBytes) return taken
    give(piece)
    begun = undefined
    return taken
  }

  req.on('data', (chunk: Buffer) => {
    const rest = begun ? chunk.subarray(fill(begun, chunk)) : chunk
    if (rest.length === 0) return
    if (rest.length >= minPieceBytes || smallPieces++ < maxSmallPieces) return give(rest)
    length = 0
    begun = Buffer.allocUnsafeSlow(minPieceBytes)
    fill(begun, rest)
  })
  req.once('end', () => {
    if (begun) give(begun.subarray(0, length))
    source.push(null)
  })
  req.once('close', () => {
    if (!req.readableEnded) source.destroy()
  })
  return Object.assign(source, { headers: req.headers })
}
