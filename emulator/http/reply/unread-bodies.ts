/** Answers requests without reading their bodies to the end. Contract 10.10. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { sizes } from '../../../client/protocol/model/limits.js'
import type { Text } from './write-steps.js'

/** Reads on up to this size, which is cheaper than a new connection. */
const maxReadOnBytes = 64 * 1024

/** Many clients send the whole body before reading the answer, so they get this much room and time. */
const lingering = { maxBytes: 8 * sizes.maxBodyBytes, maxMilliseconds: 5_000 }

/** The overhead of a chunk that is discarded. */
const chunkBytes = 4 * 1024

/** Whether the client still has so much to send that the connection ends with the answer. */
export function isSending({ complete, headers }: IncomingMessage): boolean {
  if (complete) return false
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > maxReadOnBytes
}

/**
 * Sends the answer. Closes the connection once the client has sent its body or exceeds the limits. Expects `connection: close`.
 */
export function answerWhileSending(res: ServerResponse, text: Text): void {
  const { req } = res
  let bytes = 0
  res.flushHeaders()
  for (const piece of [text].flat()) if (piece !== '') res.write(piece)
  const end = () => {
    clearTimeout(tooLate)
    req.pause()
    res.end()
  }
  const tooLate = setTimeout(end, lingering.maxMilliseconds)
  req.once('end', end)
  req.once('close', end)
  req.on('data', ({ length }: Buffer) => {
    bytes += length + chunkBytes
    if (bytes > lingering.maxBytes) end()
  })
  req.resume()
}
