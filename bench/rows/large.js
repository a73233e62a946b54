/** What a million documents cost: next to a thousand of them, and to concurrent requests for others. */
import { join } from 'node:path'
import { startContender } from '../tools/child.js'
import { startDev, untilIndexed } from '../tools/dev.js'
import { newPath } from '../tools/folders.js'
import { startLoad } from '../tools/load.js'
import { fill } from '../tools/posts.js'
import { inTurns, median, ratios, rounded } from '../tools/rounds.js'

const sizes = { small: 1_000, large: 1_000_000 }

/** @typedef {import('../tools/dev.js').Dev} Dev @typedef {import('../tools/table.js').Row} Row */

const titles = Array.from({ length: 20 }, (_, at) => `Post number ${at + 1}`).join(',')

/** Each query, how much longer it may take, and what it is called. @type {readonly (readonly [string, string, number])[]} */
const queries = [
  ['first page, newest, total', '?limit=20', 1.5],
  ['equality, 0.1 %', '?rare=7&limit=20', 5],
  ['equality, 2 %, sorted, total', '?category=category-7&orderBy=views&order=desc&limit=20', 5],
  ['range, 1 %, total', '?amount__gte=0.99&limit=20', 5],
  ['range, 50 %, total', '?amount__gte=0.5&limit=20', 30],
  ['equality that matches nothing', '?rare=nothing&limit=20', 5],
  ['one of 20 values', `?title__in=${encodeURIComponent(titles)}`, 5],
  ['range, 0.1 %', '?amount__gte=0.999&limit=20', 5],
  ['sort by a field', '?orderBy=amount&limit=20', 3],
  ['substring, rare', '?title__contains=99999&limit=20', 30],
]

/** @returns {Promise<Row[]>} */
export async function measure() {
  const folder = newPath()
  const first = await firstQueries(folder, await load(folder))
  const dev = await startDev(folder, { isWatched: true })
  try {
    const rows = [...(await unindexed(dev, first)), ...(await growth(dev)), await imported(dev)]
    // Last: each sort asks for indexes, of which a collection has a dozen at most.
    return [...rows, ...(await stall(dev))]
  } finally {
    await dev.stop()
  }
}

/** Both collections, filled by the database itself; answers the id of the larger one. @param {string} folder */
async function load(folder) {
  const empty = await startDev(folder)
  /** @type {[string, number][]} */
  const collections = []
  for (const [name, count] of Object.entries(sizes)) {
    const { id } = await empty.ask('POST', '/collections', { name })
    collections.push([id, count])
  }
  await empty.stop()
  const bare = await startContender('contenders/pglite.js', [join(folder, 'data')])
  const documents = `insert into documents (id, collection_id, data, created_at, updated_at)
    select id, $1::uuid, jsonb_build_object(
      'title', 'Post number ' || n, 'rare', n % 1000, 'amount', random(), 'status', 'published', 'score', random(),
      'category', 'category-' || n % 50, 'views', (n::bigint * 7919) % 100000,
      'text', repeat(md5(n::text), 5)
    ), uuid_extract_timestamp(id), uuid_extract_timestamp(id)
    from (select n, uuidv7() as id from generate_series($2::int, $3::int) as n) as fresh`
  for (const [collection, count] of collections) {
    for (let first = 1; first <= count; first += 50_000) {
      const last = Math.min(count, first + 49_999)
      await bare.ask({ text: documents, values: [[collection, String(first), String(last)]], milliseconds: 0 })
    }
    const counted = 'update document_counts set documents = $2::bigint where collection_id = $1::uuid'
    await bare.ask({ text: counted, values: [[collection, String(count)]], milliseconds: 0 })
  }
  await bare.ask({ text: 'vacuum (analyze) documents', values: [[]], milliseconds: 0 })
  await bare.stop()
  return String(collections.at(-1)?.[0])
}

/** A field that no query has used yet. @param {number} least */
const unindexedQuery = (least) => `/collections/large?score__gte=${least}&limit=20`

/**
 * A query by it, each time of a service that was started a moment ago and has read nothing of the documents yet, and the scan that any
 * database needs for it, likewise.
 *
 * @param {string} folder @param {string} large
 */
async function firstQueries(folder, large) {
  const text = `select id from documents where collection_id = $1::uuid and (data #> '{score}') >= $2::jsonb`
  /** @type {Record<'queries' | 'scans', number[]>} */
  const { queries, scans } = { queries: [], scans: [] }
  for (let round = 0; round < 5; round++) {
    const cold = await startContender('contenders/pglite.js', [join(folder, 'data')])
    const { perSecond } = await cold.ask({ text, values: [[large, '0.995']], milliseconds: 0 })
    await cold.stop()
    scans.push(1_000 / perSecond)
    const dev = await startDev(folder)
    await timeOf(dev, '/collections/large?limit=20')
    queries.push(await timeOf(dev, unindexedQuery(0.995)))
    await dev.stop()
  }
  return { queries, scans }
}

/** The same once there were no requests for a while. @param {Dev} dev @param {{ queries: number[], scans: number[] }} first */
async function unindexed(dev, { queries, scans }) {
  await timeOf(dev, unindexedQuery(0.995))
  await untilIndexed(dev)
  const indexed = []
  for (let round = 0; round < 5; round++) indexed.push(await timeOf(dev, unindexedQuery(0.995 + round / 10_000)))
  return [
    {
      what: 'first query on a field without an index, 1,000,000 documents',
      against: 'the scan on bare PGlite',
      values: ratios(queries, scans),
      target: { atMost: 1.3 },
      figures: `${rounded(median(queries))} ms, ${rounded(median(scans))} ms`,
    },
    {
      what: 'the first after a quiet moment',
      against: 'that query',
      values: ratios(indexed, queries),
      target: { atMost: 0.1 },
      figures: `${rounded(median(indexed))} ms, ${rounded(median(queries))} ms`,
    },
  ]
}

/** Right after an import through the service. @param {Dev} dev @returns {Promise<Row>} */
async function imported(dev) {
  await fill(dev, 'few', 1_000)
  await fill(dev, 'imported', 100_000)
  const query = `?author.name=${encodeURIComponent('Author 7')}&orderBy=views&order=desc&limit=20`
  for (let times = 0; times < 6; times++) await timeOf(dev, `/collections/imported${query}`)
  const lists = {
    small: () => timeOf(dev, `/collections/few${query}`),
    large: () => timeOf(dev, `/collections/imported${query}`),
  }
  return growthRow('equality, 2 %, sorted, total, after an import', lists, 3, '100,000')
}

/** The fields to sort by, one after the other. None has an index in order, and none gets one while there are requests. */
const sorted = [
  ['title', 'text', 'category'],
  ['rare', 'status', 'title'],
  ['text', 'category', 'rare'],
]

/** Get by id, with and without a client that sorts a million documents again and again. @param {Dev} dev @returns {Promise<Row[]>} */
async function stall(dev) {
  const generator = await startLoad()
  const [{ id }] = (await dev.ask('GET', '/collections/small?limit=1')).documents
  const asks = [{ method: 'GET', path: `/collections/small/${id}`, headers: dev.headers }]
  const drive = () => generator.drive({ port: dev.port, connections: 10, milliseconds: 3_000, asks })
  await drive()
  /** @type {Record<'calm' | 'stalled' | 'longest' | 'delays', number[]>} */
  const { calm, stalled, longest, delays } = { calm: [], stalled: [], longest: [], delays: [] }
  for (const fields of sorted) {
    calm.push((await drive()).p99)
    await dev.loopDelay()
    const driving = drive()
    const times = []
    for (const field of fields) times.push(await timeOf(dev, `/collections/large?orderBy=${field}&limit=20`))
    stalled.push((await driving).p99)
    delays.push(await dev.loopDelay())
    longest.push(Math.max(...times))
  }
  await generator.stop()
  return [
    {
      what: 'p99 of get while 1,000,000 are sorted',
      against: 'the length of that statement',
      values: ratios(stalled, longest),
      target: { atMost: 1 },
      figures: `${rounded(median(stalled))} ms, sort ${rounded(median(longest))} ms, p99 without ${rounded(median(calm))} ms`,
    },
    { what: 'event loop delay meanwhile', against: '–', values: delays, target: { atMost: 20 }, unit: ' ms' },
  ]
}

/** @param {Dev} dev @returns {Promise<Row[]>} */
async function growth(dev) {
  const rows = []
  const { documents } = await dev.ask('GET', '/collections/large?limit=100')
  const { documents: few } = await dev.ask('GET', '/collections/small?limit=100')
  const at = (/** @type {{ id: string }[]} */ some, /** @type {number} */ turn) => `/${some[turn % some.length]?.id}`
  let turn = 0
  const get = {
    small: () => timeOf(dev, `/collections/small${at(few, turn++)}`),
    large: () => timeOf(dev, `/collections/large${at(documents, turn++)}`),
  }
  rows.push(await growthRow('get by id', get, 1.5))
  const deep = {
    small: () => timeOf(dev, '/collections/small?limit=20&offset=900'),
    large: () => timeOf(dev, '/collections/large?limit=20&offset=900000'),
  }
  rows.push(await growthRow('page at 90 % by offset', deep, 20))
  for (const [, query] of queries) await warm(dev, query)
  for (const [what, query, atMost] of queries) {
    const lists = {
      small: () => timeOf(dev, `/collections/small${query}`),
      large: () => timeOf(dev, `/collections/large${query}`),
    }
    rows.push(await growthRow(what, lists, atMost))
  }
  return rows
}

/**
 * @param {string} what @param {{ small: () => Promise<number>, large: () => Promise<number> }} times @param {number} atMost
 * @param {string} [documents]
 */
async function growthRow(what, times, atMost, documents = '1,000,000') {
  const small = []
  const large = []
  // A round is the median of some requests: single ones last too short to be compared.
  for (let round = 0; round < 5; round++) {
    const results = await inTurns(times, { rounds: 30, warmUps: 5 })
    small.push(median(results.small))
    large.push(median(results.large))
  }
  return {
    what: `${what}, ${documents} documents`,
    against: '1,000 documents',
    values: ratios(large, small),
    target: { atMost },
    figures: `${rounded(median(large))} ms, ${rounded(median(small))} ms`,
  }
}

/** Queries until the service has made the indexes. While it makes one, nothing else is answered. @param {Dev} dev @param {string} query */
async function warm(dev, query) {
  for (const name of ['small', 'large']) {
    for (let times = 0; times < 6; times++) await dev.ask('GET', `/collections/${name}${query}`)
  }
  await untilIndexed(dev)
}

/** @param {Dev} dev @param {string} path */
async function timeOf(dev, path) {
  const begunAt = performance.now()
  await dev.ask('GET', path)
  return performance.now() - begunAt
}
