/** Measures optimistic and offline writes in Chromium. */
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { build } from 'rolldown'
import { startChromium } from '../tools/chromium.js'
import { startDev } from '../tools/dev.js'
import { newPath } from '../tools/folders.js'
import { inTurns, median, ratios, rounded } from '../tools/rounds.js'

/** @returns {Promise<import('../tools/table.js').Row[]>} */
export async function measure() {
  const [dev, started, page] = await Promise.all([startDev(newPath()), startChromium(), servePage()])
  const browser = await chromium.connect(started.address)
  try {
    await dev.ask('POST', '/collections', { name: 'posts' })
    const service = JSON.stringify({ url: dev.url, apiKey: dev.apiKey, dialect: 'b' })
    const call = (/** @type {string} */ text) => async () => {
      const opened = await browser.newPage()
      await opened.goto(page.url)
      const result = await opened.evaluate(`import('/page.js').then((page) => page.${text})`)
      await opened.close()
      return result
    }
    const measurements = {
      script: call(`sendByScript(${service})`),
      queued: call(`sendByOutbox(${service})`),
      shown: call(`sendByOutbox(${service}, true)`),
    }
    const { script, queued, shown } = await inTurns(measurements, { rounds: 3 })
    const times = /** @type {{ milliseconds: number, frames: number }[]} */ (await call(`showCreates(${service})`)())
    return [
      {
        ...{ what: 'sending 1,000 creates that were written offline', against: 'the same calls in a script' },
        ...{ values: ratios(queued, script), target: { atLeast: 0.5 } },
        figures: `${rounded(median(queued))}/s, ${rounded(median(script))}/s`,
      },
      {
        ...{ what: 'the same while a list of 100 rows is open', against: 'without a list' },
        ...{ values: ratios(shown, queued), target: { atLeast: 0.5 } },
        figures: `${rounded(median(shown))}/s, ${rounded(median(queued))}/s`,
      },
      {
        ...{ what: 'frames until a create is in the page, React, 1,000 rows', against: '' },
        ...{ values: times.map(({ frames }) => frames), target: { atMost: 1 } },
        figures: `${rounded(median(times.map(({ milliseconds }) => milliseconds)))} ms`,
      },
    ]
  } finally {
    await browser.close()
    await Promise.all([started.close(), dev.stop(), page.close()])
  }
}

/** Serves `outbox-page.js` from a page of its origin. */
async function servePage() {
  const { output } = await build({
    input: fileURLToPath(new URL('../tools/outbox-page.js', import.meta.url)),
    ...{ write: false, platform: 'browser', transform: { define: { 'process.env.NODE_ENV': '"production"' } } },
    output: { codeSplitting: false },
  })
  const server = createServer(({ url }, response) => {
    const isCode = url === '/page.js'
    response
      .setHeader('content-type', isCode ? 'text/javascript' : 'text/html')
      .end(isCode ? output[0].code : '<!doctype html>')
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)))
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  return { url: `http://127.0.0.1:${port}/`, close: () => void server.close() }
}
