/** Keep-alive connections: a request on its way is answered, even if a busy process sees the time-out first. */

import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { expect, it } from 'vitest'
import { openServer } from '../../emulator/http/sockets.js'

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
