/** Requests at 50 connections: one document, a new one, a changed one, a removed one, a list. */
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { built } from '../tools/built.js'
import { startContender } from '../tools/child.js'
import { startDev } from '../tools/dev.js'
import { copyOf, newPath } from '../tools/folders.js'
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
  // The same indexes for both: lists that come again bring them about.
  for (let times = 0; times < 10; times++) await filled.ask('GET', `/collections/posts?${listQuery}`)
  await pause(3_000)
  await filled.stop()
  const bareFolder = await copyOf(folder)

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

  const perSecond = (/** @type {number[]} */ ours, /** @type {number[]} */ theirs) =>
    `${rounded(median(ours))}/s, ${rounded(median(theirs))}/s`
  return [
    {
      what: 'get by id, 50 connections',
      against: 'Express answering a constant',
      values: ratios(get.svc, get.constant),
      target: { atLeast: 0.75 },
      figures: perSecond(get.svc, get.constant),
    },
    {
      what: 'create, 50 connections',
      against: 'Express answering a constant',
      values: ratios(create.svc, create.constant),
      target: { atLeast: 0.33 },
      figures: perSecond(create.svc, create.constant),
    },
    {
      what: 'update of one field, 50 connections',
      against: 'Express answering a constant',
      values: ratios(update.svc, update.constant),
      target: { atLeast: 0.28 },
      figures: perSecond(update.svc, update.constant),
    },
    {
      what: 'delete, 50 connections',
      against: 'Express answering a constant',
      values: ratios(remove.svc, remove.constant),
      target: { atLeast: 0.38 },
      figures: perSecond(remove.svc, remove.constant),
    },
    {
      what: 'filtered, sorted list of 20 of 10,000, with total',
      against: 'its statement, prepared, bare PGlite',
      values: ratios(list.svc, list.bare),
      target: { atLeast: 0.8 },
      figures: perSecond(list.svc, list.bare),
    },
  ]
}

/** What the service asks its database for that list. @param {string} collection */
async function listStatement(collection) {
  /** @type {typeof import('../../client/protocol/wire/query/decode.js')} */
  const { parseQuery, readListQuery } = await built('client/protocol/wire/query/decode.js')
  /** @type {typeof import('../../client/protocol/wire/dialects.js')} */
  const { dialects } = await built('client/protocol/wire/dialects.js')
  /** @type {typeof import('../../emulator/store/lists/page.js')} */
  const { pageOf } = await built('emulator/store/lists/page.js')
  /** @type {typeof import('../../emulator/store/lists/plan.js')} */
  const { planList } = await built('emulator/store/lists/plan.js')
  /** @type {typeof import('../../emulator/database/values.js')} */
  const { writeValue } = await built('emulator/database/values.js')
  const indexes = { asked: () => ({ isSmall: true, has: () => true }) }
  const place = { project: 'dev', collection: { id: collection, name: '' }, mayReadAll: false, roles: [], indexes }
  const { text, values } = pageOf(planList(place, readListQuery(dialects.a, parseQuery(listQuery))))
  return { text, values: [values.map(writeValue)] }
}
