/** Measures requests on 50 connections: get, create, update, delete, and list. */
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { built } from '../tools/built.js'
import { startContender } from '../tools/child.js'
import { startDev } from '../tools/dev.js'
import { copyFolder, newPath } from '../tools/folders.js'
import { startLoad } from '../tools/load.js'
import { fill, post } from '../tools/posts.js'
import { inTurns, median, ratios, rounded } from '../tools/rounds.js'

const connections = 50
const milliseconds = 3_000
const deletes = 5_000
const listQuery = 'category=category-7&orderBy=views&order=desc&limit=20'

/** @returns {Promise<import('../tools/table.js').Row[]>} */
export async function measure() {
  const folder = newPath()
  const filled = await startDev(folder)
  const ids = await fill(filled, 'posts', 10_000)
  const { id: collection } = await filled.ask('GET', '/api/collections/posts')
  const sample = JSON.stringify(await filled.ask('GET', `/collections/posts/${ids[0]}`))
  // Repeated lists create the indexes, so both services have the same ones.
  for (let times = 0; times < 10; times++) await filled.ask('GET', `/collections/posts?${listQuery}`)
  await pause(3_000)
  await filled.stop()
  const bareFolder = await copyFolder(folder)

  const dev = await startDev(folder)
  const express = await startContender('contenders/express.js', [sample])
  const bare = await startContender('contenders/pglite.js', [join(bareFolder, 'data')])
  const load = await startLoad()
  const statement = await listStatement(collection)
  const { headers } = dev
  const body = JSON.stringify(post(1))
  const at = (/** @type {string} */ method, /** @type {string} */ id) => ({
    ...{ method, path: `/collections/posts/${id}`, headers },
  })
  const gets = ids.slice(0, 1_000).map((id) => at('GET', id))
  const drive = (/** @type {number} */ port, /** @type {import('../load.js').Ask[]} */ asks) => async () =>
    (await load.drive({ port, connections, milliseconds, asks })).perSecond

  const get = await inTurns({
    constant: drive(express.port, [{ method: 'GET', path: '/constant', headers }]),
    svc: drive(dev.port, gets),
  })
  const list = await inTurns({
    bare: async () => (await bare.ask({ ...statement, milliseconds })).perSecond,
    svc: drive(dev.port, [{ method: 'GET', path: `/collections/posts?${listQuery}`, headers }]),
  })
  const posting = drive(express.port, [{ method: 'POST', path: '/constant', headers, body }])
  const update = await inTurns({
    constant: posting,
    svc: drive(
      dev.port,
      ids.map((id) => ({ ...at('PATCH', id), body: JSON.stringify({ views: 7 }) })),
    ),
  })
  const create = await inTurns({
    constant: posting,
    svc: drive(dev.port, [{ method: 'POST', path: '/collections/posts', headers, body }]),
  })
  const remove = await inTurns({
    constant: posting,
    svc: async () => {
      const asks = (await fill(dev, 'posts', deletes)).map((id) => at('DELETE', id))
      return (await load.drive({ port: dev.port, connections, milliseconds, asks, isOnce: true })).perSecond
    },
  })
  await Promise.all([dev.stop(), express.stop(), bare.stop(), load.stop()])

  /** @param {string} what @param {string} against @param {number[]} ours @param {number[]} theirs @param {number} atLeast */
  const row = (what, against, ours, theirs, atLeast) => ({
    ...{ what, against, values: ratios(ours, theirs), target: { atLeast } },
    figures: `${rounded(median(ours))}/s, ${rounded(median(theirs))}/s`,
  })
  const constant = 'Express answering a constant'
  return [
    row('get by id, 50 connections', constant, get.svc, get.constant, 0.75),
    row('create, 50 connections', constant, create.svc, create.constant, 0.33),
    row('update of one field, 50 connections', constant, update.svc, update.constant, 0.28),
    row('delete, 50 connections', constant, remove.svc, remove.constant, 0.38),
    row(
      'filtered, sorted list of 20 of 10,000, with total',
      'its statement, prepared, bare PGlite',
      list.svc,
      list.bare,
      0.8,
    ),
  ]
}

/** Returns the statement that the service runs for that list. @param {string} collection */
async function listStatement(collection) {
  /** @type {typeof import('../../client/protocol/wire/query/decode.js')} */
  const { parseQuery, decodeListQuery } = await built('client/protocol/wire/query/decode.js')
  /** @type {typeof import('../../client/protocol/wire/dialects.js')} */
  const { dialects } = await built('client/protocol/wire/dialects.js')
  /** @type {typeof import('../../emulator/store/lists/page.js')} */
  const { buildPage } = await built('emulator/store/lists/page.js')
  /** @type {typeof import('../../emulator/store/lists/plan.js')} */
  const { planList } = await built('emulator/store/lists/plan.js')
  /** @type {typeof import('../../emulator/database/values.js')} */
  const { writeValue } = await built('emulator/database/values.js')
  const indexes = { request: () => ({ isSmall: true, has: () => true }) }
  const place = { project: 'dev', collection: { id: collection, name: '' }, mayReadAll: false, roles: [], indexes }
  const { text, values } = buildPage(planList(place, decodeListQuery(dialects.a, parseQuery(listQuery))))
  return { text, values: [values.map(writeValue)] }
}
