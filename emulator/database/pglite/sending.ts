/** Sends queued jobs together. */
import { isTransaction } from './jobs.js'
import type { Job } from './protocol.js'
import type { Pglite } from './state.js'

/** Limits the jobs in one message: enough to fill the thread, few enough to share it fairly. */
const maxJobsTogether = 64
const maxBytesTogether = 1_048_576

/** Sends the queue if the thread is idle. While it works, jobs wait, and then travel together. */
export function send(pglite: Pglite): void {
  const { connection, isDown, isReopening, watchdog } = pglite
  if (isDown || isReopening || connection.session.unfinished.length > 0) return
  const parts = takeParts(pglite)
  if (parts.length === 0) {
    if (!pglite.holder) pglite.onIdle?.()
    return
  }
  watchdog.arm()
  const message = joined(parts)
  connection.worker.postMessage(message, [message.buffer])
}

function takeParts(pglite: Pglite): Buffer[] {
  const parts: Buffer[] = []
  let bytes = 0
  while (parts.length < maxJobsTogether && bytes < maxBytesTogether) {
    const job = takeNext(pglite)
    if (!job) break
    const part = pglite.connection.session.write(job)
    parts.push(part)
    bytes += part.length
  }
  return parts
}

/** Stays inside a transaction until its last statement. The next job need not wait for the answer to that. */
function takeNext(pglite: Pglite): Job | undefined {
  if (!pglite.holder) {
    const first = pglite.waiting.shift()
    if (!first || !isTransaction(first)) return first
    pglite.holder = first
  }
  const job = pglite.holder.jobs.shift()
  if (job?.position === 'last') pglite.holder = undefined
  return job
}

/** Allocates a new buffer, because it moves to the thread. */
function joined(parts: readonly Buffer[]): Uint8Array<ArrayBuffer> {
  const message = new Uint8Array(parts.reduce((bytes, { length }) => bytes + length, 0))
  let at = 0
  for (const part of parts) {
    message.set(part, at)
    at += part.length
  }
  return message
}
