/** The cost of deleting changes past their retention, beside writers, and whether later writes reuse their space. */
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { startLoad } from '../../tools/load.js'
import { keptChanges } from '../../tools/postgres/fill.js'
import { startService } from '../../tools/postgres/grown-service.js'
import { startLargePostgres } from '../../tools/postgres/server.js'
import { post } from '../../tools/posts.js'
import { median, ratios, rounded } from '../../tools/rounds.js'

/** `RETENTION_CHANGES=1000000` takes two minutes. */
const changes = Number(process.env.RETENTION_CHANGES ?? 20_000_000)
const step = 500_000
const connections = 16
const milliseconds = 4_000
const rounds = 4
const twoHours = 7_200_000

const insert = `insert into svc.changes (project_id, seq, kind, collection_id, document_id, version, data, recorded_at)
  select $1, n, 'created', $2::uuid, uuidv7(), 1, jsonb_build_object(
    'title', 'Post number ' || n, 'rare', n % 1000, 'group', n % 50, 'amount', random(), 'status', 'published',
    'text', repeat(md5(n::text), 5)
  ), now()
  from generate_series($3::bigint, $4::bigint) as n`

/** @typedef {Awaited<ReturnType<typeof startService>>} Service */

/** @returns {Promise<import('../../tools/table.js').Row[]>} */
export async function measure() {
  const server = await startLargePostgres()
  try {
    return await measureOn(await server.databaseOf(`retention_${changes}`))
  } finally {
    await server.stop()
  }
}

/** @param {string} url of a database, which is empty or was filled by this before @returns {Promise<import('../../tools/table.js').Row[]>} */
async function measureOn(url) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const service = await startService(url)
  const load = await startLoad()
  try {
    await service.ask('POST', '/collections', { name: 'posts' }).catch(() => undefined)
    const place = (await client.query('select id, project_id from svc.collections')).rows[0]
    if ((await lastSeq(client, place.project_id)) < changes) await fill(client, place)
    const full = await sizeOf(client)
    const creating = () => creates(load, client, service)
    const before = []
    for (let round = -1; round < rounds; round++) before.push(await creating())
    // All changes are older than an hour then, and emptying a collection starts the sweep.
    await service.control('PATCH', '/clock', { advance: twoHours })
    await service.control('POST', `/projects/${place.project_id}/reset`, { collections: ['posts'] })
    const alone = await trimmedPerSecond(client, place.project_id, () => pause(milliseconds))
    const beside = []
    for (let round = 0; round < rounds && (await oldest(client, place.project_id)).left > 0; round++) {
      beside.push(await trimmedPerSecond(client, place.project_id, creating))
    }
    const begunAt = performance.now()
    while ((await oldest(client, place.project_id)).left > 0) await pause(1_000)
    const seconds = (performance.now() - begunAt) / 1_000
    await client.query('vacuum svc.changes')
    const trimmed = await sizeOf(client)
    await fill(client, place)
    const again = await sizeOf(client)
    return [
      ...rowsOf(before.slice(1), beside),
      {
        what: `changes trimmed a second, of ${changes.toLocaleString('en')}, beside creates`,
        against: 'creates a second',
        values: beside.map(({ perSecond, result }) => perSecond / result.perSecond),
        target: { atLeast: 1.5 },
        figures: `${rounded(median(beside.map(({ perSecond }) => perSecond)))}/s, alone ${rounded(alone.perSecond)}/s, the rest in ${rounded(seconds)} s`,
      },
      {
        what: 'bytes for each change after all were trimmed and as many were written again',
        against: 'before',
        values: [again.megabytes / again.changes / (full.megabytes / full.changes)],
        target: { atMost: 1.15 },
        figures: [full, trimmed, again].map(({ megabytes }) => `${rounded(megabytes)} MB`).join(', '),
      },
    ]
  } finally {
    await load.stop()
    await service.stop()
    await client.end()
  }
}

/**
 * @typedef {{ perSecond: number, p99: number, waiting: number }} Creates
 * @param {Creates[]} before @param {{ result: Creates }[]} beside @returns {import('../../tools/table.js').Row[]}
 */
function rowsOf(before, beside) {
  const [least, most] = [before, beside.map(({ result }) => result)]
  const p99 = (/** @type {Creates[]} */ all) => all.map(({ p99 }) => p99)
  const perSecond = (/** @type {Creates[]} */ all) => all.map(({ perSecond }) => perSecond)
  return [
    {
      what: `creates a second beside a round of trimming, ${connections} connections`,
      against: 'without',
      values: ratios(perSecond(most), perSecond(least)),
      target: { atLeast: 0.6 },
      figures: `${rounded(median(perSecond(most)))}/s, ${rounded(median(perSecond(least)))}/s, p99 ${rounded(median(p99(most)))} ms, ${rounded(median(p99(least)))} ms`,
    },
    {
      what: 'samples of writers that wait for a lock beside a round of trimming',
      against: 'all samples of writers at work',
      values: most.map(({ waiting }) => waiting),
      target: { atMost: 0.05 },
    },
  ]
}

/** As many behind the newest number. @param {pg.Client} client @param {{ id: string, project_id: string }} place */
async function fill(client, { id, project_id }) {
  const behind = await lastSeq(client, project_id)
  await client.query('set synchronous_commit = off')
  for (let first = 1; first <= changes; first += step) {
    await client.query(insert, [project_id, id, behind + first, behind + Math.min(changes, first + step - 1)])
  }
  await client.query('update svc.sequences set last_seq = $2 where project_id = $1', [project_id, behind + changes])
  await client.query('vacuum (analyze) svc.changes')
}

/** @param {pg.Client} client @param {string} project */
async function lastSeq(client, project) {
  const { rows } = await client.query('select last_seq from svc.sequences where project_id = $1', [project])
  return Number(rows[0].last_seq)
}

/** @param {Awaited<ReturnType<typeof startLoad>>} load @param {pg.Client} client @param {Service} service @returns {Promise<Creates>} */
async function creates(load, client, { port, headers }) {
  const asks = Array.from({ length: 100 }, (_, at) => ({
    ...{ method: 'POST', path: '/collections/posts', headers, body: JSON.stringify(post(at)) },
  }))
  let [isOver, atWork, waiting] = [false, 0, 0]
  const sampling = (async () => {
    for (; !isOver; await pause(25)) {
      const { rows } = await client.query(`
        select count(*)::int as at_work, (count(*) filter (where wait_event_type = 'Lock'))::int as waiting
        from pg_stat_activity
        where datname = current_database() and application_name = 'svc' and state = 'active'`)
      atWork += rows[0].at_work
      waiting += rows[0].waiting
    }
  })()
  const { perSecond, p99 } = await load.drive({ port, connections, milliseconds, asks })
  isOver = true
  await sampling
  return { perSecond, p99, waiting: waiting / Math.max(1, atWork) }
}

/** @template Result @param {pg.Client} client @param {string} project @param {() => Promise<Result>} work */
async function trimmedPerSecond(client, project, work) {
  const [from, begunAt] = [(await oldest(client, project)).seq, performance.now()]
  const result = await work()
  const to = (await oldest(client, project)).seq
  return { result, perSecond: (to - from) / ((performance.now() - begunAt) / 1_000) }
}

/** The first number that is kept, and how many are to be deleted. @param {pg.Client} client @param {string} project */
async function oldest(client, project) {
  const { rows } = await client.query(
    `select (select min(seq) from svc.changes where project_id = $1) as seq, last_seq from svc.sequences where project_id = $1`,
    [project],
  )
  const [seq, last] = [Number(rows[0].seq), Number(rows[0].last_seq)]
  return { seq, left: last - keptChanges - seq }
}

/** The table with its index, and what is in there. @param {pg.Client} client */
async function sizeOf(client) {
  const { rows } = await client.query(
    "select pg_total_relation_size('svc.changes') / 1e6 as megabytes, count(*) as changes from svc.changes",
  )
  return { megabytes: Number(rows[0].megabytes), changes: Number(rows[0].changes) }
}
