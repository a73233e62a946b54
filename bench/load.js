/**
 * A load generator in a separate process. It uses keep-alive connections over raw sockets with one request at a time.
 * Requests repeat until the time is up. With `isOnce`, each is sent exactly once. The parent sends the task and
 * receives the throughput and latencies.
 */
import { connect } from 'node:net'

/**
 * @typedef {{ method: string, path: string, headers?: Record<string, string>, body?: string }} Ask
 * @typedef {{ port: number, connections: number, milliseconds: number, asks: Ask[], isOnce?: boolean }} Load
 * @typedef {{ perSecond: number, p50: number, p99: number, failed: number }} Result
 */

process.on('message', async (/** @type {Load} */ load) => {
  process.send?.(await generate(load))
})
process.send?.({})

/** @param {Load} load @returns {Promise<Result>} */
async function generate({ port, connections, milliseconds, asks, isOnce = false }) {
  const requests = asks.map((ask) => written(ask, port))
  /** @type {number[]} */
  const times = []
  let failed = 0
  let turn = 0
  const begunAt = performance.now()
  const isOver = () => (isOnce ? turn >= requests.length : performance.now() >= begunAt + milliseconds)
  await Promise.all(Array.from({ length: connections }, () => drive()))
  const seconds = (performance.now() - begunAt) / 1000
  times.sort((one, other) => one - other)
  return { perSecond: times.length / seconds, p50: at(times, 0.5), p99: at(times, 0.99), failed }

  /** Drives one connection until the time is up. */
  function drive() {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true }, next)
      let sentAt = 0
      let pending = Buffer.alloc(0)
      socket.on('error', reject)
      socket.on('data', (chunk) => {
        pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk])
        const end = findResponseEnd(pending)
        if (end === undefined) return
        times.push(performance.now() - sentAt)
        // In "HTTP/1.1 2", this is the first digit of the status.
        if (pending[9] !== 0x32) failed++
        pending = pending.subarray(end)
        next()
      })

      function next() {
        if (isOver()) {
          socket.destroy()
          resolve(undefined)
          return
        }
        sentAt = performance.now()
        socket.write(/** @type {Buffer} */ (requests[turn++ % requests.length]))
      }
    })
  }
}

/** @param {Ask} ask @param {number} port */
function written({ method, path, headers = {}, body }, port) {
  const all = {
    host: `127.0.0.1:${port}`,
    ...(body === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }),
    ...headers,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`)
}

/** Returns the end of the first response in these bytes. Undefined if it is incomplete. @param {Buffer} bytes */
function findResponseEnd(bytes) {
  const head = bytes.indexOf('\r\n\r\n')
  if (head === -1) return undefined
  const headers = bytes.toString('latin1', 0, head)
  if (/transfer-encoding: chunked/i.test(headers)) {
    const last = bytes.indexOf('0\r\n\r\n', head)
    return last === -1 ? undefined : last + 5
  }
  const length = /content-length: (\d+)/i.exec(headers)
  const end = head + 4 + Number(length?.[1] ?? 0)
  return bytes.length >= end ? end : undefined
}

/** @param {number[]} sorted @param {number} part */
function at(sorted, part) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0
}
