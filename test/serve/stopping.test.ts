/** The metrics of a replica, and how it stops. */
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { createClient } from '../../client/index.js'
import { openLongReads } from '../../emulator/core/concurrency/database-slots.js'
import type { Backend } from '../../emulator/core/context.js'
import { version } from '../../emulator/facts/version.js'
import { openMetrics } from '../../emulator/serving/metrics.js'
import { patiently } from '../fixtures/patience.js'
import { aSubscriber, overWebSocket } from '../fixtures/realtime/subscriber.js'
import { openServeWorld, type ServedProject, type ServeWorld, type Serving } from '../fixtures/serve.js'

let world: ServeWorld
let serving: Serving
let project: ServedProject
beforeAll(async () => {
  world = await openServeWorld()
  serving = await world.start('--shutdown-delay', '300ms')
  project = await serving.newProject()
  await project.owner.collections.create({ name: 'posts' })
})
afterAll(() => world.close())

/** Writers that run until they are stopped: what was acknowledged, and what failed. */
function writeOn({ apiKey, owner: _ }: ServedProject, url: string, title = 'Hello') {
  const acknowledged: string[] = []
  const failures: unknown[] = []
  let isOver = false
  const svc = createClient({ url, apiKey })
  const working = Array.from({ length: 4 }, async () => {
    while (!isOver) {
      await svc
        .collection('posts')
        .create({ title })
        .then(
          ({ id }) => acknowledged.push(id),
          (error) => failures.push(error),
        )
    }
  })
  return {
    acknowledged,
    failures,
    async stop() {
      isOver = true
      await Promise.all(working)
    },
  }
}

it('metrics tell of requests by route, and of nothing that users wrote', async () => {
  const { apiKey } = project
  const secret = 'what-a-user-wrote'
  const subscriber = await aSubscriber(overWebSocket, { url: serving.url, apiKey, collection: 'posts' })
  await project.owner.collection('posts').create({ title: secret })
  await subscriber.untilHeard(1)
  await fetch(`${serving.url}/collections/${secret}?${secret}=1`, { headers: { 'x-api-key': secret } })

  // Changes replayed to a new subscriber count no lag: only those from then on.
  const text = await vi.waitFor(async () => {
    await project.owner.collection('posts').create({ title: secret })
    const text = await metrics()
    expect(text).toMatch(/svc_changes_lag_seconds_count [1-9]/)
    expect(text).toMatch(/svc_background_round_duration_seconds_count\{name="file comparison",outcome="done"\} [1-9]/)
    return text
  }, patiently)

  expect(text).toMatch(
    /svc_http_request_duration_seconds_count\{method="POST",route="\/[^"]*:\w+[^"]*",status="201"\} \d+/,
  )
  expect(text).toMatch(/svc_streams 1\n/)
  expect(text).toMatch(/svc_subscriptions 1\n/)
  expect(text).toMatch(/svc_password_queue 0\n/)
  expect(text).toContain(`svc_info{version="${version}"} 1\n`)
  expect(text).toMatch(/svc_database_connections\{state="open"\} [1-9]/)
  expect(text).toMatch(/nodejs_eventloop_lag_seconds/)
  expect(text + serving.log()).not.toContain(secret)
  await subscriber.stop()
})

it('metrics tell how much waits', async () => {
  const feeds = { open: () => ({ connections: 4, subscriptions: 5 }) } as Backend['feeds']
  const passwords = { waiting: () => 6 } as Backend['passwords']
  const longReads = { ...openLongReads('embedded'), waiting: () => 8 }
  const db = { connections: () => ({ open: 3, idle: 0, waiting: 2 }) } as Backend['db']
  const one = openMetrics({ db, feeds, longReads, passwords }, version)
  onTestFinished(one.close)

  const text = await one.text()
  expect(text.match(/^svc_(streams|subscriptions|password_queue) .*$/gm)).toEqual([
    ...['svc_streams 4', 'svc_subscriptions 5', 'svc_password_queue 6'],
  ])
  expect(text.match(/state="waiting.*$/gm)).toEqual(['state="waiting"} 2', 'state="waiting_for_place"} 8'])
})

it('stops at SIGTERM: not ready first, requests finished, streams handed over, exit 0', async () => {
  const target = { url: serving.url, apiKey: project.apiKey, collection: 'posts' }
  const socket = await aSubscriber(overWebSocket, target)
  const stream = await openStream(target)
  const load = writeOn(project, serving.url, 'Until it leaves')
  await vi.waitFor(() => expect(load.acknowledged.length).toBeGreaterThan(20), patiently)

  serving.signal('SIGTERM')
  await vi.waitFor(async () => {
    const response = await fetch(`${serving.adminUrl}/readyz`)
    expect([response.status, await response.json()]).toEqual([503, expect.objectContaining({ status: 'stopping' })])
  }, patiently)

  expect(await socket.connection.closed).toBe(1012)
  expect(await stream.text()).toMatch(/\nretry: \d{4}\n\n$/)
  const { exit } = await serving.ended
  await load.stop()
  expect(exit).toBe(0)
  // Only connections that nobody took were refused, or reset with their listener.
  const reasons = load.failures.map((error) =>
    String((error as { cause?: { cause?: { code?: string } } }).cause?.cause?.code),
  )
  expect(new Set([...reasons, 'ECONNREFUSED', 'ECONNRESET'])).toEqual(new Set(['ECONNREFUSED', 'ECONNRESET']))
  expect(reasons).toContain('ECONNREFUSED')
  const next = await world.start()
  const posts = createClient({ url: next.url, apiKey: project.secretKey }).collection('posts')
  const stored: string[] = []
  for await (const { id } of posts.iterate({ where: { title: 'Until it leaves' } })) stored.push(id)
  // Running requests were answered, too.
  expect(stored.sort()).toEqual(load.acknowledged.sort())
})

it('a second signal ends it at once', async () => {
  const other = await world.start('--shutdown-delay', '1h')

  other.signal('SIGTERM')
  await vi.waitFor(async () => expect((await fetch(`${other.adminUrl}/readyz`)).status).toBe(503), patiently)
  // One that comes with the first is the same signal, handed on by npm.
  const again = setInterval(() => other.signal('SIGTERM'), 50)

  expect((await other.ended.finally(() => clearInterval(again))).exit).toBe(143)
})

async function metrics(): Promise<string> {
  const response = await fetch(`${serving.adminUrl}/metrics`)
  expect(response.status).toBe(200)
  return response.text()
}

async function openStream({ url, apiKey, collection }: { url: string; apiKey: string; collection: string }) {
  const response = await fetch(`${url}/realtime/sse/${collection}`, { headers: { 'x-api-key': apiKey } })
  expect(response.status).toBe(200)
  return response
}
