import { once } from 'node:events'
import { get } from 'node:http'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient } from '../../../client/index.js'
import { type Emulator, startEmulator } from '../../../emulator/assembly/dev.js'
import { startOn } from '../../fixtures/databases/engine-emulators.js'
import { engines } from '../../fixtures/databases/engines.js'
import { controlOf, follow } from '../../fixtures/events.js'
import { patiently } from '../../fixtures/patience.js'

describe.each(engines)('on %s', (engine) => {
  let emulator: Emulator
  beforeAll(async () => {
    emulator = await startOn(engine)
  })
  afterAll(() => emulator.close())

  async function aProject() {
    const control = controlOf(emulator)
    const { id, secretKey } = await control.projects.create()
    const client = createClient({ url: emulator.url, apiKey: secretKey })
    await client.collections.create({ name: 'posts' })
    return { id, secretKey, control, client, posts: client.collection('posts') }
  }

  it('contract 11 the stream of events has the life of a document, in order, with what it was', async () => {
    const { id: project, posts } = await aProject()
    const stream = await follow(emulator, { project, kinds: 'document' })

    const { id } = await posts.create({ title: 'Tea', views: 1 })
    await posts.update(id, { views: 2 })
    await posts.delete(id)
    const found = await stream.next(3)
    await stream.close()

    const of = { collection: 'posts', id }
    expect(stream.opened).toMatchObject({ kind: 'stream.opened', stream: { missed: null } })
    expect(found).toMatchObject([
      { kind: 'document.created', projectId: project, document: { ...of, version: 1, before: null } },
      { kind: 'document.updated', document: { ...of, data: { views: 2 }, before: { views: 1 } } },
      { kind: 'document.deleted', document: { ...of, data: { title: 'Tea', views: 2 } } },
    ])
    expect(found.map((event) => 'document' in event && event.document.seq)).toEqual([1, 2, 3])
  })

  it('contract 11 a stream that was cut is resumed without a gap, and without what came before', async () => {
    const { id: project, posts } = await aProject()
    const first = await follow(emulator, { project })
    await posts.create({ n: 1 })
    const [last] = await first.next(1)
    await first.close()
    await posts.create({ n: 2 })
    await posts.create({ n: 3 })

    const again = await follow(emulator, { project, since: last?.id })
    const found = await again.next(2)
    await again.close()

    expect(found).toMatchObject([{ document: { data: { n: 2 } } }, { document: { data: { n: 3 } } }])
  })

  it('contract 11 many changes at once all reach who reads them', async () => {
    const { id: project, posts } = await aProject()
    const stream = await follow(emulator, { project, kinds: 'document.created' })

    for (let batch = 0; batch < 8; batch++) {
      await posts.createMany(Array.from({ length: 1_000 }, (_, n) => ({ n: batch * 1_000 + n })))
    }
    const found = await stream.next(8_000)
    await stream.close()

    const numbers = found.map((event) => ('document' in event ? event.document.data?.n : event.kind))
    expect(numbers).toEqual(Array.from({ length: 8_000 }, (_, n) => n))
  })

  it('contract 11 requests that are refused are events, with why; those of other projects are not', async () => {
    const { id: project, posts } = await aProject()
    const other = await aProject()
    const stream = await follow(emulator, { project, kinds: 'request' })

    await other.posts.get('missing').catch(() => undefined)
    await posts.list()
    await posts.get('missing').catch(() => undefined)
    const [event] = await stream.next(1)
    await stream.close()

    const request = { method: 'GET', path: '/collections/posts/missing', status: 404, code: 'NOT_FOUND' }
    expect(event).toMatchObject({ kind: 'request.refused', projectId: project, request })
  })

  it('contract 11 a request whose caller goes away has not failed; one that a simulated fault breaks off has', async () => {
    const { id: project, control, posts, secretKey } = await aProject()
    const stream = await follow(emulator, { project, kinds: 'request' })

    const socket = connect(Number(new URL(emulator.url).port), '127.0.0.1')
    socket.write(
      `POST /collections/posts HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${secretKey}\r\n` +
        'content-type: application/json\r\ncontent-length: 100\r\nexpect: 100-continue\r\n\r\n{"title":',
    )
    // The service continues (100) once it has read the head.
    await once(socket, 'data')
    socket.destroy()
    const newest = async () => (await control.requests.list({ project })).requests[0]?.state
    await expect.poll(newest, patiently).toBe('aborted')
    await control.faults.add({ project, kind: 'drop', method: 'PATCH', times: 1 })
    await posts.update('01900000-0000-7000-8000-000000000000', { n: 1 }).catch(() => undefined)
    const [event] = await stream.next(1)
    await stream.close()

    expect(event).toMatchObject({ kind: 'request.failed', request: { method: 'PATCH', status: null } })
  })
})

it('contract 11 a reader that does not read costs others nothing', async () => {
  const emulator = await startEmulator({ memory: true })
  const { url, controlToken } = emulator
  const { id: project, secretKey: apiKey } = await controlOf(emulator).projects.create()
  const client = createClient({ url, apiKey })
  await client.collections.create({ name: 'posts' })
  const stuck = get(`${url}/_svc/api/events`, { headers: { 'svc-control-token': controlToken }, agent: false })
  await once(stuck, 'response')
  const quick = await follow(emulator, { project, kinds: 'document' })

  // Far more than the log keeps, and than connections hold.
  const text = 'x'.repeat(50_000)
  const count = 400
  const creating = (async () => {
    for (let n = 0; n < count; n += 20) {
      await client.collection('posts').createMany(Array.from({ length: 20 }, (_, at) => ({ n: n + at, text })))
    }
  })()
  const found = await quick.next(count)
  await creating
  await quick.close()
  stuck.destroy()
  await emulator.close()

  expect(found.map((event) => 'document' in event && event.document.data?.n)).toEqual([...Array(count).keys()])
})

it('contract 11 who resumes at an emulator that was started anew receives that events were missed', async () => {
  const emulator = await startEmulator({ memory: true })
  const stream = await follow(emulator, { since: '00000000-7' })

  const [event] = await stream.next(1)
  await stream.close()
  await emulator.close()

  expect(event).toMatchObject({ kind: 'stream.missed', stream: { missed: null } })
})

it('contract 11 kinds that there are none of are refused, and a closing emulator ends its streams', async () => {
  const emulator = await startEmulator({ memory: true })
  const stream = await follow(emulator)

  const refused = follow(emulator, { kinds: 'document,letters' })
  await expect(refused).rejects.toMatchObject({ code: 'INVALID_QUERY', message: expect.stringContaining('mail') })
  const rest = stream.next(1)
  await emulator.close()

  expect(await rest).toEqual([undefined])
})
