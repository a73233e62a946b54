/** How much script a change costs a page that shows 1,000 rows by `useLive`, in a real Chromium. */
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import { createJiti } from 'jiti'
import { build } from 'rolldown'
import { startDev } from '../../tools/dev.js'
import { newPath } from '../../tools/folders.js'

const rows = 1_000
/** A list answers at most so many, so the rows are two lists of which a change reads both. */
const mostOfPage = 500
const changes = 30

/** Each row renders only when its document has changed, as in any long list. */
const app = `
import { createElement, memo, StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createClient } from 'svc-toolkit-client'
import { createHooks } from 'svc-toolkit-client/react'

const { SvcProvider, useLive } = createHooks()
const client = createClient({ ...settings, dialect: 'a, paging=large' })
const Row = memo(({ item }) => createElement('li', null, item.data.title, ' ', createElement('b', null, item.data.status)))
function Page({ offset }) {
  const { items } = useLive('posts', { sort: 'title', limit: ${mostOfPage}, offset })
  return createElement('ol', null, items.map((item) => createElement(Row, { key: item.id, item })))
}
createRoot(document.getElementById('root')).render(createElement(SvcProvider, { client },
  createElement(Page, { offset: 0 }), createElement(Page, { offset: ${mostOfPage} })))
`

/** @returns {Promise<import('../../tools/table.js').Row[]>} */
export async function measure() {
  const dev = await startDev(newPath(), { words: ['--memory'] })
  await dev.ask('POST', '/collections', { name: 'posts' })
  const documents = Array.from({ length: rows }, (_, at) => ({
    title: `Post ${1_000 + at}`,
    status: 'open',
    views: at,
  }))
  const [first] = await dev.ask('POST', '/collections/posts/batch', { documents })
  const page = await servePage({ url: dev.url, apiKey: dev.apiKey })
  /** @type {typeof import('../../../test/fixtures/chromium.js')} */
  const { openChromium } = await createJiti(import.meta.url).import('../../../test/fixtures/chromium.ts')
  const { browser, close } = await openChromium()
  try {
    const opened = await browser.newPage()
    await opened.goto(page.url)
    await opened
      .locator('li')
      .nth(rows - 1)
      .waitFor()
    const values = await scriptOfChanges(opened, (status) =>
      dev.ask('PATCH', `/collections/posts/${first.id}`, { status }),
    )
    const target = { atMost: 5 }
    return [{ what: `react: a change in ${rows} rows of useLive`, against: 'script', unit: ' ms', values, target }]
  } finally {
    await close()
    await page.close()
    await dev.stop()
  }
}

/**
 * The milliseconds of script from before each change until it is shown.
 *
 * @param {import('playwright-core').Page} page @param {(status: string) => Promise<unknown>} change
 */
async function scriptOfChanges(page, change) {
  const inspector = await page.context().newCDPSession(page)
  await inspector.send('Performance.enable')
  const script = async () => {
    const { metrics } = await inspector.send('Performance.getMetrics')
    return 1_000 * (metrics.find(({ name }) => name === 'ScriptDuration')?.value ?? Number.NaN)
  }
  const values = []
  for (let round = 0; round < changes; round++) {
    const before = await script()
    await change(`round ${round}`)
    await page.locator('li b').first().getByText(`round ${round}`, { exact: true }).waitFor()
    values.push((await script()) - before)
  }
  return values
}

/** @param {{ url: string, apiKey: string }} settings */
async function servePage(settings) {
  const root = fileURLToPath(new URL('../../../', import.meta.url))
  const { output } = await build({
    input: 'app',
    cwd: root,
    write: false,
    platform: 'browser',
    plugins: [inMemory(`const settings = ${JSON.stringify(settings)}\n${app}`, root)],
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
    output: { minify: true, codeSplitting: false, format: 'esm' },
  })
  const html = `<!doctype html><title>Posts</title><div id="root"></div><script type="module">${output[0].code}</script>`
  const server = createServer((_request, response) => response.setHeader('content-type', 'text/html').end(html))
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)))
  const { port } = Object(server.address())
  return {
    url: `http://127.0.0.1:${port}/`,
    /** @returns {Promise<void>} */
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

/** @param {string} source @param {string} root @returns {import('rolldown').Plugin} */
function inMemory(source, root) {
  const places = new Map([
    ['app', `${root}bench/app.js`],
    ['svc-toolkit-client', `${root}dist/client/index.js`],
    ['svc-toolkit-client/react', `${root}dist/client/react/index.js`],
  ])
  return {
    name: 'app',
    resolveId: (name) => places.get(name),
    load: (id) => (id === places.get('app') ? source : undefined),
  }
}
