/** Tests limits of incoming WebSocket messages, together with bodies. Contract 9.1, 10.12. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { listen } from '../../../emulator/assembly/listen.js'
import { openMemoryBudget } from '../../../emulator/core/concurrency/memory-budget.js'
import { openRealtime } from '../../../emulator/http/realtime/websocket.js'
import { openAuthenticated, openSocket } from '../../fixtures/realtime/streams.js'
import { heldBytes } from '../../fixtures/requests/held-bytes.js'
import { holdDatabase, json, megabyte, type Service, send, servicesOfFile } from '../../fixtures/requests/incoming.js'
import { anHttpContext } from '../../fixtures/stand-ins.js'

const aService = servicesOfFile()

/** A WebSocket of which frames are sent by hand. */
async function openRaw(
  { port }: Pick<Service, 'port'>,
  address: string,
): Promise<{ socket: Socket; ended: Promise<unknown> }> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  onTestFinished(() => void socket.destroy())
  const ended = once(socket, 'close')
  socket.write(
    `GET /realtime HTTP/1.1\r\nhost: localhost\r\nx-forwarded-for: ${address}\r\nconnection: upgrade\r\nupgrade: websocket\r\n` +
      'sec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
  )
  await once(socket, 'data')
  return { socket, ended }
}

/** The head of a frame that is masked with zeros. */
function headOf(bytes: number, first = 0x81): Buffer {
  const head = Buffer.alloc(14)
  head.set([first, 0xff])
  head.writeBigUInt64BE(BigInt(bytes), 2)
  return head
}

/** @param first what kind of frame it is: a text, whole, unless it is said. RFC 6455 5.2. */
const frameOf = (content: string, first?: number) =>
  Buffer.concat([headOf(content.length, first), Buffer.from(content)])

/** A pong that nobody asked for, which is answered with nothing. */
const pong = Buffer.concat([Buffer.from([0x8a, 0x80 | 125, 0, 0, 0, 0]), Buffer.alloc(125)])
const pongs = (bytes: number) => Buffer.concat(Array<Buffer>(Math.ceil(bytes / pong.length)).fill(pong))

/** A ping of the protocol of this service, in two parts with something between them. */
const pingAround = (between: Buffer) => [frameOf('{"type":', 0x01), between, frameOf('"ping"}', 0x80)]

/** The next close that the service sends, by its code. */
async function closeOf(socket: Socket): Promise<number> {
  for (;;) {
    const [bytes] = (await once(socket, 'data')) as [Buffer]
    for (let at = 0; at < bytes.length; at += 2 + ((bytes[at + 1] ?? 0) & 0x7f)) {
      if (bytes[at] === 0x88) return bytes.readUInt16BE(at + 2)
    }
  }
}

it('contract 9.1 a socket that has not said who it is sends no more than a token takes', async () => {
  const service = await aService({})
  const { socket, ended } = await openRaw(service, '1.1.1.1')
  // Whole messages one behind the other are no long one.
  for (let n = 0; n < 5_000; n++) socket.write(frameOf('{"type":"ping"}'))
  await once(socket, 'data')

  const closed = closeOf(socket)
  socket.write(headOf(megabyte - 1))
  socket.write('x'.repeat(65 * 1024))

  expect(await closed).toBe(1009)
  await ended
})

it('contract 9.1 pongs between the parts of its message are a part of it', async () => {
  const service = await aService({})
  const { socket } = await openRaw(service, '1.1.1.1')
  for (const bytes of pingAround(pongs(40_000))) socket.write(bytes)
  await once(socket, 'data')
  socket.write(pongs(megabyte))

  const closed = closeOf(socket)
  for (const bytes of [...pingAround(pongs(80_000))].slice(0, 2)) socket.write(bytes)

  expect(await closed).toBe(1009)
})

/** One that has said who it is. */
async function openKnown(service: Service): Promise<Socket> {
  const { socket } = await openRaw(service, '1.1.1.1')
  const authenticated = once(socket, 'data')
  socket.write(frameOf(JSON.stringify({ type: 'auth', token: service.apiKey })))
  expect(String((await authenticated)[0])).toContain('authenticated')
  return socket
}

it('contract 10.12 messages that are not whole count with bodies, and their socket gives way', async () => {
  const service = await aService({ maxBytes: megabyte })
  const [first, second] = [await openKnown(service), await openKnown(service)]
  const closed = Promise.race([closeOf(first), closeOf(second)])

  for (const socket of [first, second]) {
    socket.write(headOf(megabyte - 1))
    socket.write('x'.repeat(900_000))
  }

  expect(await closed).toBe(1013)
  expect(await (await send(service, '2.2.2.2', { ...json, bytes: '{"text":"as long as its end"}' })).finish()).toBe(201)
})

it('contract 10.12 a message in parts counts with all that comes between them, until it is whole', async () => {
  const service = await aService({ maxBytes: megabyte })
  const socket = await openKnown(service)
  for (let n = 0; n < 5; n++) {
    const answered = once(socket, 'data')
    for (const bytes of pingAround(pongs(megabyte / 2))) socket.write(bytes)
    expect(String((await answered)[0])).toContain('pong')
  }

  const closed = closeOf(socket)
  for (const bytes of [...pingAround(pongs(1.5 * megabyte))].slice(0, 2)) socket.write(bytes)

  expect(await closed).toBe(1013)
})

it('contract 10.12 a message that waits to be handled takes no more than itself', async () => {
  const service = await aService({})
  const { socket } = await openRaw(service, '1.1.1.1')
  const letGo = await holdDatabase(service)
  const before = await heldBytes()
  // The others wait for what it is answered.
  socket.write(frameOf('{"type":"auth","token":"svc_key_of_nobody"}'))
  const { localPort } = socket
  const readBefore = service.readFrom(localPort)

  const each = Buffer.concat([frameOf('{"type":"ping"}'), pongs(48 * 1024)])
  for (let n = 0; n < 200; n++) socket.write(each)
  await expect.poll(() => service.readFrom(localPort)).toBeGreaterThanOrEqual(readBefore + 200 * each.length)

  expect((await heldBytes()) - before).toBeLessThan(5 * megabyte)
  letGo()
})

it('contract 9.1 a socket is closed after a hundred invalid messages in a row', async () => {
  const service = await aService({})
  const socket = await openSocket(service.url)
  for (let n = 0; n < 99; n++) socket.say('nonsense')
  expect(await socket.ask({ type: 'ping' })).toBeDefined()

  for (let n = 0; n < 5_000; n++) socket.say(n % 2 ? 'nonsense' : { type: 'unsubscribe' })

  expect(await socket.closed).toBe(1008)
  const codes = socket.heard.map(({ type, code }) => code ?? type)
  expect(codes.filter((code) => code === 'INVALID_MESSAGE')).toHaveLength(199)
  expect(codes.filter((code) => code === 'pong')).toHaveLength(1)
})

it.each([
  ['one connection', 1, 1],
  ['all connections of a key', 20, 4],
])('contract 9.1 messages of %s ask for no more at once than their share', async (_, connections, share) => {
  const service = await aService({})
  const sockets = await Promise.all(
    Array.from({ length: connections }, () => openAuthenticated(service.url, service.apiKey)),
  )
  for (const socket of sockets) expect(await socket.ask({ type: 'subscribe', collection: 'posts' })).toBeDefined()
  const letGo = await holdDatabase(service)
  const { db } = service.backend
  const { query } = db
  let statements = 0
  const counted: typeof query = (statement) => {
    statements++
    return query(statement)
  }
  Object.assign(db, { query: counted })

  for (const socket of sockets) for (let n = 0; n < 20; n++) socket.say({ type: 'subscribe', collection: 'posts' })
  for (const socket of sockets) socket.say({ type: 'ping' })
  // The messages have come in and had many turns. Without a key, since looking one up would wait for the database, too.
  for (let n = 0; n < 50; n++) expect((await fetch(service.url)).status).toBe(200)

  expect(statements).toBeGreaterThan(0)
  expect(statements).toBeLessThanOrEqual(share)
  letGo()
  for (const socket of sockets) await expect.poll(() => socket.heard.at(-1)).toEqual({ type: 'pong' })
})

it('contract 9.1 takes one message of a connection in a turn, however many come at once', async () => {
  let inTurn = 0
  let taken = 0
  let most = 0
  const held = { hold: () => inTurn++, settle: () => undefined, end: () => undefined }
  const { upgrade, close } = openRealtime(anHttpContext({ memory: { ...openMemoryBudget(), receive: () => held } }))
  const listening = await listen({ answer: () => undefined, upgrade, close }, { host: '127.0.0.1', port: 0 })
  onTestFinished(listening.close)
  const { socket } = await openRaw(listening, '1.1.1.1')

  // Both the client's bytes and a message count: the message when it comes, and when it is handled.
  socket.write(Buffer.concat(Array<Buffer>(90).fill(frameOf('nonsense'))))
  while (taken < 2 * 90) {
    await nextTurn()
    most = Math.max(most, inTurn)
    taken += inTurn
    inTurn = 0
  }

  expect(most).toBeLessThan(10)
})
