/**
 * Writes lines to standard error in order, without waiting for the reader. A full disk loses lines instead of failing requests.
 */
import fs from 'node:fs'

/** The most bytes to buffer. Lines beyond that are lost. */
const maxWaiting = 1_048_576
/** A pipe accepts this much atomically, so lines of several processes don't mix. */
const pieceBytes = 4_096
const pauseMilliseconds = 100
/** How often to retry at exit while the reader is stalled. */
const maxTriesAtExit = 10

export interface LineWriter {
  write(line: string): void
}

/** @param onLost receives the number of lost lines, once there is room again */
export function openLineWriter(fd: number, onLost: (lines: number) => void): LineWriter {
  const waiting: Buffer[] = []
  let bytes = 0
  let lost = 0
  /** Already being written, so not written again at exit. */
  let piece: Buffer | undefined

  function write(line: string): void {
    const added = Buffer.from(line)
    if (bytes + added.length > maxWaiting) {
      lost++
    } else {
      if (bytes === 0) process.on('exit', flush)
      waiting.push(added)
      bytes += added.length
    }
    if (piece === undefined) writeNext()
  }

  function writeNext(): void {
    piece = nextPiece(waiting)
    if (piece === undefined) process.off('exit', flush)
    else fs.write(fd, piece, onWritten)
  }

  function onWritten(error: NodeJS.ErrnoException | null, written = 0): void {
    const rest = piece?.subarray(written)
    bytes -= written
    if (rest && rest.length > 0) waiting.unshift(rest)
    if (error?.code === 'EPIPE') {
      // The reader is gone for good.
      waiting.length = 0
      bytes = 0
    }
    if (error?.code === 'EAGAIN') return void setTimeout(writeNext, pauseMilliseconds)
    piece = undefined
    // Retries the buffered lines with the next line.
    if (error && error.code !== 'EPIPE') return
    if (!error && lost > 0 && bytes === 0) {
      const lines = lost
      lost = 0
      onLost(lines)
    }
    if (piece === undefined) writeNext()
  }

  function flush(): void {
    for (let tries = 0, next = nextPiece(waiting); next !== undefined; ) {
      try {
        const rest = next.subarray(fs.writeSync(fd, next))
        next = rest.length > 0 ? rest : nextPiece(waiting)
      } catch (error) {
        tries++
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN' || tries > maxTriesAtExit) return
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMilliseconds)
      }
    }
  }

  return { write }
}

/** Joins as many lines as fit into a piece, but at least one. */
function nextPiece(waiting: Buffer[]): Buffer | undefined {
  const taken: Buffer[] = []
  let bytes = 0
  for (let next = waiting[0]; next && (bytes === 0 || bytes + next.length <= pieceBytes); next = waiting[0]) {
    waiting.shift()
    taken.push(next)
    bytes += next.length
  }
  return taken.length > 1 ? Buffer.concat(taken) : taken[0]
}
