/** Express 5 with a constant response, the upper limit of the HTTP side. */
import express from 'express'

const answer = Buffer.from(process.argv[2] ?? '{}')
const app = express()
for (const setting of ['x-powered-by', 'etag']) app.set(setting, false)
app.get('/constant', (_req, res) => {
  res.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': answer.length })
  res.end(answer)
})
app.post('/constant', express.json(), (_req, res) => {
  res.writeHead(201, { 'content-type': 'application/json; charset=utf-8', 'content-length': answer.length })
  res.end(answer)
})
const server = app.listen(0, '127.0.0.1', () => {
  process.send?.({ port: /** @type {import('node:net').AddressInfo} */ (server.address()).port })
})
