/**
 * Subscribers in a separate process. Their raw sockets only count messages, so that the server is the bottleneck. They
 * work with the service and with `contenders/broadcast.js`.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { openPoster } from './tools/poster.js'
import { openEventStream, openWebSocket } from './tools/raw-sockets.js'

/**
 * `first` is sent after connecting. `answers` is the number of messages to skip before counting.
 *
 * @typedef {{ open: 'websocket' | 'event stream', port: number, path: string, count: number, headers?: Record<string,
 * string>, first?: string[], answers?: number }} Open
 * @typedef {{ drive: { port: number, path: string, headers: Record<string, string>, body: string }, milliseconds:
 * number, atOnce: number, everyMilliseconds?: number }} Drive
 * @typedef {{ deliveriesPerSecond: number, p50: number, p99: number }} Driven
 */

/** @type {import('./tools/raw-sockets.js').Listener[]} */
const listeners = []
let received = 0
/** Events received by each subscriber. @type {number[]} */
let receivedBy = []
/** Called for each event with its index at that subscriber. @type {(at: number) => void} */
let onReceipt = () => {}

process.on('message', async (/** @type {Open | Drive} */ message) => {
  process.send?.('open' in message ? await open(message) : await drive(message))
})
process.send?.({})

/** @param {Open} message */
async function open({ open: kind, port, path, count, headers = {}, first: sent = [], answers = 0 }) {
  const openOne = kind === 'websocket' ? openWebSocket : openEventStream
  const begun = listeners.length
  for (let first = 0; first < count; first += 100) {
    const some = Array.from({ length: Math.min(100, count - first) }, (_, at) => {
      const index = begun + first + at
      return openOne({ port, path, headers, first: sent, answers, onEvents: (many) => countThem(index, many) })
    })
    listeners.push(...(await Promise.all(some)))
  }
  return { open: listeners.length }
}

/** @param {number} index @param {number} many */
function countThem(index, many) {
  for (let at = 0; at < many; at++) {
    const before = receivedBy[index] ?? 0
    receivedBy[index] = before + 1
    onReceipt(before)
  }
  received += many
}

/**
 * Creates documents, `atOnce` in parallel, either as soon as every subscriber has the ones before or at a steady pace.
 *
 * @param {Drive} message @returns {Promise<Driven>}
 */
async function drive({ drive: ask, milliseconds, atOnce, everyMilliseconds = 0 }) {
  const poster = openPoster(ask)
  /** @type {number[]} */
  const sentAt = []
  /** @type {number[]} */
  const times = []
  let answered = 0
  received = 0
  receivedBy = []
  onReceipt = (at) => times.push(performance.now() - (sentAt[at] ?? Number.NaN))

  const begunAt = performance.now()
  const until = begunAt + milliseconds
  await Promise.all(Array.from({ length: atOnce }, createAgainAndAgain))
  const seconds = (performance.now() - begunAt) / 1000
  poster.close()
  times.sort((one, other) => one - other)
  return { deliveriesPerSecond: received / seconds, p50: part(times, 0.5), p99: part(times, 0.99) }

  async function createAgainAndAgain() {
    while (performance.now() < until) {
      const next = performance.now() + everyMilliseconds
      sentAt.push(performance.now())
      await poster.post()
      answered++
      await untilAllHave(answered)
      if (everyMilliseconds > 0) await pause(Math.max(0, next - performance.now()))
    }
  }
}

/** @param {number} events */
async function untilAllHave(events) {
  const until = performance.now() + 30_000
  while (received < events * listeners.length) {
    if (performance.now() > until) throw new Error(`${received} of ${events * listeners.length} events arrived.`)
    await pause(1)
  }
}

/** @param {number[]} sorted @param {number} share */
function part(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
