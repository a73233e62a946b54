/** What a thousand other projects and ten thousand collections cost the requests of one project. */
import pg from 'pg'
import { startService } from '../../tools/postgres/grown-service.js'
import { post } from '../../tools/posts.js'
import { inTurns, median, ratios, rounded } from '../../tools/rounds.js'

const alone = { projects: 0, collections: 100 }
const wide = { projects: 1_000, collections: 10_000 }
const rounds = 5
const requestsPerRound = 15

/** @typedef {Awaited<ReturnType<typeof startService>> & { ids: string[], turn: number }} Service */

/** @type {Record<string, { operation: (service: Service) => Promise<unknown>, atMost: number }>} */
const operations = {
  'get by id': { operation: (service) => service.ask('GET', `/collections/posts/${idOf(service)}`), atMost: 1.5 },
  create: { operation: ({ ask, turn }) => ask('POST', '/collections/posts', post(turn)), atMost: 1.5 },
  update: {
    operation: (service) => service.ask('PATCH', `/collections/posts/${idOf(service)}`, { views: service.turn }),
    atMost: 1.5,
  },
  'first page, total': { operation: ({ ask }) => ask('GET', '/collections/posts?limit=20'), atMost: 1.5 },
  'GET /collections, all of them': { operation: ({ ask }) => ask('GET', '/collections'), atMost: 100 },
}

/** @param {Service} service */
function idOf({ ids, turn }) {
  return ids[turn % ids.length]
}

/**
 * @param {{ databaseOf: (name: string) => Promise<string> }} server
 * @returns {Promise<import('../../tools/table.js').Row[]>}
 */
export async function wideRows(server) {
  const services = {
    alone: await startFilled(await server.databaseOf('growth_alone'), alone),
    wide: await startFilled(await server.databaseOf('growth_wide'), wide),
  }
  try {
    const rows = []
    for (const [what, { operation, atMost }] of Object.entries(operations)) {
      /** @type {Record<'alone' | 'wide', number[]>} */
      const times = { alone: [], wide: [] }
      const measurements = {
        alone: () => timeOf(services.alone, operation),
        wide: () => timeOf(services.wide, operation),
      }
      for (let round = 0; round < rounds; round++) {
        const results = await inTurns(measurements, { rounds: requestsPerRound, warmUps: 2 })
        times.alone.push(median(results.alone))
        times.wide.push(median(results.wide))
      }
      rows.push({
        what: `PostgreSQL: ${what}, beside 10,000 collections and 1,000 projects`,
        against: 'beside 100 collections',
        values: ratios(times.wide, times.alone),
        target: { atMost },
        figures: `${rounded(median(times.wide))} ms, ${rounded(median(times.alone))} ms`,
      })
    }
    return rows
  } finally {
    await services.alone.stop()
    await services.wide.stop()
  }
}

/** @param {string} url @param {typeof wide} sizes @returns {Promise<Service>} */
async function startFilled(url, sizes) {
  const service = await startService(url)
  const made = await service.ask('POST', '/collections', { name: 'posts' }).catch(() => undefined)
  if (made) await fill(url, sizes)
  const documents = Array.from({ length: 100 }, (_, at) => post(at))
  const created = await service.ask('POST', '/collections/posts/batch', { documents })
  return { ...service, ids: created.map((/** @type {{ id: string }} */ { id }) => id), turn: 0 }
}

/** Projects with a collection each, and collections of the first project. @param {string} url @param {typeof wide} sizes */
async function fill(url, { projects, collections }) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const home = (await client.query('select project_id from svc.collections')).rows[0].project_id
  const others = `select 'project ' || n as id from generate_series(1, ${projects}) as n`
  await client.query(`insert into svc.projects (id, name, settings, created_at)
    select o.id, o.id, p.settings, p.created_at from (${others}) o, svc.projects p where p.id = '${home}'`)
  await client.query(`insert into svc.sequences (project_id, last_seq) select id, 0 from (${others}) o`)
  await client.query(`insert into svc.user_counts (project_id, users) select id, 0 from (${others}) o`)
  await client.query(`insert into svc.file_totals (project_id, files, bytes) select id, 0, 0 from (${others}) o`)
  const ofAll = `select id as project_id, 'posts' as name from (${others}) o
    union all select '${home}', 'collection ' || n from generate_series(1, ${collections - 1}) as n`
  await client.query(`insert into svc.collections (id, project_id, name, schema, permissions, created_at, updated_at)
    select uuidv7(), a.project_id, a.name, c.schema, c.permissions, c.created_at, c.updated_at
    from (${ofAll}) a, svc.collections c
    where c.project_id = '${home}' and c.name = 'posts'`)
  await client.query(`insert into svc.document_counts (collection_id, documents)
    select id, 0 from svc.collections on conflict do nothing`)
  await client.query('vacuum (analyze)')
  await client.end()
}

/** @param {Service} service @param {(service: Service) => Promise<unknown>} operation */
async function timeOf(service, operation) {
  service.turn++
  const begunAt = performance.now()
  await operation(service)
  return performance.now() - begunAt
}
