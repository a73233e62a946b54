/** When answers are over: with their connection, also those that wait for their turn on it. */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Pipelined requests of one connection that may wait for their answers. Clients that pipeline at all send a few. Contract 10.10. */
export const maxPipelined = 100

/**
 * Node gives the connection to one of its answers at a time, and those of pipelined requests wait. Where the connection ends first,
 * Node destroys none that waits and emits no `close`, so that whatever ends with an answer would be held for ever. What this
 * returns makes up for that; it takes each answer before anything else does.
 */
export function openAnswerEnds(): (res: ServerResponse) => void {
  const waiting = new WeakMap<Socket, Set<ServerResponse>>()

  function waitingOn(socket: Socket): Set<ServerResponse> {
    const known = waiting.get(socket)
    if (known) return known
    const answers = new Set<ServerResponse>()
    waiting.set(socket, answers)
    socket.once('close', () => {
      // One that has the connection meanwhile is closed by Node.
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

/** What can be cut off. */
export interface Cuttable {
  readonly writableFinished: boolean
  readonly req: { readonly socket: { destroy(): unknown } }
  destroy(): unknown
}

/** Ends an answer of which nothing is taken, and its connection: where it waits for its turn, it would go on holding what it has. */
export function cutOff(res: Cuttable): void {
  // The connection may be another answer's by then.
  if (res.writableFinished) return
  res.destroy()
  res.req.socket.destroy()
}
