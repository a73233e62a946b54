/** Parse Server on a PostgreSQL database. */
import { mkdirSync } from 'node:fs'
import express from 'express'
import { peer } from '../tools/peers.js'

const [databaseURI, folder = ''] = process.argv.slice(2)
// Parse Server writes its log below its working folder.
mkdirSync(folder)
process.chdir(folder)
const { ParseServer } = await peer('parse-server')
const parse = new ParseServer({
  databaseURI,
  appId: 'bench',
  masterKey: 'bench-master',
  serverURL: 'http://127.0.0.1/parse',
  silent: true,
  logLevel: 'error',
  allowClientClassCreation: true,
  enableInsecureAuthAdapters: false,
  encodeParseObjectInCloudFunction: true,
})
await parse.start()
const app = express()
app.use('/parse', parse.app)
const server = app.listen(0, '127.0.0.1', () => {
  process.send?.({ port: /** @type {import('node:net').AddressInfo} */ (server.address()).port })
})
