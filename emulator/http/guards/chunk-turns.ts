/**
 * Bounds how many small chunks of bodies are read in one turn of the event loop. The system hands out 64 KB at a time, which can be
 * 10,000 chunks of one byte, from each connection in the same turn. Contract 10.10.
 */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

export interface ChunkTurns {
  /** Adds a connection of the server. */
  connected(socket: Socket): void
  /** Releases a connection that became a stream. Pausing thousands of streams for a flood of one client would stall all others. */
  release(connection: Duplex): void
  /** Counts the chunks of a body that is being read. */
  watch(req: IncomingMessage): void
}

/** Chunks of at least this size are worth their overhead. */
const smallBytes = 1_024

/** @param maxPerTurn the number of small chunks after which no connection is read until the next turn */
export function openChunkTurns(maxPerTurn = 1_000): ChunkTurns {
  const connections = new Set<Duplex>()
  const watched = new WeakSet<IncomingMessage>()
  /** Paused connections, in the order of their turns. */
  const waiting = new Set<Duplex>()
  let paused: Duplex[] = []
  let count = 0
  let isScheduled = false

  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    setImmediate(nextTurn)
  }

  function nextTurn(): void {
    isScheduled = false
    count = 0
    const [next] = waiting
    if (next) {
      waiting.delete(next)
      next.resume()
    }
    for (const socket of paused) if (!waiting.has(socket)) socket.resume()
    paused = []
    if (waiting.size > 0) schedule()
  }

  function pauseOthers(): void {
    paused = [...connections].filter((socket) => !socket.isPaused())
    for (const socket of paused) socket.pause()
  }

  return {
    connected(socket) {
      connections.add(socket)
      // Node resumes the socket for each further chunk that is already buffered.
      socket.on('resume', () => {
        if (waiting.has(socket)) socket.pause()
      })
      socket.once('close', () => {
        connections.delete(socket)
        waiting.delete(socket)
      })
    },
    release: (connection) => void connections.delete(connection),
    watch(req) {
      if (watched.has(req)) return
      watched.add(req)
      const { socket } = req
      req.on('data', ({ length }: Buffer) => {
        if (length >= smallBytes) return
        schedule()
        count++
        if (count < maxPerTurn || waiting.has(socket)) return
        waiting.add(socket)
        if (count === maxPerTurn) pauseOthers()
        socket.pause()
      })
    },
  }
}
