/** A worker on miniflare with D1, its database in a folder. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { peer } from '../tools/peers.js'

const [folder = ''] = process.argv.slice(2)
const { Miniflare } = await peer('miniflare')
const miniflare = new Miniflare({
  modules: true,
  script: readFileSync(fileURLToPath(new URL('./d1-worker.js', import.meta.url)), 'utf8'),
  d1Databases: ['DB'],
  d1Persist: folder,
  host: '127.0.0.1',
  port: 0,
})
for (const event of ['SIGTERM', 'disconnect'])
  process.once(event, () => miniflare.dispose().then(() => process.exit(0)))
const url = await miniflare.ready
await fetch(new URL('/setup', url))
process.send?.({ port: Number(url.port) })
