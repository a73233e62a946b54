/** The same work by services of the same kind: json-server, and Parse Server on PostgreSQL. */
import { startContender } from '../tools/child.js'
import { startDev } from '../tools/dev.js'
import { newPath } from '../tools/folders.js'
import { startLoad } from '../tools/load.js'
import { installPeers } from '../tools/peers.js'
import { startPostgres } from '../tools/postgres.js'
import { fill, post, posts } from '../tools/posts.js'
import { inTurns, median, ratios, rounded } from '../tools/rounds.js'

const count = 10_000
const connections = 50
const milliseconds = 3_000
const category = 'category-7'

/** @typedef {{ get: import('../load.js').Ask[], create: import('../load.js').Ask[], list: import('../load.js').Ask[] }} Work */

/** @returns {Promise<import('../tools/table.js').Row[]>} */
export async function measure() {
  installPeers()
  const postgres = await startPostgres()
  try {
    return await compare(postgres.url)
  } finally {
    await postgres.stop()
  }
}

/** @param {string} databaseUrl @returns {Promise<import('../tools/table.js').Row[]>} */
async function compare(databaseUrl) {
  const dev = await startDev(newPath())
  const jsonServer = await startContender('contenders/json-server.js', [`${newPath()}.json`])
  const parse = await startContender('contenders/parse-server.js', [databaseUrl, newPath()])
  const load = await startLoad()
  const ids = await fill(dev, 'posts', count)
  const parseIds = await fillParse(parse.port)
  const contenders = [
    { name: 'svc', port: dev.port, work: svcWork(ids, dev.headers) },
    { name: 'json-server', port: jsonServer.port, work: jsonServerWork() },
    { name: 'parse-server on PostgreSQL', port: parse.port, work: parseWork(parseIds) },
  ]

  const rows = []
  for (const kind of /** @type {const} */ (['get', 'list', 'create'])) {
    const measurements = contenders.map(({ name, port, work }) => [
      name,
      async () => (await load.drive({ port, connections, milliseconds, asks: work[kind] })).perSecond,
    ])
    /** @type {Record<string, number[]>} */
    const { svc = [], ...others } = await inTurns(Object.fromEntries(measurements), { rounds: 3 })
    for (const [against, paces] of Object.entries(others)) {
      rows.push({
        what: titles[kind],
        against,
        values: ratios(svc, paces),
        target: { atLeast: 1 },
        figures: `${rounded(median(svc))}/s, ${rounded(median(paces))}/s`,
      })
    }
  }
  await Promise.all([dev.stop(), jsonServer.stop(), parse.stop(), load.stop()])
  return rows
}

const titles = {
  get: 'get by id, 50 connections',
  list: 'filtered, sorted list of 20 of 10,000, with total',
  create: 'create, 50 connections',
}

/** @param {string[]} ids @param {Record<string, string>} headers @returns {Work} */
function svcWork(ids, headers) {
  return {
    get: ids.slice(0, 1_000).map((id) => ({ method: 'GET', path: `/collections/posts/${id}`, headers })),
    list: [
      { method: 'GET', path: `/collections/posts?category=${category}&orderBy=views&order=desc&limit=20`, headers },
    ],
    create: [{ method: 'POST', path: '/collections/posts', headers, body: JSON.stringify(post(1)) }],
  }
}

/** @returns {Work} */
function jsonServerWork() {
  return {
    get: Array.from({ length: 1_000 }, (_, id) => ({ method: 'GET', path: `/posts/post-${id}` })),
    list: [{ method: 'GET', path: `/posts?category=${category}&_sort=views&_order=desc&_limit=20` }],
    create: [{ method: 'POST', path: '/posts', body: JSON.stringify(post(1)) }],
  }
}

const parseHeaders = { 'x-parse-application-id': 'bench', 'x-parse-master-key': 'bench-master' }

/** @param {string[]} ids @returns {Work} */
function parseWork(ids) {
  const where = encodeURIComponent(JSON.stringify({ category }))
  return {
    get: ids
      .slice(0, 1_000)
      .map((id) => ({ method: 'GET', path: `/parse/classes/posts/${id}`, headers: parseHeaders })),
    list: [
      {
        method: 'GET',
        path: `/parse/classes/posts?where=${where}&order=-views&limit=20&count=1`,
        headers: parseHeaders,
      },
    ],
    create: [{ method: 'POST', path: '/parse/classes/posts', headers: parseHeaders, body: JSON.stringify(post(1)) }],
  }
}

/** Fifty at a time. @param {number} port @returns {Promise<string[]>} */
async function fillParse(port) {
  const ids = []
  for (let first = 0; first < count; first += 50) {
    ids.push(...(await Promise.all(posts(50, first).map((document) => createInParse(port, document)))))
  }
  return ids
}

/** @param {number} port @param {unknown} document @returns {Promise<string>} */
async function createInParse(port, document) {
  const answer = await fetch(`http://127.0.0.1:${port}/parse/classes/posts`, {
    method: 'POST',
    headers: { ...parseHeaders, 'content-type': 'application/json' },
    body: JSON.stringify(document),
  })
  if (!answer.ok) throw new Error(`Parse Server: ${answer.status} ${await answer.text()}`)
  const { objectId } = /** @type {{ objectId: string }} */ (await answer.json())
  return objectId
}
