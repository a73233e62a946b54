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
  const seen: { pings: number; pongs: number; closed: number | undefined } = { pings: 0, pongs: 0, closed: undefined }
  socket.on('ping', () => seen.pings++)
  socket.on('pong', () => seen.pongs++)
  socket.on('close', (code) => {
    seen.closed = code
  })
  await once(socket, 'open')
  return { socket, seen }
}

it.each([
  ['answers', { autoPong: true, sends: false }],
  ['sends messages', { autoPong: false, sends: true }],
])('contract 9.5 a socket is pinged every 30 s, and stays while it %s', async (_, { autoPong, sends }) => {
  const { socket, seen } = await aSocket(autoPong)

  vi.advanceTimersByTime(beat - 1)
  expect(seen.pings).toBe(0)
  for (let beats = 1; beats <= 4; beats++) {
    vi.advanceTimersByTime(beats === 1 ? 1 : beat)
    await expect.poll(() => seen.pings).toBe(beats)
    if (sends) {
      const answered = once(socket, 'message')
      socket.send('no json')
      await answered
    }
    // Sent behind the pong, and answered behind it.
    socket.ping()
    await expect.poll(() => seen.pongs).toBe(beats)
  }

  expect(seen.closed).toBeUndefined()
  socket.terminate()
})

it('contract 9.5 a socket that does not answer a ping is dropped with the next', async () => {
  const { seen } = await aSocket(false)

  vi.advanceTimersByTime(beat)
  await expect.poll(() => seen.pings).toBe(1)
  expect(seen.closed).toBeUndefined()
  vi.advanceTimersByTime(beat)

  await expect.poll(() => seen.closed).toBeDefined()
  // It has got no close frame, as from every other mechanism that closes a socket.
  expect(seen.closed).toBe(1006)
})

it('a socket that does not answer the close frame of a service that stops is dropped a second later', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const { socket } = await aSocket(true)
  socket.pause()
  const terminated = vi.spyOn(WebSocket.prototype, 'terminate')

  realtime.close()
  vi.advanceTimersByTime(999)
  expect(terminated).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)

  expect(terminated).toHaveBeenCalledOnce()
  terminated.mockRestore()
  socket.terminate()
})
