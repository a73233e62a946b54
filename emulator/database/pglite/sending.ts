/** What waits for the thread, sent together. */
import { isTransaction } from './jobs.js'
import type { Job } from './protocol.js'
import type { Pglite } from './state.js'

/** Statements sent together in one message: enough to fill the thread, few enough to share it fairly. */
const mostJobsTogether = 64
const mostBytesTogether = 1_048_576

/** Sends what may be sent by now. While the thread is at work everything waits, and travels together afterwards. */
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
  while (parts.length < mostJobsTogether && bytes < mostBytesTogether) {
    const job = takeNext(pglite)
    if (!job) break
    const part = pglite.connection.session.write(job)
    parts.push(part)
    bytes += part.length
  }
  return parts
}

/** Inside a transaction only what it asks for; what comes behind its last statement need not wait for the answer. */
function takeNext(pglite: Pglite): Job | undefined {
  if (!pglite.holder) {
    const first = pglite.waiting.shift()
    if (!first || !isTransaction(first)) return first
    pglite.holder = first
  }
  const job = pglite.holder.jobs.shift()
  if (job?.place === 'last') pglite.holder = undefined
  return job
}

/** In memory of its own, since it moves to the thread. */
function joined(parts: readonly Buffer[]): Uint8Array<ArrayBuffer> {
  const message = new Uint8Array(parts.reduce((bytes, { length }) => bytes + length, 0))
  let at = 0
  for (const part of parts) {
    message.set(part, at)
    at += part.length
  }
  return message
}
