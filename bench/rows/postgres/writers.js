/** Writers of one project on a PostgreSQL with fsync: beside bare inserts, as two processes, and waiting for one another. */
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { run, startContender } from '../../tools/child.js'
import { startListeners, subscription } from '../../tools/listening.js'
import { startLoad } from '../../tools/load.js'
import { startPostgres } from '../../tools/postgres/server.js'
import { post } from '../../tools/posts.js'
import { inTurns, median, ratios, rounded } from '../../tools/rounds.js'

const connections = 64
const milliseconds = 2_000
/** Concurrent creates, and the interval between them. */
const receipts = { atOnce: 20, everyMilliseconds: 10 }
const sampleMilliseconds = 25

/** @typedef {import('../../tools/child.js').Contender & { headers: Record<string, string> }} Service */

/** @returns {Promise<import('../../tools/table.js').Row[]>} */
export async function measure() {
  const server = await startPostgres({ isDurable: true })
  const load = await startLoad()
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  try {
    await client.query('create table plain (id bigint generated always as identity primary key, data jsonb not null)')
    const one = await startService(server.url)
    const other = await startService(server.url)
    const ids = await prepare(one)
    const drive = (/** @type {Service} */ { port }, /** @type {import('../../load.js').Ask[]} */ asks, share = 1) =>
      load.drive({ port, connections: connections * share, milliseconds, asks })
    const second = await startLoad()
    const driveBoth = async (/** @type {(service: Service) => import('../../load.js').Ask[]} */ asks) => {
      const [left, right] = await Promise.all([
        drive(one, asks(one), 0.5),
        second.drive({ port: other.port, connections: connections / 2, milliseconds, asks: halfOn(asks(other)) }),
      ])
      return left.perSecond + right.perSecond
    }
    const waits = openWaits(client)
    const { bare, creates, updates, updatesOfTwo } = await inTurns(
      {
        bare: () => pgbench(server.url),
        creates: () => waits.beside(async () => (await drive(one, creating(one))).perSecond),
        updates: () => waits.beside(async () => (await drive(one, updating(one, ids))).perSecond),
        updatesOfTwo: () => waits.beside(() => driveBoth((service) => updating(service, ids))),
      },
      { rounds: 7 },
    )
    const heard = await receipt(one, other)
    await Promise.all([one, other, second].map(({ stop }) => stop()))
    return [
      {
        what: 'create, 64 connections, PostgreSQL with `fsync`',
        against: 'pgbench, single-row inserts, 64 clients',
        values: ratios(creates, bare),
        target: { atLeast: 0.5 },
        figures: `${rounded(median(creates))}/s, ${rounded(median(bare))}/s`,
      },
      {
        what: 'update, 64 connections, two processes',
        against: 'one process',
        values: ratios(updatesOfTwo, updates),
        target: { atLeast: 1 },
        figures: `${rounded(median(updatesOfTwo))}/s, ${rounded(median(updates))}/s`,
      },
      {
        what: 'samples of writers that wait for another’s row, one and two processes',
        against: 'all samples of writers at work',
        values: waits.shares(),
        target: { atMost: 0.05 },
      },
      heard,
    ]
  } finally {
    await load.stop()
    await client.end()
    await server.stop()
  }
}

/** @param {string} url @returns {Promise<Service>} */
async function startService(url) {
  const service = await startContender('contenders/postgres-service.js', [url])
  const { apiKey } = /** @type {{ apiKey: string }} */ (await service.ask('key'))
  return { ...service, headers: { 'x-api-key': apiKey } }
}

/** A collection with documents to update. @param {Service} service @returns {Promise<string[]>} */
async function prepare({ port, headers }) {
  const ask = async (/** @type {string} */ path, /** @type {object} */ body) => {
    const init = {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }
    return (await fetch(`http://127.0.0.1:${port}${path}`, init)).json()
  }
  await ask('/collections', { name: 'posts' })
  const made = await ask('/collections/posts/batch', { documents: Array.from({ length: 1_000 }, (_, at) => post(at)) })
  return made.map((/** @type {{ id: string }} */ { id }) => id)
}

/** @param {Service} service @returns {import('../../load.js').Ask[]} */
function creating({ headers }) {
  return Array.from({ length: 100 }, (_, at) => ({
    method: 'POST',
    path: '/collections/posts',
    headers,
    body: JSON.stringify(post(at)),
  }))
}

/** @param {Service} service @param {string[]} ids @returns {import('../../load.js').Ask[]} */
function updating({ headers }, ids) {
  return ids.map((id, at) => ({
    method: 'PATCH',
    path: `/collections/posts/${id}`,
    headers,
    body: JSON.stringify({ views: at }),
  }))
}

/** The same, begun in the middle, so that two do not contend for each document. @param {import('../../load.js').Ask[]} asks */
function halfOn(asks) {
  return [...asks.slice(asks.length / 2), ...asks.slice(0, asks.length / 2)]
}

/** Inserts a second. Debian has it in its package `postgresql`. @param {string} url */
async function pgbench(url) {
  const { hostname, port, username, pathname } = new URL(url)
  const script = join(await mkdtemp(join(tmpdir(), 'svc-bench-pgbench-')), 'insert.sql')
  // A colon before a letter is a variable.
  const json = JSON.stringify(post(1)).replaceAll(':', ': ').replaceAll("'", "''")
  await writeFile(script, `insert into plain (data) values ('${json}'::jsonb);\n`)
  const words = ['-n', '-M', 'prepared', '-f', script, '-c', String(connections), '-j', '1']
  const place = ['-h', hostname, '-p', port, '-U', username, '-T', '4', pathname.slice(1)]
  const { stdout } = await run('pgbench', [...words, ...place])
  return Number(/tps = ([\d.]+)/.exec(stdout)?.[1])
}

/**
 * Samples of what writing sessions wait for. Those that wait for the client are idle.
 *
 * @param {import('pg').Client} client
 */
function openWaits(client) {
  /** @type {number[]} */
  const all = []
  return {
    shares: () => all,
    /** @param {() => Promise<number>} work */
    async beside(work) {
      let [isOver, atWork, waiting] = [false, 0, 0]
      const sampling = (async () => {
        while (!isOver) {
          const { rows } = await client.query(`
            select count(*)::int as at_work, (count(*) filter (where wait_event_type = 'Lock'))::int as waiting
            from pg_stat_activity
            where application_name = 'svc' and state = 'active'`)
          atWork += rows[0].at_work
          waiting += rows[0].waiting
          await new Promise((resolve) => setTimeout(resolve, sampleMilliseconds))
        }
      })()
      const result = await work()
      isOver = true
      await sampling
      all.push(waiting / Math.max(1, atWork))
      return result
    },
  }
}

/** From a create at one process to a subscriber at the other. @param {Service} one @param {Service} other */
async function receipt(one, other) {
  const listeners = await startListeners()
  const key = String(other.headers['x-api-key'])
  await listeners.open({
    ...{ open: 'websocket', port: other.port, path: '/realtime', count: 1, answers: 2 },
    firsts: [subscription(key, 'posts')],
  })
  const rounds = []
  for (let round = -1; round < 3; round++) {
    const ask = { port: one.port, path: '/collections/posts', headers: one.headers, body: JSON.stringify(post(1)) }
    const driven = await listeners.drive({ drive: ask, milliseconds, ...receipts })
    if (round >= 0) rounds.push(driven)
  }
  await listeners.stop()
  const p50 = rounded(median(rounds.map(({ p50 }) => p50)))
  return {
    what: 'p99 from create at one process to receipt at another, up to 2,000/s',
    against: '',
    values: rounds.map(({ p99 }) => p99),
    target: { atMost: 100 },
    unit: ' ms',
    figures: `p50 ${p50} ms, ${rounded(median(rounds.map(({ deliveriesPerSecond }) => deliveriesPerSecond)))}/s`,
  }
}
