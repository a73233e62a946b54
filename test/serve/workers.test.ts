/** Several workers: one is killed, one is stopped, all are stopped; and the metrics of it. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { createClient } from '../../client/index.js'
import { unlimitedReads } from '../../emulator/core/concurrency/long-read-places.js'
import type { Backend } from '../../emulator/core/context.js'
import { openMetrics } from '../../emulator/serving/metrics.js'
import { version } from '../../emulator/version.js'
import { patiently } from '../fixtures/patience.js'
import { aSubscriber, overWebSocket } from '../fixtures/realtime/subscriber.js'
import { openServeWorld, type ServedProject, type ServeWorld, type Serving } from '../fixtures/serve.js'

let world: ServeWorld
let serving: Serving
let project: ServedProject
beforeAll(async () => {
  world = await openServeWorld()
  serving = await world.start('--workers', '2', '--shutdown-delay', '300ms')
  project = await serving.newProject()
  await project.owner.collections.create({ name: 'posts' })
  await vi.waitFor(() => expect(serving.workers()).toHaveLength(2), patiently)
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

it('a worker that is killed is replaced, and nothing acknowledged is lost', async () => {
  const [first = 0, second] = serving.workers()
  const load = writeOn(project, serving.url)
  await vi.waitFor(() => expect(load.acknowledged.length).toBeGreaterThan(20), patiently)
  const counted = await counters()

  process.kill(first, 'SIGKILL')

  await vi.waitFor(() => expect(serving.workers()).toEqual([second, expect.any(Number)]), patiently)
  // A counter that falls would be taken for one that began anew, and counted twice.
  await vi.waitFor(async () => expect(await metric('svc_processes_started_total')).toBe(3), patiently)
  const counts = await counters()
  expect([...counted].filter(([name, value]) => !((counts.get(name) ?? 0) >= value))).toEqual([])
  await load.stop()
  await expectKept(project, load.acknowledged)
})

it('a worker that leaves under load fails no request', async () => {
  const [first = 0] = serving.workers()
  const load = writeOn(project, serving.url)
  await vi.waitFor(() => expect(load.acknowledged.length).toBeGreaterThan(20), patiently)

  process.kill(first, 'SIGTERM')

  await vi.waitFor(() => expect(serving.workers()).not.toContain(first), patiently)
  await vi.waitFor(() => expect(serving.workers()).toHaveLength(2), patiently)
  await load.stop()
  expect(load.failures).toEqual([])
  await expectKept(project, load.acknowledged)
})

it('metrics tell of the requests of all workers by route, and of nothing that users wrote', async () => {
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
  const { primary } = unlimitedReads()
  const longReads = { primary: { ...primary, waiting: () => 7 }, standbys: { ...primary, waiting: () => 1 } }
  const db = { connections: () => ({ open: 3, idle: 0, waiting: 2 }) } as Backend['db']
  const one = openMetrics({ db, feeds, longReads, passwords }, version)
  onTestFinished(one.close)

  const text = await one.text()
  expect(text.match(/^svc_(streams|subscriptions|password_queue) .*$/gm)).toEqual([
    ...['svc_streams 4', 'svc_subscriptions 5', 'svc_password_queue 6'],
  ])
  expect(text.match(/state="waiting.*$/gm)).toEqual(['state="waiting"} 2', 'state="waiting_for_place"} 8'])
})

it('all leave at SIGTERM: not ready first, requests finished, streams handed over, exit 0', async () => {
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
  // What was begun was answered, too.
  expect(stored.sort()).toEqual(load.acknowledged.sort())
})

it('a port that was free and is taken before a worker listens is not insisted on where any will do', async () => {
  // The first socket that the supervisor closes has found the port: somebody else takes it at once.
  const faster = join(world.folder, 'faster.cjs')
  await writeFile(
    faster,
    `const net = require('node:net')
    const { close } = net.Server.prototype
    if (require('node:cluster').isPrimary) net.Server.prototype.close = function (...rest) {
      const { port } = this.address()
      net.Server.prototype.close = close
      this.once('close', () => net.createServer().listen(port, '127.0.0.1', () => console.error('taken', port)).unref())
      return close.apply(this, rest)
    }`,
  )
  const other = await world.startWith({ NODE_OPTIONS: `--require ${faster}` }, '--workers', '2')

  const [, taken] = /taken (\d+)/.exec(other.log()) ?? []
  expect(Number(taken)).toBeGreaterThan(0)
  expect([other.url, other.adminUrl].map((url) => new URL(url).port)).not.toContain(taken)
  expect((await fetch(`${other.adminUrl}/readyz`)).status).toBe(200)
  await other.stop()
})

it('a second signal ends it at once', async () => {
  const other = await world.start('--workers', '2', '--shutdown-delay', '1h')

  other.signal('SIGTERM')
  await vi.waitFor(async () => expect((await fetch(`${other.adminUrl}/readyz`)).status).toBe(503), patiently)
  // One that comes with the first is the same signal, handed on by npm.
  const again = setInterval(() => other.signal('SIGTERM'), 50)

  expect((await other.ended.finally(() => clearInterval(again))).exit).toBe(143)
})

it('workers that all end while the bucket does not answer are replaced, and serve all but files', async () => {
  const other = await world.start('--workers', '2')
  const { apiKey } = await other.newProject()
  await vi.waitFor(() => expect(other.workers()).toHaveLength(2), patiently)

  world.bucket.fail(true)
  onTestFinished(() => world.bucket.fail(false))
  const former = other.workers()
  for (const pid of former) process.kill(pid, 'SIGKILL')
  await vi.waitFor(() => expect(other.workers().filter((pid) => former.includes(pid))).toEqual([]), patiently)

  const list = () => fetch(`${other.url}/collections`, { headers: { 'x-api-key': apiKey } })
  await vi.waitFor(async () => expect((await list()).status).toBe(200), patiently)
  expect(await (await fetch(`${other.adminUrl}/readyz`)).json()).toMatchObject({ files: 'unreachable' })
  world.bucket.fail(false)
  await other.stop()
})

async function expectKept({ owner }: ServedProject, ids: readonly string[]): Promise<void> {
  const kept = new Set<string>()
  for await (const { id } of owner.collection('posts').iterate()) kept.add(id)
  expect(ids.filter((id) => !kept.has(id))).toEqual([])
}

async function metrics(): Promise<string> {
  const response = await fetch(`${serving.adminUrl}/metrics`)
  expect(response.status).toBe(200)
  return response.text()
}

async function metric(name: string): Promise<number> {
  return Number(new RegExp(`^${name} (.*)$`, 'm').exec(await metrics())?.[1])
}

/** Each that only ever rises, by its name and labels. */
async function counters(): Promise<Map<string, number>> {
  const text = await metrics()
  const names = [...text.matchAll(/^# TYPE (\S+) (?:counter|histogram)$/gm)].map(([, name]) => name)
  const samples = [...text.matchAll(/^((\w+?)(?:_bucket|_sum|_count)?(?:\{.*\})?) (\S+)$/gm)]
  return new Map(
    samples.flatMap(([, sample = '', name, value]) => (names.includes(name) ? [[sample, Number(value)] as const] : [])),
  )
}

async function openStream({ url, apiKey, collection }: { url: string; apiKey: string; collection: string }) {
  const response = await fetch(`${url}/realtime/sse/${collection}`, { headers: { 'x-api-key': apiKey } })
  expect(response.status).toBe(200)
  return response
}
