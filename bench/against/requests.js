/** Compares requests on 50 connections, batches, and imports with an earlier build. */
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { run } from '../tools/child.js'
import { newPath } from '../tools/folders.js'
import { startLoad } from '../tools/load.js'
import { fill, post, posts } from '../tools/posts.js'
import { buildCommand, inPairs, withBoth } from './pairs.js'

const milliseconds = 1_000
const deletes = 2_000
const batch = 1_000
const imported = 20_000
const listQuery = 'category=category-7&orderBy=views&order=desc&limit=20'

/**
 * @typedef {import('./pairs.js').Builds} Builds
 * @typedef {import('./pairs.js').Dev} Dev
 * @typedef {import('../tools/table.js').Row} Row
 * @typedef {import('../load.js').Ask} Ask
 */

/** @param {Builds} builds @param {number} pairs @returns {Promise<Row[]>} */
export function measureReads(builds, pairs) {
  return withBoth(builds, async (before, now) => {
    const load = await startLoad()
    const ids = new Map()
    for (const dev of [before, now]) {
      ids.set(dev, await fill(dev, 'posts', 10_000))
      // Repeated lists create the indexes, so both services have the same ones.
      for (let times = 0; times < 10; times++) await dev.ask('GET', `/collections/posts?${listQuery}`)
    }
    await pause(3_000)
    const drive = async (/** @type {Dev} */ dev, /** @type {Ask[]} */ asks, isOnce = false) =>
      (await load.drive({ port: dev.port, connections: 50, milliseconds, asks, isOnce })).perSecond
    /** @param {string} what @param {(dev: Dev) => Promise<number>} measure */
    const row = (what, measure) =>
      inPairs({ what, unit: '/s', isRate: true, pairs, before: () => measure(before), now: () => measure(now) })
    const rows = [
      await row('get by id', (dev) => drive(dev, createAsks(dev, 'GET', ids.get(dev).slice(0, 1_000)))),
      await row('filtered, sorted list of 20 of 10,000, with total', (dev) =>
        drive(dev, [{ method: 'GET', path: `/collections/posts?${listQuery}`, headers: dev.headers }]),
      ),
      await row('update of one field', (dev) => drive(dev, createAsks(dev, 'PATCH', ids.get(dev), { views: 7 }))),
      await row('create', (dev) => drive(dev, [{ ...creating(dev, '', post(1)) }])),
      await row('delete', async (dev) =>
        drive(dev, createAsks(dev, 'DELETE', await fill(dev, 'posts', deletes)), true),
      ),
    ]
    await load.stop()
    return rows
  })
}

/** @param {Builds} builds @param {number} pairs @returns {Promise<Row[]>} */
export async function measureBatches(builds, pairs) {
  const file = newPath()
  await writeFile(
    file,
    posts(imported)
      .map((one) => `${JSON.stringify(one)}\n`)
      .join(''),
  )
  return withBoth(builds, async (before, now) => {
    const load = await startLoad()
    for (const dev of [before, now]) await dev.ask('POST', '/collections', { name: 'posts' })
    const create = async (/** @type {Dev} */ dev) => {
      const asks = Array.from({ length: 20 }, (_, at) =>
        creating(dev, '/batch', { documents: posts(batch, at * batch) }),
      )
      return batch * (await load.drive({ port: dev.port, connections: 4, milliseconds, asks })).perSecond
    }
    const rows = [
      await inPairs({
        ...{ what: 'batch create, 1,000 a request', unit: 'documents/s', isRate: true, pairs },
        before: () => create(before),
        now: () => create(now),
      }),
      await inPairs({
        ...{ what: `\`svc docs import\` of ${imported}`, unit: 'documents/s', isRate: true, pairs },
        before: () => importing(builds.before, before, file),
        now: () => importing(builds.now, now, file),
      }),
    ]
    await load.stop()
    return rows
  })
}

/** @param {Dev} dev @param {string} method @param {string[]} ids @param {object} [body] @returns {Ask[]} */
function createAsks(dev, method, ids, body) {
  const sent = body && { body: JSON.stringify(body) }
  return ids.map((id) => ({ method, path: `/collections/posts/${id}`, headers: dev.headers, ...sent }))
}

/** @param {Dev} dev @param {string} path @param {object} body @returns {Ask} */
function creating({ headers }, path, body) {
  return { method: 'POST', path: `/collections/posts${path}`, headers, body: JSON.stringify(body) }
}

/**
 * Measures documents per second, including the start and end of the command. @param {string} build @param {Dev} dev
 * @param {string} file
 */
async function importing(build, dev, file) {
  const begunAt = performance.now()
  const args = ['docs', 'import', 'posts', file, '--format', 'ndjson', '--yes']
  const env = { ...process.env, SVC_URL: dev.url, SVC_API_KEY: dev.apiKey }
  await run(process.execPath, [buildCommand(build), ...args], { cwd: tmpdir(), env })
  return imported / ((performance.now() - begunAt) / 1_000)
}
