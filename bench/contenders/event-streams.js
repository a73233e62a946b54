/** Bare `node:http`: event streams of headers, one message and a timer each, and nothing behind them. */
import { createServer } from 'node:http'

const commentMilliseconds = 15_000

const server = createServer((_req, res) => {
  res.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' })
  res.write('retry: 1000\nid: 1\n\n')
  const comments = setInterval(() => res.write(':\n\n'), commentMilliseconds)
  res.on('close', () => clearInterval(comments))
})
server.listen(0, '127.0.0.1', () => {
  process.send?.({ port: /** @type {import('node:net').AddressInfo} */ (server.address()).port })
})
