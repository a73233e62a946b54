import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'

/** The bytes of a form, and the heads of its request. */
export type FormSource = Readable & Pick<IncomingMessage, 'headers'>

/** Parser and stores keep pieces as they get them, and each takes some 500 bytes beside its own. */
const leastPieceBytes = 4 * 1024
/** So many may be smaller: what a sender sends before it waits goes on at once. */
const mostSmallPieces = 100

/**
 * What a form is read from: in pieces that are worth what each takes, however small the chunks are in which it comes. What is less
 * than a piece waits for more, or for the end.
 */
export function openFormSource(req: IncomingMessage): FormSource {
  const source = new Readable({ read: () => void req.resume() })
  let begun: Buffer | undefined
  let length = 0
  let smallPieces = 0

  function give(bytes: Buffer): void {
    if (!source.push(bytes)) req.pause()
  }

  /** How much of a chunk goes into the piece that was begun. */
  function fill(piece: Buffer, chunk: Buffer): number {
    const taken = chunk.copy(piece, length)
    length += taken
    if (length < leastPieceBytes) return taken
    give(piece)
    begun = undefined
    return taken
  }

  req.on('data', (chunk: Buffer) => {
    const rest = begun ? chunk.subarray(fill(begun, chunk)) : chunk
    if (rest.length === 0) return
    if (rest.length >= leastPieceBytes || smallPieces++ < mostSmallPieces) return give(rest)
    length = 0
    begun = Buffer.allocUnsafeSlow(leastPieceBytes)
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
