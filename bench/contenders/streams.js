/** Bare `node:http`: bodies straight to the disk, and back. Given a number of bytes, it creates the file to be read. */
import { createReadStream, createWriteStream } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'

const [folder = '.'] = process.argv.slice(2)
const file = join(folder, 'bare')

const server = createServer(async (req, res) => {
  if (req.method === 'POST') {
    await pipeline(req, createWriteStream(file))
    res.writeHead(201, { 'content-length': 2 }).end('{}')
    return
  }
  await pipeline(createReadStream(file), res)
})
server.listen(0, '127.0.0.1', () => {
  process.send?.({ port: /** @type {import('node:net').AddressInfo} */ (server.address()).port })
})
