/** Answers that wait for another one on their connection, which ends before it is their turn. Contract 10.10. */
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { startEmulator } from '../../../emulator/assembly/dev.js'
import { maxPipelined } from '../../../emulator/http/reply/ends.js'
import { openEvents } from '../../fixtures/realtime/streams.js'
import { controlOf } from '../../fixtures/requests/emulator-control.js'
import { type Limited, limitedOfFile } from '../../fixtures/requests/limited-service.js'

const startLimited = limitedOfFile()

/** Requests on one connection, all sent at once, whose answers are not read. */
async function askAtOnce(port: number, headers: object, paths: readonly string[]): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').pause()
  socket.on('error', () => undefined)
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  const lines = Object.entries({ host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`).join(''))
  return socket
}

/** How often each answer has said that it is closed. */
function closesOf({ server }: Limited): number[] {
  const closes: number[] = []
  server.prependListener('request', (_req: IncomingMessage, res: ServerResponse) => {
    const at = closes.push(0) - 1
    res.on('close', () => {
      closes[at] = (closes[at] ?? 0) + 1
    })
  })
  return closes
}

const many = 20
const eachOnce = Array.from({ length: many }, () => 1)

it.each([
  ['that wait for others', '/collections/posts?limit=1', (socket: Socket) => once(socket, 'readable')],
  ['that are at work', '/auth-collections/auth-idp-redirect/nothing', () => undefined],
])('contract 10.10 answers %s are over with their connection, each once', async (_, path, until) => {
  const service = await startLimited({})
  await service.send('POST', '/collections', { name: 'posts' })
  const closes = closesOf(service)
  const first = ['/realtime/sse/posts', ...Array.from({ length: many - 1 }, () => path)]

  const socket = await askAtOnce(service.port, { 'x-api-key': service.apiKey }, first)
  await expect.poll(() => closes.length).toBe(many)
  await until(socket)
  socket.resetAndDestroy()

  await expect.poll(() => closes).toEqual(eachOnce)
})

it('contract 10.10 answers that wait for others are closed once where they are read', async () => {
  const service = await startLimited({})
  const closes = closesOf(service)
  const paths = Array.from({ length: many }, () => '/collections')

  const socket = await askAtOnce(service.port, { 'x-api-key': service.apiKey }, paths)
  let text = ''
  socket.resume().on('data', (data) => {
    text += data
  })

  await expect.poll(() => text.split('HTTP/1.1 200').length - 1).toBe(many)
  socket.destroy()
  await expect.poll(() => closes).toEqual(eachOnce)
})

it('contract 10.10 closes a connection with too many pipelined requests, and does nothing for the rest', async () => {
  const service = await startLimited({})
  const { backend } = service
  let statements = 0
  const { db } = backend
  const query: typeof db.query = async (statement) => {
    statements++
    return db.query(statement)
  }
  Object.assign(backend, { db: { ...db, query } })
  await expect.poll(service.connections).toBe(0)

  await askAtOnce(
    service.port,
    { 'x-api-key': service.apiKey },
    Array.from({ length: 2_000 }, () => '/collections'),
  )

  await expect.poll(service.connections).toBe(0)
  expect(statements).toBeLessThan(3 * maxPipelined)
})

it('contract 9.5 event streams that wait for another give their places back with their connection', async () => {
  const service = await startLimited({ connectionLimits: { most: 3 } })
  await service.send('POST', '/collections', { name: 'posts' })
  const key = { 'x-api-key': service.apiKey }
  const path = '/realtime/sse/posts'
  const statusesOf = async (count: number) => {
    const streams = await Promise.all(Array.from({ length: count }, () => openEvents(service.url, path, key)))
    for (const stream of streams) stream.close()
    return streams.map(({ status }) => status)
  }
  const socket = await askAtOnce(service.port, key, [path, path, path])
  await expect.poll(() => statusesOf(1)).toEqual([503])

  socket.resetAndDestroy()

  await expect.poll(() => statusesOf(3)).toEqual([200, 200, 200])
})

it('contract 10.10 where answers that wait for others hold too much, their connection is closed', async () => {
  const holds = 100_000
  const limits = { minBytesPerSecond: 1, maxSecondsBehind: 1_000_000, graceSeconds: 0 }
  const service = await startLimited({ readerLimits: limits, memoryLimits: { maxBytes: 2.5 * holds } })
  await service.send('POST', '/collections', { name: 'posts' })
  await service.send('POST', '/collections/posts', { text: 'x'.repeat(holds) })
  const paths = ['/realtime/sse/posts', ...Array.from({ length: 3 }, () => '/collections/posts')]
  await expect.poll(service.connections).toBe(0)

  const socket = await askAtOnce(service.port, { 'x-api-key': service.apiKey }, paths)
  await once(socket, 'readable')

  await expect.poll(service.connections).toBe(0)
})

it('contract 11 a stream whose client disconnects before it begins is kept as ended', async () => {
  const asked: { client?: Socket } = {}
  const latency = () => {
    asked.client?.resetAndDestroy()
    return asked.client ? 200 : 0
  }
  const emulator = await startEmulator({ memory: true, latency })
  onTestFinished(() => emulator.close())
  const key = { 'x-api-key': emulator.apiKey }
  const type = { 'content-type': 'application/json' }
  await fetch(`${emulator.url}/collections`, { method: 'POST', headers: { ...key, ...type }, body: '{"name":"posts"}' })

  asked.client = await askAtOnce(Number(new URL(emulator.url).port), key, ['/realtime/sse/posts'])

  const states = async () =>
    (await controlOf(emulator).requests.list({})).requests
      .filter(({ path }) => path.startsWith('/realtime'))
      .map(({ state }) => state)
  await expect.poll(states).toEqual(['answered'])
})
