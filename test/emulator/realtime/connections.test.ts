import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import WebSocket from 'ws'
import { createClient } from '../../../client/index.js'
import { type Emulator, startEmulator } from '../../../emulator/assembly/dev.js'
import { startOn } from '../../fixtures/databases/engine-emulators.js'
import { engines } from '../../fixtures/databases/engines.js'
import { controlOf, follow } from '../../fixtures/events.js'
import { overEventStream, overWebSocket } from '../../fixtures/realtime/subscriber.js'

const transports = [
  ['websocket', overWebSocket, 4000],
  ['sse', overEventStream, undefined],
] as const

describe.each(engines)('on %s', (engine) => {
  let emulator: Emulator
  beforeAll(async () => {
    emulator = await startOn(engine)
  })
  afterAll(() => emulator.close())

  async function aProject() {
    const { url } = emulator
    const control = controlOf(emulator)
    const { id: project, secretKey: apiKey } = await control.projects.create()
    const client = createClient({ url, apiKey, transport: 'sse' })
    await client.collections.create({ name: 'posts' })
    const list = async () => (await control.connections.list({ project })).connections
    return {
      project,
      control,
      client,
      posts: client.collection('posts'),
      list,
      target: { url, apiKey, collection: 'posts' },
    }
  }

  it.each(transports)('contract 11 a connection over %s is listed with how far it is', async (transport, connect) => {
    const { posts, target, list, project } = await aProject()
    let heard = 0
    const connection = await connect(target, { since: 0, onEvent: () => heard++ })
    await posts.create({ title: 'Tea' })
    await expect.poll(() => heard).toBe(1)

    const [listed] = await list()
    connection.cut()

    expect(listed).toMatchObject({
      ...{ transport, project, who: 'secret key', email: null, address: '127.0.0.1', origin: null, waitingBytes: 0 },
      subscriptions: [{ collection: 'posts', filters: {}, isLive: false, position: 1, lag: 0 }],
    })
    expect(listed?.bytesSent).toBeGreaterThan(100)
    await expect.poll(list).toEqual([])
  })

  it.each(transports)('contract 11 who does not read over %s lags behind, and others do not', async (_, connect) => {
    const { posts, target, list } = await aProject()
    const slow = await connect(target, { since: 0, onEvent: () => undefined })
    const [first] = await list()
    let heard = 0
    const quick = await connect(target, { since: 0, onEvent: () => heard++ })
    slow.pause()

    const text = 'x'.repeat(60_000)
    const write = async () => {
      for (let n = 0; n < 10; n++) await posts.createMany(Array.from({ length: 20 }, () => ({ text })))
    }
    let isWriting = true
    const writing = write().finally(() => {
      isWriting = false
    })
    // A client that reads nothing for five seconds is closed: a busy machine writes for longer, so it is checked meanwhile.
    const behind: boolean[] = []
    do {
      const found = (await list()).find(({ id }) => id === first?.id)
      behind.push((found?.subscriptions[0]?.lag ?? 0) > 0 && (found?.waitingBytes ?? 0) > 1_000_000)
    } while (isWriting || (!behind.includes(true) && heard < 200))
    await writing

    await expect.poll(() => heard).toBe(200)
    expect(behind).toContain(true)
    for (const connection of [slow, quick]) connection.cut()
    await expect.poll(list).toEqual([])
  })

  it.each(transports)('contract 11 a connection over %s is closed when that is asked for', async (_, connect, code) => {
    const { control, target, list, project } = await aProject()
    const connection = await connect(target, { since: 0, onEvent: () => undefined })
    const stream = await follow(emulator, { project, kinds: 'connection' })
    const [listed] = await list()

    await control.connections.close({ connection: listed?.id ?? '' })
    const closed = await connection.closed
    const [event] = await stream.next(1)
    await stream.close()

    if (code !== undefined) expect(closed).toBe(code)
    expect(event).toMatchObject({ kind: 'connection.closed', connection: { id: listed?.id, who: 'secret key' } })
    expect(await list()).toEqual([])
    const again = control.connections.close({ connection: listed?.id ?? '' })
    await expect(again).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it('contract 11 a client whose connection is closed comes back, and misses nothing', async () => {
    const { control, posts, list } = await aProject()
    const found: unknown[] = []
    const subscription = posts.subscribe({ onChange: ({ document }) => void found.push(document.data.n) })
    await subscription.ready
    await posts.create({ n: 1 })

    const [first] = await list()
    await control.connections.close({ connection: first?.id ?? '' })
    await posts.create({ n: 2 })

    await expect.poll(() => found).toEqual([1, 2])
    await expect.poll(async () => (await list()).map(({ id }) => id === first?.id)).toEqual([false])
    subscription.close()
  })
})

it('contract 11 connections say who they are, what they subscribe to, and what they were refused', async () => {
  const emulator = await startEmulator({ memory: true })
  const { projectId: project, apiKey, url } = emulator
  await createClient({ url, apiKey }).collections.create({ name: 'posts' })
  const stream = await follow(emulator, { kinds: 'connection' })
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/realtime`)
  const send = (message: object) => socket.send(JSON.stringify(message))
  await new Promise((resolve) => socket.once('open', resolve))

  send({ type: 'auth', token: 'svc_key_of_nobody' })
  send({ type: 'auth', token: apiKey })
  send({ type: 'subscribe', collection: 'posts', filters: { status: 'open' }, live: true })
  send({ type: 'subscribe', collection: 'missing' })
  const begun = await stream.next(4)
  const { connections } = await controlOf(emulator).connections.list()
  send({ type: 'unsubscribe', collection: 'posts' })
  const [ended] = await stream.next(1)
  socket.close()
  const [closed] = await stream.next(1)
  await stream.close()
  await emulator.close()

  const connection = { transport: 'websocket', who: 'key', collection: null, why: null }
  expect(begun).toMatchObject([
    { kind: 'connection.refused', projectId: null, connection: { who: 'nobody', why: 'UNAUTHORIZED' } },
    { kind: 'connection.opened', projectId: project, connection },
    { kind: 'connection.subscribed', connection: { ...connection, collection: 'posts' } },
    { kind: 'connection.refused', connection: { ...connection, collection: 'missing', why: 'INVALID_COLLECTION' } },
  ])
  expect(connections).toMatchObject([
    { subscriptions: [{ collection: 'posts', filters: { status: 'open' }, isLive: true }] },
  ])
  expect(ended).toMatchObject({ kind: 'connection.unsubscribed', connection: { collection: 'posts' } })
  expect(closed).toMatchObject({ kind: 'connection.closed', connection })
})
