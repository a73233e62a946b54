/** Projects beside one another: however long the lists of one take, the others and the probes are answered. Decision 69. */
import pg from 'pg'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { patiently } from '../fixtures/patience.js'
import { openServeWorld, type ServedProject, type ServeWorld, type Serving } from '../fixtures/serve.js'

let world: ServeWorld
let serving: Serving
let slow: ServedProject
let other: ServedProject
beforeAll(async () => {
  world = await openServeWorld()
  serving = await world.start()
  ;[slow, other] = await Promise.all([serving.newProject(), serving.newProject()])
})
afterAll(() => world.close())

const ask = (path: string, { secretKey }: ServedProject) =>
  fetch(`${serving.url}${path}`, { headers: { 'x-api-key': secretKey } })

it('long lists of one project leave connections to another, and to /readyz', async () => {
  const posts = await other.owner.collections.create({ name: 'posts' })
  const { id } = await other.owner.collection(posts.name).create({ title: 'Hello' })
  const [holder, watcher] = [new pg.Client(world.postgres.url), new pg.Client(world.postgres.url)]
  await Promise.all([holder.connect(), watcher.connect()])
  // Lists of users take as long as this.
  await holder.query('begin')
  await holder.query('lock table svc.users in access exclusive mode')
  let isHeld = true
  const asking = Promise.all(
    Array.from({ length: 20 }, async () => {
      while (isHeld) await (await ask('/auth-collections/users', slow)).text()
    }),
  )
  // Also where it fails in between: the server that is stopped then ends the sessions, and answers nothing.
  onTestFinished(async () => {
    isHeld = false
    await Promise.all([holder.end(), watcher.end()])
    await asking.catch(() => undefined)
  })
  const waiting = async () => {
    const { rows } = await watcher.query(
      `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
    )
    return rows.length
  }
  await vi.waitFor(async () => expect(await waiting()).toBeGreaterThanOrEqual(5), patiently)

  const answers = [
    ...(await Promise.all([ask(`/collections/posts/${id}`, other), ask('/collections/posts', other)])),
    await fetch(`${serving.adminUrl}/readyz`),
  ]
  const atWork = await waiting()
  isHeld = false
  await holder.query('rollback')
  await holder.end()
  await asking

  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  expect(atWork).toBeLessThanOrEqual(5)
  expect((await ask('/auth-collections/users', slow)).status).toBe(200)
})
