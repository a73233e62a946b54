/** json-server over a file of 10,000 posts. */
import { writeFileSync } from 'node:fs'
import { peer } from '../tools/peers.js'
import { posts } from '../tools/posts.js'

const [file = ''] = process.argv.slice(2)
writeFileSync(file, JSON.stringify({ posts: posts(10_000).map((post, id) => ({ id: `post-${id}`, ...post })) }))
const { default: jsonServer } = await peer('json-server')
const app = jsonServer.create()
app.use(jsonServer.defaults({ logger: false, readOnly: false, static: file.replace(/[^/]+$/, '') }))
app.use(jsonServer.router(file))
const server = app.listen(0, '127.0.0.1', () => process.send?.({ port: server.address().port }))
