/** How dead connections are detected: by a clock that the test moves. Contract 9.5. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { openRealtime, type Realtime } from '../../../emulator/http/realtime/websocket.js'
import { anHttpContext } from '../../fixtures/stand-ins.js'

const beat = 30_000

let server: Server
let realtime: Realtime
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  realtime = openRealtime(anHttpContext())
  server = createServer().on('upgrade', realtime.upgrade)
  await once(server.listen(0, '127.0.0.1'), 'listening')
})
afterEach(async () => {
  vi.useRealTimers()
  realtime.close()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

async function aSocket(autoPong: boolean) {
  const { port } = server.address() as AddressInfo
  const socket = new WebSocket(`ws://127.0.0.1:${port}/realtime`, { autoPong })
  const seen = { pings: 0, isClosed: false }
  socket.on('ping', () => seen.pings++)
  socket.on('close', () => {
    seen.isClosed = true
  })
  await once(socket, 'open')
  return { socket, seen }
}

it('contract 9.5 a socket is pinged every 30 s, and stays while it answers', async () => {
  const { socket, seen } = await aSocket(true)

  vi.advanceTimersByTime(beat - 1)
  expect(seen.pings).toBe(0)
  for (let beats = 1; beats <= 4; beats++) {
    vi.advanceTimersByTime(beats === 1 ? 1 : beat)
    await expect.poll(() => seen.pings).toBe(beats)
    // The pong is sent before this message, and arrives before its answer.
    const answered = once(socket, 'message')
    socket.send('no json')
    await answered
  }

  expect(seen.isClosed).toBe(false)
  socket.terminate()
})

it('contract 9.5 a socket that does not answer a ping is dropped with the next', async () => {
  const { seen } = await aSocket(false)

  vi.advanceTimersByTime(beat)
  await expect.poll(() => seen.pings).toBe(1)
  expect(seen.isClosed).toBe(false)
  vi.advanceTimersByTime(beat)

  await expect.poll(() => seen.isClosed).toBe(true)
})
