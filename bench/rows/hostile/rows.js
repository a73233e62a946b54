/** What one request can cost all others: each row is one attack, with the longest stall of the event loop and the memory it took. */
import { readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { startDev } from '../../tools/dev.js'
import { newPath } from '../../tools/folders.js'
import { rounded } from '../../tools/rounds.js'
import { answers } from './answers.js'
import { bodies } from './bodies.js'
import { filters } from './filters.js'
import { measureLogins } from './logins.js'

/**
 * An attack: what it prepares, and the request that is measured.
 *
 * @typedef {{ method: string, path: string, body?: string, headers?: Record<string, string> }} Shot
 * @typedef {{ what: string, prepare: (dev: import('../../tools/dev.js').Dev) => Promise<Shot> }} Attack
 */

/** @type {Attack[]} */
const attacks = [...answers, ...bodies, ...filters]

/** No turn of the event loop may be longer, and no request may take more memory. Contract 10.10. */
const most = { milliseconds: 50, megabytes: 256 }

/** @returns {Promise<import('../../tools/table.js').Row[]>} */
export async function measure() {
  const rows = []
  for (const { what, prepare } of attacks) {
    // Each runs against a new process: what one leaves behind does not count for the next.
    const dev = await startDev(newPath(), { isWatched: true })
    try {
      const shot = await prepare(dev)
      await dev.loopDelay()
      const memory = watchPeak(dev.pid)
      const begunAt = performance.now()
      const answer = await fire(dev, shot)
      const seconds = rounded((performance.now() - begunAt) / 1_000)
      const stall = answer.status === 0 ? Number.POSITIVE_INFINITY : await dev.loopDelay()
      const peak = answer.status === 0 ? Number.POSITIVE_INFINITY : memory.growth()
      const figures = `${answer.text} in ${seconds} s`
      const row = { against: 'no attack', figures }
      rows.push({
        ...row,
        what: `${what}: longest stall`,
        values: [stall],
        target: { atMost: most.milliseconds },
        unit: ' ms',
      })
      rows.push({ ...row, what: `${what}: memory`, values: [peak], target: { atMost: most.megabytes }, unit: ' MB' })
    } finally {
      await dev.stop()
    }
  }
  return [...rows, ...(await measureLogins())]
}

/** How far the memory of a process grows at its peak, in megabytes; Linux counts it. @param {number} pid */
function watchPeak(pid) {
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
  const read = (/** @type {string} */ name) => {
    const [, kilobytes] = new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return Number(kilobytes) / 1_024
  }
  const before = read('VmRSS')
  return { growth: () => read('VmHWM') - before }
}

/**
 * Sends a request and counts what comes back.
 *
 * @param {import('../../tools/dev.js').Dev} dev @param {Shot} shot @returns {Promise<{ status: number, text: string }>}
 */
function fire({ url, headers }, { method, path, body, headers: own }) {
  return new Promise((resolve) => {
    const all = { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...own }
    const outgoing = request(url + path, { method, headers: all }, (incoming) => {
      let bytes = 0
      incoming.on('data', (chunk) => {
        bytes += chunk.length
      })
      incoming.on('error', () => resolve({ status: 0, text: 'connection broken' }))
      incoming.on('end', () => {
        const { statusCode: status = 0 } = incoming
        const code = incoming.headers['svc-error-code'] ?? `${rounded(bytes / 2 ** 20)} MB`
        resolve({ status, text: `${status} ${code}` })
      })
    })
    outgoing.on('error', () => resolve({ status: 0, text: 'connection broken' }))
    outgoing.end(body)
  })
}
