/** Tests that one subscriber does not affect the others, whatever it does. */
import { once } from 'node:events'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import WebSocket from 'ws'
import { createClient } from '../../../client/index.js'
import { type Emulator, startEmulator } from '../../../emulator/assembly/dev.js'
import { controlOf } from '../../fixtures/events.js'
import { patiently } from '../../fixtures/patience.js'
import { aSubscriber, overEventStream, overWebSocket, type Target } from '../../fixtures/realtime/subscriber.js'

interface Post {
  readonly n: number
  readonly text: string
}

let emulator: Emulator
beforeAll(async () => {
  emulator = await startEmulator({ memory: true })
})
afterAll(() => emulator.close())

/** A collection of the test's own, and how to fill it. */
async function aCollection(name: string) {
  const client = createClient<Record<string, Post>>(emulator)
  await client.collections.create({ name })
  const target: Target = { ...emulator, collection: name }
  return { target, posts: client.collection(name) }
}

/** Until the service has ended the subscriptions of one that does not read. */
async function untilGivenUp(): Promise<void> {
  await vi.waitFor(async () => {
    const { connections } = await controlOf(emulator).connections.list()
    expect(connections.map(({ subscriptions }) => subscriptions.length)).toContain(0)
  }, patiently)
}

/** Far more than the megabyte, since the kernels on both sides of a socket buffer some of it. */
const large = { writes: 300, text: 'x'.repeat(100_000) }

it('contract 9.5 who does not read is closed and can go on later; who reads has everything meanwhile', async () => {
  const { target, posts } = await aCollection('read')
  const [reader, streaming, sleeper] = await Promise.all([
    aSubscriber(overWebSocket, target),
    aSubscriber(overEventStream, target),
    aSubscriber(overWebSocket, target),
  ])
  sleeper.connection.pause()
  // At once: who does not answer the close frame either is cut off.
  const awake = untilGivenUp().then(() => sleeper.connection.resume())

  for (let n = 0; n < large.writes; n++) await posts.create({ n, text: large.text })
  await Promise.all([reader, streaming].map(({ untilHeard }) => untilHeard(large.writes)))
  await awake
  const code = await sleeper.connection.closed
  const heardBefore = sleeper.heard.length
  await sleeper.reconnect()
  await sleeper.untilHeard(large.writes)

  expect([code, heardBefore < large.writes]).toEqual([1013, true])
  const everything = Array.from({ length: large.writes }, (_, n) => n)
  for (const { heard } of [reader, streaming, sleeper]) {
    expect(heard.map(({ document }) => document.data.n)).toEqual(everything)
  }
  await Promise.all([reader, streaming, sleeper].map(({ stop }) => stop()))
})

it('contract 9.5 who reads is not closed by a batch that is larger than what one may fall behind', async () => {
  const { target, posts } = await aCollection('large')
  const readers = await Promise.all([aSubscriber(overWebSocket, target), aSubscriber(overEventStream, target)])

  const text = 'x'.repeat(9_000)
  await posts.createMany(Array.from({ length: 1_000 }, (_, n) => ({ n, text })))
  await Promise.all(readers.map(({ untilHeard }) => untilHeard(1_000)))

  const everything = Array.from({ length: 1_000 }, (_, n) => n)
  for (const { heard } of readers) expect(heard.map(({ document }) => document.data.n)).toEqual(everything)
  await Promise.all(readers.map(({ stop }) => stop()))
})

it('contract 9.4 what was missed comes whole, however large it is', async () => {
  const { target, posts } = await aCollection('missed')
  const text = 'x'.repeat(900_000)
  for (let n = 0; n < 30; n++) await posts.create({ n, text })

  const late = await Promise.all([aSubscriber(overWebSocket, target), aSubscriber(overEventStream, target)])
  await Promise.all(late.map(({ untilHeard }) => untilHeard(30)))

  const everything = Array.from({ length: 30 }, (_, n) => n)
  for (const { heard } of late) expect(heard.map(({ document }) => document.data.n)).toEqual(everything)
  await Promise.all(late.map(({ stop }) => stop()))
})

it('contract 9.1 a bad message never closes the stream of another', async () => {
  const { target, posts } = await aCollection('bad')
  const reader = await aSubscriber(overWebSocket, target)
  const bad = [
    '',
    '{',
    'null',
    '[]',
    '7',
    '"auth"',
    '{"type":"auth"}',
    '{"type":"auth","token":{"toString":1}}',
    '{"type":"subscribe"}',
    '{"type":"subscribe","collection":["bad"]}',
    '{"type":"unsubscribe","collection":{"toString":1}}',
    '{"type":"__proto__"}',
    '{"type":"toString"}',
    `{"type":"subscribe","collection":"bad","filters":${'['.repeat(100_000)}`,
    `{"type":"subscribe","collection":"bad","filters":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}}`,
    'x'.repeat(2_000_000),
    Buffer.from([0xff, 0xfe, 0x00]),
  ] // prettier-ignore

  for (const message of bad) {
    const socket = new WebSocket(`${emulator.wsUrl}/realtime`)
    await once(socket, 'open')
    socket.send(message, { binary: typeof message !== 'string' })
    const [answer] = await Promise.race([once(socket, 'message'), once(socket, 'close')])
    const said = typeof answer === 'number' ? answer : (JSON.parse(String(answer)) as { type: string }).type
    expect([message.slice(0, 40), [1007, 1009, 'error'].includes(said)]).toEqual([message.slice(0, 40), true])
    socket.terminate()
  }
  await posts.create({ n: 1, text: 'after all that' })

  await reader.untilHeard(1)
  expect(reader.heard.map(({ document }) => document.data.n)).toEqual([1])
  await reader.stop()
})

it('contract 9.5 who does not read does not hold up the end of the service', async () => {
  const other = await startEmulator({ memory: true })
  await createClient(other).collections.create({ name: 'posts' })
  const target = { ...other, collection: 'posts' }
  const [reader, ...sleepers] = await Promise.all([
    aSubscriber(overWebSocket, target),
    aSubscriber(overWebSocket, target),
    aSubscriber(overEventStream, target),
  ])
  for (const { connection } of sleepers) connection.pause()

  await other.close()

  expect(await reader.connection.closed).toBe(1001)
  await Promise.all(sleepers.map(({ stop }) => stop()))
})
