/** What is on its way in, of all connections together: raw sockets, since no client library stops in the middle. Contract 10.12. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, it, onTestFinished } from 'vitest'
import { type Limited, startLimited } from '../../fixtures/requests/limited-service.js'

const megabyte = 1024 * 1024
const large = 900_000

type Limits = Parameters<typeof startLimited>[0]['incomingLimits']

interface Service extends Limited {
  /** What it has read from the client at that port. */
  readFrom(port: number | undefined): number
}

async function aService(incomingLimits: Limits): Promise<Service> {
  const service = await startLimited({ incomingLimits })
  const sockets: Socket[] = []
  service.server.on('connection', (socket) => sockets.push(socket))
  await service.send('POST', '/collections', { name: 'posts' })
  return {
    ...service,
    readFrom: (port) => sockets.find(({ remotePort }) => remotePort === port)?.bytesRead ?? 0,
  }
}

interface Sending {
  /** Sends the rest; the answer's status, which may have been there before. */
  finish(): Promise<number>
  leave(): void
}

interface Body {
  readonly type: string
  readonly bytes: string
}

const json: Body = { type: 'application/json', bytes: JSON.stringify({ text: 'x'.repeat(large) }) }
const form: Body = {
  type: 'multipart/form-data; boundary=b',
  bytes: `--b\r\ncontent-disposition: form-data; name="data"\r\n\r\n${json.bytes}\r\n--b--\r\n`,
}

/** More than the last boundary of a form takes. */
const endBytes = 20

/** Sends all of a body but its end, until it was read. */
async function send(
  { port, apiKey, readFrom }: Service,
  address: string,
  { type, bytes }: Body,
  lastBytes = endBytes,
): Promise<Sending> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  onTestFinished(() => void socket.destroy())
  const answer = text(socket).catch(() => '')
  const heads = [
    'POST /collections/posts HTTP/1.1',
    'host: localhost',
    'connection: close',
    `x-api-key: ${apiKey}`,
    `x-forwarded-for: ${address}`,
    `content-type: ${type}`,
    `content-length: ${bytes.length}`,
  ]
  const sent = `${heads.join('\r\n')}\r\n\r\n${bytes.slice(0, -lastBytes)}`
  await once(socket, 'connect')
  const { localPort } = socket
  socket.write(sent)
  // One that is refused is not read to its end.
  await expect.poll(() => socket.closed || readFrom(localPort) === sent.length).toBe(true)
  return {
    async finish() {
      socket.write(bytes.slice(-lastBytes))
      return Number((await answer).split(' ')[1])
    },
    leave: () => void socket.destroy(),
  }
}

it.each([
  ['bodies', json],
  ['forms', form],
])('contract 10.12 %s of all requests have one limit, and the address that holds most gives way', async (_, body) => {
  const service = await aService({ mostBytes: 1.5 * megabyte })
  const many = [await send(service, '1.1.1.1', body), await send(service, '1.1.1.1', body)]
  const other = await send(service, '2.2.2.2', { ...json, bytes: JSON.stringify({ text: 'x'.repeat(100_000) }) })

  expect(await other.finish()).toBe(201)
  const statuses = [await many[0]?.finish(), await many[1]?.finish()]

  expect(statuses.sort()).toEqual([201, 503])
})

const file: Body = { ...form, bytes: form.bytes.replace('name="data"', 'name="picture"; filename="a.txt"') }

it.each([
  ['nothing where they are sent on at once', 0, [201, 201]],
  ['what their store keeps until it is sent on', 8 * megabyte, [201, 503]],
])('contract 10.12 of files on their way counts %s', async (_, bufferedBytes, expected) => {
  const service = await aService({ mostBytes: 1.5 * megabyte })
  Object.assign(service.backend.files, { bufferedBytes })
  const files = [await send(service, '1.1.1.1', file), await send(service, '1.1.1.1', file)]

  const statuses = [await files[0]?.finish(), await files[1]?.finish()]

  expect(statuses.sort()).toEqual(expected)
})

it('contract 10.12 a form that gives way with the bytes in which its file begins is answered', async () => {
  const service = await aService({ mostBytes: large + 10_000 })
  const body = await send(service, '1.1.1.1', json)

  // All of it but its end comes at once.
  const given = await send(service, '1.1.1.1', { ...file, bytes: file.bytes.replace('x'.repeat(large - 40_000), '') })

  expect(await given.finish()).toBe(503)
  expect(await body.finish()).toBe(201)
  await expect.poll(service.connections).toBe(0)
})

it('contract 10.12 an upload keeps its place, and what began later gives way', async () => {
  const service = await aService({ mostBytes: large + 30_000 })
  const upload = await send(service, '1.1.1.1', file, large / 2)
  const later = await send(service, '1.1.1.1', json)

  expect(await upload.finish()).toBe(201)
  expect(await later.finish()).toBe(503)
})

it('contract 10.12 no address takes what is there for all', async () => {
  const service = await aService({ mostBytes: 100 * megabyte, mostBytesOfAddress: megabyte })
  const many = [await send(service, '1.1.1.1', json), await send(service, '1.1.1.1', json)]
  const other = await send(service, '2.2.2.2', json)

  const statuses = [await many[0]?.finish(), await many[1]?.finish()]

  expect(statuses.sort()).toEqual([201, 503])
  expect(await other.finish()).toBe(201)
})

it('contract 10.12 a body that was handled, refused or given up holds nothing any more', async () => {
  const service = await aService({ mostBytes: megabyte })

  for (const body of [json, form, { ...json, bytes: json.bytes.replace('{', '[') }]) {
    const given = await send(service, '1.1.1.1', body)
    given.leave()
    await expect.poll(service.connections).toBe(0)
    expect(await (await send(service, '1.1.1.1', body)).finish()).toBe(body.bytes.startsWith('[') ? 400 : 201)
  }
})

it('contract 10.3 several bodies of 10 MB at once are taken', async () => {
  const service = await aService({})
  const documents = Array.from({ length: 10 }, (_, n) => ({ n, text: 'x'.repeat(megabyte - 2_000) }))

  const answers = await Promise.all(
    ['1.1.1.1', '1.1.1.1', '2.2.2.2'].map((address) =>
      service.send(
        'POST',
        '/collections/posts/batch',
        { documents },
        { 'x-forwarded-for': address, prefer: 'return=minimal' },
      ),
    ),
  )

  expect(answers.map(({ status }) => status)).toEqual([204, 204, 204])
})

/** A WebSocket of which frames are sent by hand. */
async function openRaw({ port }: Service, address: string): Promise<{ socket: Socket; ended: Promise<unknown> }> {
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

/** The head of a text that is masked with zeros. */
function headOf(bytes: number): Buffer {
  const head = Buffer.alloc(14)
  head.set([0x81, 0xff])
  head.writeBigUInt64BE(BigInt(bytes), 2)
  return head
}

const frameOf = (content: string) => Buffer.concat([headOf(content.length), Buffer.from(content)])

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

it('contract 10.12 messages that are not whole count with bodies, and their socket gives way', async () => {
  const service = await aService({ mostBytes: megabyte })
  const open = async () => {
    const { socket } = await openRaw(service, '1.1.1.1')
    const authenticated = once(socket, 'data')
    socket.write(frameOf(JSON.stringify({ type: 'auth', token: service.apiKey })))
    expect(String((await authenticated)[0])).toContain('authenticated')
    return socket
  }
  const [first, second] = [await open(), await open()]
  const closed = Promise.race([closeOf(first), closeOf(second)])

  for (const socket of [first, second]) {
    socket.write(headOf(megabyte - 1))
    socket.write('x'.repeat(large))
  }

  expect(await closed).toBe(1013)
  expect(await (await send(service, '2.2.2.2', { ...json, bytes: '{"text":"as long as its end"}' })).finish()).toBe(201)
})
