import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { createClient, type SvcError } from '../../client/index.js'
import { startTestEmulator, type TestEmulator, type TestProject } from '../../emulator/testing/index.js'

// Contract 11: faults affect only what they name, and nothing is lost or half done by them.

let emulator: TestEmulator
let project: TestProject
let other: TestProject

beforeAll(async () => {
  emulator = await startTestEmulator()
  project = await emulator.project()
  other = await emulator.project()
  for (const { client } of [project, other]) await client.collections.create({ name: 'posts' })
})
afterEach(() => project.faults.clear())
afterAll(() => emulator.close())

/** A request without the client, which would retry some. */
const ask = (path = '/collections/posts', { apiKey }: TestProject = project, init: RequestInit = {}) =>
  fetch(emulator.url + path, {
    ...init,
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json', ...init.headers },
  })
const count = (of = project) => of.client.collection('posts').count()
/** Sends each call once. */
const impatient = (of = project) => createClient({ url: of.url, apiKey: of.apiKey, retry: { attempts: 1 } })
const post = (title: string) => ({ method: 'POST', body: JSON.stringify({ title }) })

describe('a fault', () => {
  test('contract 11 names itself in the answer, and leaves other projects and the control API alone', async () => {
    const { id } = await project.faults.add({ kind: 'status', status: 503, retryAfter: 7 })

    const answer = await ask()
    expect([answer.status, answer.headers.get('svc-fault'), answer.headers.get('retry-after')]).toEqual([
      503,
      `${id} status`,
      '7',
    ])
    expect(await answer.json()).toMatchObject({ error: { code: 'UNAVAILABLE', message: `A simulated fault (${id}).` } })
    const spared = await ask('/collections/posts', other)
    expect([spared.status, spared.headers.get('svc-fault')]).toEqual([200, null])
    expect(await project.faults.list()).toMatchObject([{ id, seen: 1, hits: 1 }])
  })

  const upload = () => {
    const form = new FormData()
    form.append('file', new Blob(['tea']), 'tea.txt')
    return fetch(`${emulator.url}/storage/upload`, {
      method: 'POST',
      body: form,
      headers: { 'x-api-key': project.apiKey },
    })
  }

  test.each([
    ['storage', ask, upload],
    ['disk-full', ask, upload],
    ['disk-full', ask, () => ask('/collections/posts', project, post('A'))],
    ['stall', ask, () => ask('/realtime/sse/posts')],
    ['cut', () => ask('/collections/posts', project, { method: 'HEAD' }), ask],
  ] as const)(
    'contract 11 %s is used up by a request that it does something to, and by no other',
    async (kind, spared, struck) => {
      const { id } = await project.faults.add({ kind, times: 1 })

      const before = await spared()
      const untouched = await project.faults.list()
      const answer = await struck()
      await answer.body?.cancel().catch(() => undefined)

      expect([before.status, before.headers.get('svc-fault')]).toEqual([200, null])
      expect(untouched).toMatchObject([{ seen: 1, hits: 0 }])
      expect(answer.headers.get('svc-fault')).toBe(`${id} ${kind}`)
      expect(await project.faults.list()).toMatchObject([{ hits: 1 }])
      if (kind === 'disk-full') {
        expect([answer.status, answer.headers.get('retry-after'), (await struck()).status]).toEqual([503, '5', 201])
      }
      await project.reset({ files: true })
    },
  )

  test('contract 11 touches only the method, the paths and the user that it names', async () => {
    const ada = await project.users.create()
    const svc = await project.users.actAs(ada)
    await project.client.collections.create({ name: 'notes' })
    await project.faults.add({ kind: 'status', status: 500, method: 'POST', path: '/collections/posts' })
    await project.faults.add({ kind: 'status', status: 429, path: '/collections/notes/**' })
    await project.faults.add({ kind: 'status', status: 404, user: ada.id })

    expect((await ask('/collections/posts', project, post('A'))).status).toBe(500)
    expect((await ask('/collections/posts?limit=1')).status).toBe(200)
    expect((await ask('/collections/notes/documents?limit=1')).status).toBe(429)
    expect((await ask('/collections')).status).toBe(200)
    await expect(svc.collections.list()).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  test('contract 11 strikes at its rate, drawn by its seed: a run repeats', async () => {
    const run = async (seed: number) => {
      const { remove } = await project.faults.add({ kind: 'status', status: 503, rate: 0.5, seed })
      const statuses: number[] = []
      for (let at = 0; at < 24; at++) statuses.push((await ask()).status)
      await remove()
      return statuses.join(' ')
    }

    const first = await run(3)

    expect(await run(3)).toBe(first)
    expect(await run(4)).not.toBe(first)
    for (const status of ['200', '503']) expect(first).toContain(status)
  })

  test('contract 11 ends after so many', async () => {
    await project.faults.add({ kind: 'status', status: 503, times: 2 })
    const statuses = [await ask(), await ask(), await ask()].map(({ status }) => status)
    expect(statuses).toEqual([503, 503, 200])
  })

  test.each([
    { kind: 'latency' },
    { kind: 'status', status: 299 },
    { kind: 'status', status: 503, rate: 2 },
    { kind: 'flood' },
    { kind: 'drop', path: '/_svc/api/health' },
    { kind: 'drop', path: 'collections' },
  ])('contract 11 is refused where it says nothing that can be: %o', async (input) => {
    await expect(project.faults.add(input as never)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })
  })
})

test('contract 11 latency lets an answer come later than one that was asked for after it', async () => {
  await project.faults.add({ kind: 'latency', milliseconds: 3_000, jitter: 100, path: '/collections/posts' })
  const order: string[] = []
  await Promise.all([ask().then(() => order.push('late')), ask('/collections').then(() => order.push('soon'))])
  expect(order).toEqual(['soon', 'late'])
})

test('contract 11 a connection that breaks before leaves nothing done, one that breaks after only loses the answer', async () => {
  const before = await count()
  await project.faults.add({ kind: 'drop', method: 'POST', times: 1 })
  await expect(impatient().collection('posts').create({ title: 'Lost' })).rejects.toMatchObject({ code: 'NETWORK' })
  expect(await count()).toBe(before)

  await project.faults.clear()
  await project.faults.add({ kind: 'drop', when: 'after', method: 'POST', times: 1 })
  await expect(impatient().collection('posts').create({ title: 'Done' })).rejects.toMatchObject({ code: 'NETWORK' })
  expect(await count()).toBe(before + 1)

  // The client retries what is safe to retry, and creates once.
  await project.faults.clear()
  await project.faults.add({ kind: 'drop', when: 'after', method: 'POST', times: 1 })
  await project.client.collection('posts').create({ title: 'Once' })
  expect(await count()).toBe(before + 2)
})

test('contract 11 a slow body comes whole, a body that is cut does not', async () => {
  const slow = await project.faults.add({ kind: 'slow', bytesPerSecond: 4_000, path: '/collections/posts' })
  expect(await (await ask()).json()).toHaveProperty('documents')
  await slow.remove()

  await project.faults.add({ kind: 'cut', path: '/collections/posts', times: 1 })
  const answer = await ask()
  expect(answer.status).toBe(200)
  await expect(answer.text()).rejects.toThrow()
})

test('contract 11 a stalled stream opens and sends nothing', async () => {
  await project.faults.add({ kind: 'stall', times: 1 })
  const over = new AbortController()
  const answer = await ask('/realtime/sse/posts', project, { signal: over.signal })
  expect(answer.headers.get('content-type')).toContain('text/event-stream')
  const first = answer.body
    ?.getReader()
    .read()
    .catch(() => 'ended')

  await ask('/collections/posts', project, post('Unheard'))
  // The next subscriber receives it, so it had time to arrive.
  const next = project.client.collection('posts').subscribe({ since: 0 })
  await next.ready
  next.close()
  const silence = await Promise.race([first, Promise.resolve('silent')])
  over.abort()

  expect(silence).toBe('silent')
})

test('contract 11 a stalled stream keeps no emulator from closing', async () => {
  const own = await startTestEmulator()
  await own.client.collections.create({ name: 'posts' })
  await own.faults.add({ kind: 'stall' })
  const answer = await fetch(`${own.url}/realtime/sse/posts`, { headers: { 'x-api-key': own.apiKey } })

  await own.close()

  expect(await answer.text()).toBe('')
})

test('contract 11 connections that are closed again and again lose no event', async () => {
  const svc = createClient({ url: project.url, apiKey: project.apiKey, transport: 'ws', WebSocket })
  const seen: string[] = []
  const subscription = svc.collection('posts').subscribe({ onChange: ({ document }) => seen.push(document.id) })
  await subscription.ready
  await project.faults.add({ kind: 'flap', seconds: 0.2 })
  const made: string[] = []
  for (;;) {
    made.push((await project.client.collection('posts').create({ title: 'Heard' })).id)
    const [fault] = await project.faults.list()
    if (fault && fault.hits >= 3) break
  }

  await expect.poll(() => seen.length).toBeGreaterThanOrEqual(made.length)
  subscription.close()
  expect(seen).toEqual(made)
})

test('contract 11 a storage that fails keeps nothing of an upload, and a document is not written without its file', async () => {
  const before = await count()
  await project.faults.add({ kind: 'storage' })
  const svc = impatient()
  const upload = () => svc.files.upload(new File(['bytes'], 'a.txt'))
  await expect(upload()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  const withFile = { title: 'A', cover: new File(['bytes'], 'b.txt') }
  await expect(svc.collection('posts').create(withFile)).rejects.toMatchObject({ code: 'UNAVAILABLE' })

  await project.faults.clear()
  expect((await svc.files.list()).items).toEqual([])
  expect(await count()).toBe(before)
  await upload()
  expect((await svc.files.list()).items).toHaveLength(1)
})

test('contract 11 a full disk refuses what takes space, and lets what is there be read', async () => {
  const before = await count()
  await project.faults.add({ kind: 'disk-full' })
  const svc = impatient()
  const failures = await Promise.allSettled([
    svc.collection('posts').create({ title: 'A' }),
    svc.collection('posts').createMany([{ title: 'A' }, { title: 'B' }]),
    svc.collections.create({ name: 'more' }),
    svc.files.upload(new File(['bytes'], 'a.txt')),
  ])
  const codes = failures.map((each) => (each.status === 'rejected' ? (each.reason as SvcError).code : 'done'))
  expect(codes).toEqual(['UNAVAILABLE', 'UNAVAILABLE', 'UNAVAILABLE', 'UNAVAILABLE'])
  expect(await count()).toBe(before)

  await project.faults.clear()
  await svc.collection('posts').create({ title: 'A' })
  expect(await count()).toBe(before + 1)
})

test('contract 11 a database that is down answers 503 for the project alone', async () => {
  await project.faults.preset('database-down')

  expect((await ask()).status).toBe(503)
  expect((await ask('/collections/posts', other)).status).toBe(200)
  await project.faults.clear()
  expect((await ask()).status).toBe(200)
})

test('contract 11 under the preset flaky, what the client got an answer for is there once', async () => {
  const before = await count()
  await project.faults.preset('flaky', { seed: 5 })
  const svc = createClient({ url: project.url, apiKey: project.apiKey, retry: { attempts: 8 } })
  for (let at = 0; at < 12; at++) await svc.collection('posts').create({ title: `Flaky ${at}` })
  const hits = (await project.faults.list()).reduce((sum, fault) => sum + fault.hits, 0)

  await project.faults.clear()
  expect(hits).toBeGreaterThan(12)
  expect(await count()).toBe(before + 12)
})
