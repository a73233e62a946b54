/** Plain `ws` and plain `node:http` servers that send each POST to every subscriber as a constant frame. */
import { createServer } from 'node:http'
import { WebSocketServer } from 'ws'

const [frame = '{}'] = process.argv.slice(2)
const event = `id: 1\ndata: ${frame}\n\n`
const bytes = Buffer.from(frame)
const answer = Buffer.from('{}')

/** @type {Set<import('node:http').ServerResponse>} */
const streams = new Set()
const server = createServer((req, res) => {
  if (req.method === 'GET') {
    res.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
    res.flushHeaders()
    streams.add(res)
    res.once('close', () => streams.delete(res))
    return
  }
  req.resume()
  req.once('end', () => {
    for (const socket of sockets.clients) socket.send(bytes, { binary: false })
    for (const stream of streams) stream.write(event)
    res.writeHead(201, { 'content-type': 'application/json', 'content-length': answer.length })
    res.end(answer)
  })
})
const sockets = new WebSocketServer({ server, perMessageDeflate: false })
sockets.on('connection', (socket) => {
  socket.on('message', () => socket.send('{}'))
})
server.listen(0, '127.0.0.1', () => {
  process.send?.({ port: /** @type {import('node:net').AddressInfo} */ (server.address()).port })
})
