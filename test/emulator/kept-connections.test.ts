/** Connections that stay: a request on its way is answered, even if a busy process sees the time-out first; none outlives the service. */

import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { listen } from '../../emulator/assembly/listen.js'
import { openRealtime } from '../../emulator/http/realtime/websocket.js'
import { openServer } from '../../emulator/http/sockets.js'
import { anHttpContext } from '../fixtures/stand-ins.js'

/** A server that echoes the path, and its side of each connection. */
async function aServer() {
  const sockets: Socket[] = []
  const server = openServer({ answer: (req, res) => res.end(req.url), upgrade: () => undefined })
  server.on('connection', (socket) => sockets.push(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const ask = (path: string) => client.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`)
  return { server, client, ask, sockets }
}

const answer = async (client: Socket) => String((await once(client, 'data'))[0])

it('tells how long to keep a connection, and keeps it longer itself', async () => {
  const { server, client, ask, sockets } = await aServer()

  ask('/one')
  const said = await answer(client)
  sockets[0]?.emit('timeout')
  const keptFor = sockets[0]?.timeout
  ask('/two')
  const later = await answer(client)
  client.destroy()
  server.close()

  const seconds = Number(/keep-alive: timeout=(\d+)/i.exec(said)?.[1])
  expect(seconds).toBeGreaterThan(0)
  expect(keptFor).toBeGreaterThanOrEqual(2 * seconds * 1_000)
  expect(later).toContain('/two')
})

it('answers a request that has come by the time an idle connection is to be closed', async () => {
  const { server, client, ask, sockets } = await aServer()
  ask('/one')
  await answer(client)

  // As in a busy process: the timer fires before received data is read.
  sockets[0]?.emit('timeout')
  setTimeout(() => {
    ask('/two')
    sockets[0]?.emit('timeout')
  })
  const said = await answer(client)
  client.destroy()
  server.close()

  expect(said).toContain('/two')
})

it('closes a connection on which nothing comes', async () => {
  const { server, client, ask, sockets } = await aServer()
  ask('/one')
  await answer(client)

  sockets[0]?.emit('timeout')
  sockets[0]?.emit('timeout')
  await once(client, 'close')
  server.close()

  expect(sockets[0]?.destroyed).toBe(true)
})

it.each([
  ['in pieces, without an end in time', 'GET / HTTP/1.1\r\nhost: x\r\n', '408 Request Timeout'],
  [
    'with more headers than are read',
    `GET / HTTP/1.1\r\nhost: ${'x'.repeat(40_000)}\r\n\r\n`,
    '431 Request Header Fields Too Large',
  ],
  ['that is none', 'Hello\r\n\r\n', '400 Bad Request'],
])('answers a request %s, and closes the connection', async (_what, request, status) => {
  const { server, client } = await aServer()
  server.headersTimeout = 1

  client.write(request)
  const said = await answer(client)
  await once(client, 'close')
  server.close()

  expect(said).toBe(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`)
})

const handshake = [
  'GET /realtime HTTP/1.1',
  ...['host: x', 'connection: upgrade', 'upgrade: websocket'],
  ...['sec-websocket-version: 13', 'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==', '', ''],
].join('\r\n')

/** A service that opens WebSockets, and connections to it that say nothing by themselves. */
async function aRealtimeServer({ begun = () => undefined }: { begun?: () => void } = {}) {
  const { upgrade, close } = openRealtime(anHttpContext())
  const listening = await listen(
    {
      answer: () => undefined,
      upgrade(...handshake) {
        upgrade(...handshake)
        begun()
      },
      close,
    },
    // The rest is cut long after the test.
    { host: '127.0.0.1', port: 0, maxClosingMilliseconds: () => 3_600_000 },
  )
  return {
    close: listening.close,
    async connected() {
      const client = connect(listening.port, '127.0.0.1')
      onTestFinished(() => void client.destroy())
      await once(client, 'connect')
      return client
    },
  }
}

const refusal = /^HTTP\/1\.1 503 .*"UNAVAILABLE"/s

it('a WebSocket that a silent connection asks for after all others were cut is refused, and the service ends', async () => {
  const { close, connected } = await aRealtimeServer()
  const [first, silent] = [await connected(), await connected()]
  first.write(handshake)
  expect(await answer(first)).toMatch(/^HTTP\/1\.1 101 /)

  const closing = close()
  // It never says goodbye.
  await once(first.resume(), 'close')
  silent.write(handshake)

  expect(await answer(silent)).toMatch(refusal)
  await closing
})

it('a WebSocket whose handshake is being read when the service closes is refused, and the service ends', async () => {
  let closing: Promise<void> | undefined
  const { close, connected } = await aRealtimeServer({
    begun() {
      closing = close()
    },
  })
  const client = await connected()

  client.write(handshake)

  expect(await answer(client)).toMatch(refusal)
  await closing
})
