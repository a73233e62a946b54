/** Detects when answers end with their connection, including pipelined answers that wait for their turn on it. */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Pipelined requests of one connection that may wait for their answers. Clients that pipeline at all send a few. Contract 10.10. */
export const maxPipelined = 100

/**
 * Emits `close` on answers whose connection ended. Node attaches the connection to one answer at a time. If the connection ends
 * first, Node neither destroys the waiting answers nor emits `close`, so everything that ends with an answer would leak. Call
 * the returned function with each answer before anything else uses it.
 */
export function openAnswerEnds(): (res: ServerResponse) => void {
  const waiting = new WeakMap<Socket, Set<ServerResponse>>()

  function waitingOn(socket: Socket): Set<ServerResponse> {
    const known = waiting.get(socket)
    if (known) return known
    const answers = new Set<ServerResponse>()
    waiting.set(socket, answers)
    socket.once('close', () => {
      // Node closes an answer that holds the connection.
      for (const res of answers) if (!res.socket) end(res)
    })
    return answers
  }

  return (res) => {
    if (res.socket) return
    const answers = waitingOn(res.req.socket)
    answers.add(res)
    if (answers.size > maxPipelined) res.req.socket.destroy()
    res.once('close', () => answers.delete(res))
  }
}

function end(res: ServerResponse): void {
  res.destroy()
  res.emit('close')
}

/** The part of an answer needed to cut it off. */
export interface Cuttable {
  readonly writableFinished: boolean
  readonly req: { readonly socket: { destroy(): unknown } }
  destroy(): unknown
}

/**
 * Ends a stalled answer and its connection. If it still waits for its turn on the connection, it would hold its memory until
 * then.
 */
export function cutOff(res: Cuttable): void {
  // By then the connection may belong to another answer.
  if (res.writableFinished) return
  res.destroy()
  res.req.socket.destroy()
}
