/** Answers to requests whose bodies are not read to their end. Contract 10.10. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { sizes } from '../../../client/protocol/model/limits.js'
import type { ChunkTurns } from '../guards/chunk-turns.js'
import type { Text } from './write-steps.js'

/** Reads on so much at most, which costs less than a new connection. */
const mostReadOnBytes = 64 * 1024

/** Many clients send all of a body before they read the answer, so they get this much room and time for it. */
const lingering = { mostBytes: 8 * sizes.maxBodyBytes, mostMilliseconds: 5_000 }

/** What a chunk costs beside its bytes while it is thrown away. */
const chunkBytes = 4 * 1024

/** Whether a request still sends so much that its connection ends with the answer. */
export function isSending({ complete, headers }: IncomingMessage): boolean {
  if (complete) return false
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > mostReadOnBytes
}

/** Answers, and ends the connection once the client has sent its body or lingers for too long. Expects `connection: close`. */
export function answerWhileSending(chunks: ChunkTurns, res: ServerResponse, text: Text): void {
  const { req } = res
  let bytes = 0
  res.flushHeaders()
  for (const piece of [text].flat()) if (piece !== '') res.write(piece)
  const end = () => {
    clearTimeout(tooLate)
    req.pause()
    res.end()
  }
  const tooLate = setTimeout(end, lingering.mostMilliseconds)
  req.once('end', end)
  req.once('close', end)
  chunks.watch(req)
  req.on('data', ({ length }: Buffer) => {
    bytes += length + chunkBytes
    if (bytes > lingering.mostBytes) end()
  })
  req.resume()
}
