/** The cases of the client as it is published, in a page of a real Chromium. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { withPublishedClient } from '../../scripts/client-package.js'
import { type OpenBrowser, openChromium } from '../fixtures/chromium.js'
import { bundle } from '../fixtures/packages/bundle.js'
import { aProject, service } from '../fixtures/service.js'
import { allCases } from './cases.js'

const root = fileURLToPath(new URL('../../', import.meta.url))
const html = `<!doctype html><script type="module">
  import { allCases, openWorld } from '/cases.js'
  globalThis.runCase = async (title, ...world) => allCases[title](await openWorld(...world))
</script>`

let server: Server
let chromium: OpenBrowser
let page: Page

beforeAll(async () => {
  const path = fileURLToPath(new URL('./cases.ts', import.meta.url))
  const cases = await withPublishedClient(root, (client) => bundle(path, { client }))
  server = await serve({ '/': ['text/html', html], '/cases.js': ['text/javascript', cases.code] })
  chromium = await openChromium()
  page = await chromium.newPage()
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
})

afterAll(async () => {
  await chromium?.close()
  server?.close()
})

/** Methods, forms and streams, which a browser restricts. Beyond these, live.test.ts shows what a dialect decides. */
const restricted = [
  'creates, reads, changes, replaces and deletes a document',
  'sends files in the fields of a document',
  'receives changes as they happen, over a WebSocket',
  'receives changes as they happen, over Server-Sent Events',
]

describe.each([
  ['auto', Object.keys(allCases)],
  ['a', restricted],
  ['b', restricted],
  ['c', restricted],
])('the client in a browser, in dialect %s', (dialect, titles) => {
  it.each(titles)('%s', async (title) => {
    const { apiKey, secretKey } = await aProject()
    const world = JSON.stringify([{ url: service.url, apiKey, dialect }, secretKey])

    await page.evaluate(`runCase(${JSON.stringify(title)}, ...${world})`)
  })
})

/** A server of a few texts, by path, on its own port: another origin than the service's. */
async function serve(texts: Readonly<Record<string, readonly [type: string, text: string]>>): Promise<Server> {
  const server = createServer(({ url = '/' }, response) => {
    const [type, text] = texts[url] ?? []
    response.writeHead(text === undefined ? 404 : 200, { 'content-type': type ?? 'text/plain' }).end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}
