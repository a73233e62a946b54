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
  /** Counts the chunks of a body, from its first. Call it before the parser goes on. */
  arrived(req: IncomingMessage): void
}

/** Chunks of at least this size are worth their overhead. */
const smallBytes = 1_024

/** The most bytes of a chunked body that are parsed at once: some 700 chunks of one byte. */
const sliceBytes = 4_096

/** @param maxPerTurn the number of small chunks after which no connection is read until the next turn */
export function openChunkTurns(maxPerTurn = 1_000): ChunkTurns {
  const connections = new Set<Duplex>()
  const sliced = new WeakSet<Duplex>()
  /** Paused connections, in the order of their turns. */
  const waiting = new Set<Duplex>()
  /** Connections with an unread body, which are paused. The first read would emit all of it in one turn. */
  const unread = new Set<Duplex>()
  let paused: Duplex[] = []
  let count = 0
  let isScheduled = false

  const isHeld = (socket: Duplex) => waiting.has(socket) || unread.has(socket)

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
    for (const socket of paused) if (!isHeld(socket)) socket.resume()
    paused = []
    if (waiting.size > 0) schedule()
  }

  function pauseOthers(): void {
    paused = [...connections].filter((socket) => !socket.isPaused())
    for (const socket of paused) socket.pause()
  }

  function countSmall({ socket, readableFlowing }: IncomingMessage): void {
    schedule()
    count++
    if (count < maxPerTurn || isHeld(socket)) return
    if (readableFlowing) waiting.add(socket)
    else unread.add(socket)
    if (count === maxPerTurn) pauseOthers()
    socket.pause()
  }

  return {
    connected(socket) {
      connections.add(socket)
      // Node resumes the socket for each further chunk that is already buffered.
      socket.on('resume', () => {
        if (isHeld(socket)) socket.pause()
      })
      socket.once('close', () => {
        connections.delete(socket)
        waiting.delete(socket)
        unread.delete(socket)
      })
    },
    release: (connection) => void connections.delete(connection),
    arrived(req) {
      if (req.headers['transfer-encoding'] === undefined) return
      const { socket } = req
      if (!sliced.has(socket)) slice(socket)
      sliced.add(socket)
      const push = req.push.bind(req)
      req.push = (chunk: Buffer | null) => {
        if (chunk !== null && chunk.length < smallBytes) countSmall(req)
        return push(chunk)
      }
      const read = req.read.bind(req)
      req.read = (size?: number) => {
        // With zero, Node only asks for more.
        if (size !== 0 && unread.delete(socket)) {
          waiting.add(socket)
          schedule()
        }
        return read(size)
      }
    },
  }
}

/** Hands the bytes of a connection to the parser in pieces, between which the connection can be paused. */
function slice(socket: Duplex): void {
  // With a listener, Node no longer lets the parser take them from the system.
  socket.on('data', () => undefined)
  const push = socket.push.bind(socket)
  socket.push = (bytes: Buffer | null) => {
    if (bytes === null || bytes.length <= sliceBytes) return push(bytes)
    let takesMore = true
    for (let at = 0; at < bytes.length; at += sliceBytes) takesMore = push(bytes.subarray(at, at + sliceBytes))
    return takesMore
  }
}
