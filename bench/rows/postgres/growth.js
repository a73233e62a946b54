/** How each operation grows with its project on PostgreSQL, from a thousand documents to ten million. */
import { setTimeout as pause } from 'node:timers/promises'
import { documentOf } from '../../tools/postgres/fill.js'
import { password, startGrown } from '../../tools/postgres/grown-service.js'
import { startLargePostgres } from '../../tools/postgres/server.js'
import { inTurns, median, ratios, rounded } from '../../tools/rounds.js'
import { wideRows } from './wide.js'

/** `GROWTH_MOST=1000000` ends earlier, in a few minutes. */
const most = Number(process.env.GROWTH_MOST ?? 10_000_000)
const sizes = [1_000, 100_000, 1_000_000, 10_000_000].filter((size) => size <= most)
/** The base for the larger ones. */
const base = 100_000
const rounds = 5
/** A round is the median of some requests: single ones last too short to be compared. */
const requestsPerRound = 15
/** `amount` in order, behind `rare` and behind `group`, and parts of `title`. */
const expectedIndexes = 4

/**
 * @typedef {import('../../tools/postgres/grown-service.js').Grown} Grown @typedef {import('../../tools/table.js').Row} Row
 * @typedef {(grown: Grown) => Promise<unknown>} Operation
 * @typedef {{ operation: Operation, before?: Operation, atMost?: number, requests?: number }} Measured
 */

/** @param {(grown: Grown) => string} query @returns {Operation} */
const list = (query) => (grown) => grown.ask('GET', grown.path + query(grown))
/** @param {Grown} grown */
const idOf = ({ ids, turn }) => ids[turn % ids.length]
/** @param {Grown} grown */
const some = (grown) => `${grown.path}/${idOf(grown)}`
/** @type {Operation} */
const create = ({ ask, path, ids, turn }) => ask('POST', path, documentOf(turn, ids[0] ?? ''))
/** The number of one of the last titles. @param {Grown} grown */
const numberNear = ({ size, turn }) => size - 900 + (turn % 89)
/** A write, which invalidates a cached total. @type {Operation} */
const write = (grown) => grown.ask('PATCH', some(grown), { status: `written ${grown.turn}` })

const rarely = list(() => '?rare=7&orderBy=amount&limit=20')
const often = list(() => '?group=7&orderBy=amount&limit=20')

/** Lists, after the warm-up that creates their indexes. @type {Record<string, Measured>} */
const lists = {
  'first page, newest, total': { operation: list(() => '?limit=20') },
  '20 sorted by a field': { operation: list(() => '?orderBy=amount&limit=20&count=false') },
  'equality on 0.1 %, sort, total': { operation: rarely },
  'equality on 2 %, sort, total': { operation: often },
  'range of 1 %, total': { operation: list(() => '?amount__gte=0.99&limit=20') },
  'page behind an id': { operation: list((grown) => `?id__lt=${idOf(grown)}&limit=20&count=false`) },
  count: { operation: list(() => '?limit=0') },
  'contains, parts that few have': { operation: list((grown) => `?title__contains=${numberNear(grown)}&limit=20`) },
  populate: { operation: list(() => '?populate=author&limit=20') },
}

/** Lists that count, skip or search through what grows with the collection. @type {Record<string, Measured>} */
const growing = {
  'contains, a word that all have and a number': {
    operation: list((grown) => `?title__contains=number%20${numberNear(grown)}&limit=20`),
    atMost: 100,
  },
  'page at 90 % by offset': {
    operation: list(({ size }) => `?limit=20&offset=${Math.floor(size * 0.9)}`),
    atMost: 100,
  },
  'equality on 0.1 %, sort, total, after a write': {
    operation: rarely,
    before: write,
    atMost: 100,
  },
  'equality on 2 %, sort, total, after a write': {
    operation: often,
    before: write,
    atMost: 100,
    requests: 3,
  },
}

/** @type {Record<string, Measured>} */
const others = {
  'get by id': { operation: (grown) => grown.ask('GET', some(grown)) },
  'replay of 100 changes': { operation: replay },
  'GET /collections': { operation: ({ ask }) => ask('GET', '/collections') },
  'page of files': { operation: ({ ask }) => ask('GET', '/storage/list?limit=20') },
  'page of users': { operation: ({ ask }) => ask('GET', '/auth-collections/users?limit=20') },
  'users by email': { operation: ({ ask }) => ask('GET', '/auth-collections/users?email=user.7@bench.example') },
  login: { operation: login, requests: 5 },
  create: { operation: create },
  update: { operation: (grown) => grown.ask('PATCH', some(grown), { amount: grown.turn / 1e6 }) },
  delete: { operation: (grown) => grown.ask('DELETE', `${grown.path}/${grown.ids.pop()}`) },
  'batch of 100': { operation: batch },
  'reset of another collection': { operation: reset, before: fillOther, requests: 5 },
}

/** @param {Grown} grown */
async function replay({ port, headers, lastSeq }) {
  const ended = new AbortController()
  const answer = await fetch(`http://127.0.0.1:${port}/realtime/sse/posts?since=${lastSeq - 100}`, {
    headers,
    signal: ended.signal,
  })
  if (!answer.ok || !answer.body) throw new Error(`A replay was answered ${answer.status}: ${await answer.text()}`)
  let text = ''
  for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
    text += chunk
    if (text.split('\ndata:').length > 100) break
  }
  ended.abort()
}

/** @type {Operation} */
function login({ ask, turn, size }) {
  const email = `user.${1 + (turn % Math.min(500, size / 10))}@bench.example`
  return ask('POST', '/auth-collections/login', { email, password })
}

/** @type {Operation} */
function batch({ ask, path, ids, turn }) {
  return ask('POST', `${path}/batch`, { documents: Array.from({ length: 100 }, () => documentOf(turn, ids[0] ?? '')) })
}

/** @param {Grown} grown */
async function fillOther({ ask }) {
  await ask('POST', '/collections', { name: 'other' }).catch(() => undefined)
  await ask('POST', '/collections/other/batch', { documents: Array.from({ length: 100 }, () => ({ one: 1 })) })
}

/** @type {Operation} */
function reset({ control, project }) {
  return control('POST', `/projects/${project}/reset`, { collections: ['other'] })
}

/** @returns {Promise<Row[]>} */
export async function measure() {
  const server = await startLargePostgres()
  /** @type {Grown[]} */
  const all = []
  try {
    for (const size of sizes) all.push(await startGrown(await server.databaseOf(`growth_${size}`), size))
    for (const { operation } of Object.values(lists)) await ask(all, operation)
    for (const grown of all) await untilIndexed(grown)
    const rows = []
    for (const operations of [lists, growing, others]) {
      for (const [what, measured] of Object.entries(operations)) {
        console.error(`  ${what}`)
        rows.push(...(await rowsOf(all, what, measured)))
      }
    }
    console.error('  many projects and collections')
    return [...rows, ...(await wideRows(server))]
  } finally {
    for (const grown of all) await grown.stop()
    await server.stop()
  }
}

/** Queries until the service has requested the indexes. One that times out without them does not stop it. @param {Grown[]} all @param {Operation} operation */
async function ask(all, operation) {
  for (const grown of all) for (let times = 0; times < 6; times++) await operation(grown).catch(() => undefined)
}

/**
 * Waits until the service has made the indexes of these lists, one after the other, and analyzed them: the largest
 * take minutes. Few documents get none.
 *
 * @param {Grown} grown
 */
async function untilIndexed({ size, client }) {
  if (size < 2_000) return
  const work = `select (select count(*)::int from svc.field_indexes where kind <> 'odd') as indexes,
    exists (select from pg_stat_activity where datname = current_database() and application_name = 'svc maintenance') as is_busy`
  for (let calm = 0; calm < 4; calm++) {
    await pause(500)
    const { rows } = await client.query(work)
    if (rows[0].is_busy || rows[0].indexes < expectedIndexes) calm = 0
  }
}

/**
 * A row for each size above the base, whose last one has the series of all.
 *
 * @param {Grown[]} all @param {string} what @param {Measured} measured @returns {Promise<Row[]>}
 */
async function rowsOf(all, what, { operation, before, atMost = 3, requests = requestsPerRound }) {
  const measurements = Object.fromEntries(all.map((grown) => [grown.size, () => timeOf(grown, operation, before)]))
  /** @type {Map<number, number[]>} */
  const times = new Map(sizes.map((size) => [size, []]))
  for (let round = 0; round < rounds; round++) {
    const results = await inTurns(measurements, { rounds: requests, warmUps: 2 })
    for (const size of sizes) times.get(size)?.push(median(results[size] ?? []))
  }
  const small = times.get(base) ?? []
  const points = sizes
    .map((size) => ({ size, milliseconds: median(times.get(size) ?? []) }))
    .filter(({ milliseconds }) => Number.isFinite(milliseconds))
  return sizes
    .filter((size) => size > base)
    .map((size) => {
      const large = times.get(size) ?? []
      return {
        what: `PostgreSQL: ${what}, ${size.toLocaleString('en')} documents`,
        against: `${base.toLocaleString('en')} documents`,
        values: ratios(large, small),
        target: { atMost },
        figures: `${rounded(median(large))} ms, ${rounded(median(small))} ms`.replace('∞ ms', 'over 10 s'),
        ...(size === sizes.at(-1) ? { series: { what, points } } : {}),
      }
    })
}

/**
 * Infinity for what times out in the service after ten seconds, which is not sent again.
 *
 * @param {Grown} grown @param {Operation} operation @param {Operation} [before]
 */
async function timeOf(grown, operation, before) {
  if (grown.givenUp.has(operation)) return Number.POSITIVE_INFINITY
  grown.turn++
  await before?.(grown)
  const begunAt = performance.now()
  try {
    await operation(grown)
  } catch (error) {
    if (!String(error).includes('UNAVAILABLE')) throw error
    grown.givenUp.add(operation)
    return Number.POSITIVE_INFINITY
  }
  return performance.now() - begunAt
}
