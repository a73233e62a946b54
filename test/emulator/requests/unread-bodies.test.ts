/** Bodies in tiny chunks, and bodies that nobody reads: neither keeps others waiting. Contract 10.10. */
import { once } from 'node:events'
import { IncomingMessage } from 'node:http'
import { type AddressInfo, connect, Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { openChunkTurns } from '../../../emulator/http/guards/chunk-turns.js'
import { openServer } from '../../../emulator/http/sockets.js'
import { limitedOfFile } from '../../fixtures/requests/limited-service.js'

const startLimited = limitedOfFile()

const chunk = '1\r\na\r\n'
/** The number of one-byte chunks that the system hands out at once. */
const chunksOfRead = Math.ceil((64 * 1024) / chunk.length)
/** The number of them that are parsed at once. */
const chunksOfSlice = Math.ceil(4_096 / chunk.length)

function open(port: number, headers: string): Socket {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => undefined)
  socket.write(`POST /collections/posts HTTP/1.1\r\nhost: localhost\r\n${headers}\r\n\r\n`)
  return socket
}

/** Waits until the server has had enough turns to read everything, if it did. */
async function manyTurns(): Promise<void> {
  for (let n = 0; n < 500; n++) await nextTurn()
}

it.each([
  ['at once', async () => undefined],
  ['late', manyTurns],
])('parses a part of one connection a turn once many small chunks have come that are read %s', async (_when, wait) => {
  const chunks = openChunkTurns(1_000)
  const senders = 6
  const each = 30_000
  /** Chunks that were parsed and emitted in this turn. */
  let [parsed, inTurn] = [0, 0]
  const turns: number[] = []
  const server = openServer({
    connected: chunks.connected,
    upgrade: () => undefined,
    answer(req, res) {
      chunks.arrived(req)
      const push = req.push.bind(req)
      req.push = (bytes) => {
        parsed++
        return push(bytes)
      }
      void wait().then(() => {
        req.on('data', () => inTurn++)
        req.on('end', () => res.end())
      })
    },
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  let isOver = false
  const counting = (async () => {
    while (!isOver) {
      await nextTurn()
      turns.push(Math.max(parsed, inTurn))
      inTurn = parsed = 0
    }
  })()

  const { port } = server.address() as AddressInfo
  const sockets = Array.from({ length: senders }, () => open(port, 'transfer-encoding: chunked'))
  for (const socket of sockets) socket.write(`${chunk.repeat(each)}0\r\n\r\n`)
  const answers = await Promise.all(sockets.map(async (socket) => String(await once(socket, 'data')).slice(9, 12)))
  isOver = true
  await counting

  expect(answers).toEqual(sockets.map(() => '200'))
  const short = 2 * (1_000 + chunksOfSlice)
  expect(Math.max(...turns)).toBeLessThanOrEqual(chunksOfRead + short)
  // Those of each connection that come with the headers are parsed in one turn, and may be emitted in another.
  expect(turns.filter((parsed) => parsed > short).length).toBeLessThanOrEqual(2 * senders)
})

it('pauses other connections, but no streams', () => {
  const [stream, other, sender] = [new Socket(), new Socket(), new Socket()]
  const chunks = openChunkTurns(1)
  for (const socket of [stream, other, sender]) chunks.connected(socket)
  chunks.release(stream)
  const req = new IncomingMessage(sender)
  req.headers['transfer-encoding'] = 'chunked'
  chunks.arrived(req)

  req.push(Buffer.from('a'))

  expect([stream, other, sender].map((socket) => socket.isPaused())).toEqual([false, true, true])
})

it.each([
  ['without an end', 'transfer-encoding: chunked', chunk.repeat(10_000)],
  ['of which nothing comes', `content-length: ${100 * 1024 * 1024}`, ''],
])('answers a refused request, and ends its connection instead of reading a body %s', async (_what, header, more) => {
  const { server, port } = await startLimited({})
  const accepted = once(server, 'connection') as Promise<[Socket]>
  const socket = open(port, `x-api-key: wrong\r\n${header}`)
  let answer = ''
  socket.on('data', (data) => {
    answer += data
  })
  const [side] = await accepted
  const isClosed = once(side, 'close')

  const send = () => {
    if (more && socket.writable) socket.write(more, () => setImmediate(send))
  }
  send()
  await isClosed

  expect(answer).toMatch(/^HTTP\/1\.1 401 /)
  expect(answer.toLowerCase()).toContain('\r\nconnection: close\r\n')
  // Beside the 20,480 chunks that it takes, what had come by then.
  expect(side.bytesRead).toBeLessThan(25_000 * chunk.length + 3 * 64 * 1024)
})

it.each([
  ['that is small', 'content-length: 4', '"abc'.slice(0, 4)],
  ['that is there', 'transfer-encoding: chunked', `${chunk}0\r\n\r\n`],
])('keeps the connection of a refused request with a body %s', async (_what, header, body) => {
  const { port } = await startLimited({})
  const socket = open(port, `x-api-key: wrong\r\n${header}`)
  socket.write(body)
  const first = String(await once(socket, 'data'))
  socket.write('GET /livez HTTP/1.1\r\nhost: localhost\r\n\r\n')
  const second = String(await once(socket, 'data'))

  expect(first.toLowerCase()).toContain('connection: keep-alive')
  expect(second).toMatch(/^HTTP\/1\.1 \d/)
})
