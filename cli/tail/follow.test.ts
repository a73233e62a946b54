import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { createClient } from '../../client/index.js'
import { agreeing } from '../../test/fixtures/realtime/fake-realtime.js'
import { follow } from './follow.js'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

it('tells of a connection that was lost, and not of one that was never there', async () => {
  let attempts = 0
  const server = createServer()
  const sockets = new WebSocketServer({ noServer: true })
  server.on('upgrade', (request, socket, head) => {
    if (++attempts < 3) return socket.destroy()
    sockets.handleUpgrade(request, socket, head, (opened) => {
      opened.on('message', (text) => {
        for (const said of agreeing(JSON.parse(String(text)))) opened.send(JSON.stringify(said))
      })
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closers.push(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const stop = new AbortController()
  const following = follow(createClient({ url, WebSocket, retry: { delay: 1 } }), undefined, stop.signal)
  closers.push(() => following.close())
  const told: string[] = []

  await following.add('posts')
  for (const socket of sockets.clients) socket.terminate()
  for await (const { type } of following.events()) {
    told.push(type)
    if (type === 'back') break
  }
  for (const socket of sockets.clients) socket.terminate()

  expect(attempts).toBe(4)
  expect(told).toEqual(['lost', 'back'])
})
