/** Parse Server on a PostgreSQL database. */
import express from 'express'
import { peer } from '../tools/peers.js'

const [databaseURI] = process.argv.slice(2)
const { ParseServer } = await peer('parse-server')
const parse = new ParseServer({
  databaseURI,
  appId: 'bench',
  masterKey: 'bench-master',
  serverURL: 'http://127.0.0.1/parse',
  silent: true,
  logsFolder: null,
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
