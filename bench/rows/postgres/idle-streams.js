/**
 * What idle event streams cost a process of the service, on PostgreSQL; and what they cost a bare one, below
 * which nothing that is built on `node:http` comes.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { residentMegabytes, run, startContender } from '../../tools/child.js'
import { startListeners } from '../../tools/listening.js'
import { startPostgres } from '../../tools/postgres/server.js'
import { median, rounded } from '../../tools/rounds.js'

const wanted = 10_000
/** Descriptors that a process needs for everything else. */
const others = 500
/** Long enough for the garbage of opening them to be collected. */
const settlingMilliseconds = 10_000
/** When the last garbage collection was, and how much it left, differs between processes. */
const rounds = 3

/** @typedef {{ before: number, after: number }} Held in megabytes */

/** @returns {Promise<import('../../tools/table.js').Row[]>} */
export async function measure() {
  const streams = Math.min(wanted, (await mostDescriptors()) - others)
  /** @type {Held[]} */
  const ours = []
  /** @type {Held[]} */
  const bare = []
  for (let round = 0; round < rounds; round++) {
    bare.push(await heldByBare(streams))
    ours.push(await heldByService(streams))
  }
  const without = median(ours.map(({ before }) => before))
  const withThem = median(ours.map(({ after }) => after))
  return [
    {
      what: `memory of ${rounded(streams)} idle event streams, PostgreSQL`,
      against: '',
      values: ours.map(taken),
      target: { atMost: 100 },
      unit: ' MB',
      figures: `${rounded(without)} MB without, ${rounded(withThem)} MB with; bare node:http ${rounded(median(bare.map(taken)))} MB`,
    },
  ]
}

/** @param {Held} held */
function taken({ before, after }) {
  return after - before
}

/** @param {number} streams */
async function heldByService(streams) {
  const server = await startPostgres()
  try {
    const service = await startContender('contenders/postgres-service.js', [server.url])
    const { apiKey } = /** @type {{ apiKey: string }} */ (await service.ask('key'))
    const headers = { 'x-api-key': apiKey }
    const address = `http://127.0.0.1:${service.port}/collections`
    const body = JSON.stringify({ name: 'posts' })
    await fetch(address, { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body })
    return await held(service, headers, streams)
  } finally {
    await server.stop()
  }
}

/** @param {number} streams */
async function heldByBare(streams) {
  return held(await startContender('contenders/event-streams.js'), {}, streams)
}

/**
 * @param {import('../../tools/child.js').Contender} contender @param {Record<string, string>} headers @param {number} streams
 * @returns {Promise<Held>}
 */
async function held(contender, headers, streams) {
  const listeners = await startListeners()
  /** @param {number} count */
  const open = (count) =>
    listeners.open({ open: 'event stream', port: contender.port, path: '/realtime/sse/posts', count, headers })
  await open(1)
  await pause(settlingMilliseconds)
  const before = residentMegabytes(contender.pid)
  await open(streams)
  await pause(settlingMilliseconds)
  const after = residentMegabytes(contender.pid)
  await Promise.all([listeners.stop(), contender.stop()])
  return { before, after }
}

/** `ulimit -n`, which both ends have. */
async function mostDescriptors() {
  const { stdout } = await run('sh', ['-c', 'ulimit -n'])
  return stdout.trim() === 'unlimited' ? Number.POSITIVE_INFINITY : Number(stdout)
}
