/** The dashboard in a real Chromium: how much is loaded, how soon it is usable, and the longest wait for a frame. */
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { createJiti } from 'jiti'
import { startDev } from '../tools/dev.js'
import { newPath } from '../tools/folders.js'
import { loadCollections } from '../tools/load-collections.js'
import { rounded } from '../tools/rounds.js'

/** @typedef {import('../tools/dev.js').Dev} Dev @typedef {import('../tools/table.js').Row} Row @typedef {import('playwright-core').Page} Page */

const rounds = 5
const documents = 1_000_000
const requestsPerSecond = 1_000
const soakSeconds = 300

/** @returns {Promise<Row[]>} */
export async function measure() {
  const folder = newPath()
  await loadCollections(folder, { posts: documents })
  const dev = await startDev(folder)
  /** @type {typeof import('../../test/fixtures/chromium.js')} */
  const { openChromium } = await createJiti(import.meta.url).import('../../test/fixtures/chromium.ts')
  const { browser, close } = await openChromium()
  try {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
    const page = await context.newPage()
    await page.goto(`${dev.url}/_svc/#token=${dev.controlToken}`)
    await page.getByRole('navigation', { name: 'Pages' }).waitFor()
    return [
      await loaded(dev),
      await opened(dev, page),
      ...(await scrolled(dev, page)),
      await seenElsewhere(dev, page),
      await typed(dev, page),
      ...(await underRequests(dev, page)),
    ]
  } finally {
    await close()
    await dev.stop()
  }
}

/** Scripts and styles that the first page loads. @param {Dev} dev @returns {Promise<Row>} */
async function loaded({ url }) {
  const page = await (await fetch(`${url}/_svc/`)).text()
  const names = [...page.matchAll(/(?:src|href)="([^"]+\.(?:js|css))"/g)].map(([, name]) => name ?? '')
  let bytes = 0
  for (const name of names) {
    const file = fileURLToPath(new URL(`../../dist/dashboard${name.replace('/_svc', '')}`, import.meta.url))
    bytes += gzipSync(readFileSync(file)).length
  }
  const target = { atMost: 350 }
  return {
    what: 'dashboard: scripts and styles of the first page',
    against: '',
    unit: 'KB gzip',
    values: [bytes / 1024],
    target,
  }
}

/** @param {Dev} dev @param {Page} page @returns {Promise<Row>} */
async function opened({ url }, page) {
  const values = []
  for (let round = 0; round < rounds; round++) {
    const begunAt = performance.now()
    await page.goto(`${url}/_svc/data/posts`)
    await page.getByRole('row').filter({ hasText: 'Post number' }).first().waitFor()
    values.push(performance.now() - begunAt)
  }
  return {
    what: 'dashboard: rows of a collection are there',
    against: 'from opening the page',
    unit: 'ms',
    values,
    target: { atMost: 1_000 },
  }
}

/** The longest wait between two frames while something happens, in milliseconds. @param {Page} page @param {() => Promise<unknown>} work */
async function longestFrame(page, work) {
  await page.evaluate(() => {
    const state = { longest: 0, isOver: false }
    Object.assign(globalThis, { frames: state })
    let before = performance.now()
    const next = () => {
      const now = performance.now()
      state.longest = Math.max(state.longest, now - before)
      before = now
      if (!state.isOver) requestAnimationFrame(next)
    }
    requestAnimationFrame(() => {
      before = performance.now()
      requestAnimationFrame(next)
    })
  })
  await work()
  return page.evaluate(() => {
    const state = Object(globalThis).frames
    state.isOver = true
    return Number(state.longest)
  })
}

/** Scrolls a million documents by the wheel and by jumps. @param {Dev} dev @param {Page} page @returns {Promise<Row[]>} */
async function scrolled({ url }, page) {
  await page.goto(`${url}/_svc/data/posts`)
  await page.getByRole('row').filter({ hasText: 'Post number' }).first().waitFor()
  await page.mouse.move(600, 500)
  const values = []
  for (let round = 0; round < rounds; round++) {
    values.push(
      await longestFrame(page, async () => {
        for (let step = 0; step < 40; step++) {
          await page.mouse.wheel(0, 900)
          await pause(30)
        }
        await page.evaluate((place) => document.querySelector('.grid')?.scrollTo(0, place), 6_000_000 * (round + 1))
        await page.getByRole('row').filter({ hasText: 'Post number' }).first().waitFor()
        await pause(300)
      }),
    )
  }
  return [frameRow('scrolling a collection of 1,000,000 documents', values)]
}

/** @param {string} what @param {number[]} values @returns {Row} */
function frameRow(what, values) {
  return {
    what: `dashboard: ${what}`,
    against: 'the longest wait for a frame',
    unit: 'ms',
    values,
    target: { atMost: 50 },
  }
}

/** @param {Dev} dev @param {Page} page @returns {Promise<Row>} */
async function seenElsewhere(dev, page) {
  await dev.ask('POST', '/collections', { name: 'watched' })
  const { id } = await dev.ask('POST', '/collections/watched', { data: { title: 'first' } })
  await page.goto(`${dev.url}/_svc/data/watched`)
  await page.getByText('first').waitFor()
  const values = []
  for (let round = 0; round < rounds * 2; round++) {
    const title = `edit ${round}`
    const shown = page.evaluate(
      (text) =>
        new Promise((resolve) => {
          const look = () =>
            document.querySelector('.grid-rows')?.textContent?.includes(text)
              ? resolve(Date.now())
              : requestAnimationFrame(look)
          look()
        }),
      title,
    )
    await pause(300)
    await dev.ask('PATCH', `/collections/watched/${id}`, { data: { title } })
    const writtenAt = Date.now()
    values.push(Number(await shown) - writtenAt)
  }
  return {
    what: 'dashboard: an edit made elsewhere is shown',
    against: 'after its answer',
    unit: 'ms',
    values,
    target: { atMost: 200 },
  }
}

/** In the JSON of a document of almost 1 MB. @param {Dev} dev @param {Page} page @returns {Promise<Row>} */
async function typed(dev, page) {
  await dev.ask('POST', '/collections', { name: 'long' })
  const lines = Object.fromEntries(Array.from({ length: 9_000 }, (_, at) => [`line${at}`, 'x'.repeat(85)]))
  const { id } = await dev.ask('POST', '/collections/long', { data: { title: 'long', lines } })
  await page.goto(`${dev.url}/_svc/data/long/${id}`)
  await page.locator('.cm-content').waitFor()
  await page.locator('.cm-line').nth(5).click()
  await page.keyboard.press('End')
  const values = []
  for (let round = 0; round < rounds; round++) {
    values.push(await longestFrame(page, () => page.keyboard.type(' some more words', { delay: 40 })))
  }
  return frameRow('typing into a document of 1 MB', values)
}

/** The page of requests while requests arrive. @param {Dev} dev @param {Page} page @returns {Promise<Row[]>} */
async function underRequests(dev, page) {
  await page.goto(`${dev.url}/_svc/requests`)
  await page.getByRole('heading', { name: 'Requests' }).waitFor()
  const inspector = await page.context().newCDPSession(page)
  await inspector.send('Performance.enable')
  const heap = async () => {
    await inspector.send('HeapProfiler.collectGarbage')
    const { metrics } = await inspector.send('Performance.getMetrics')
    return (metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? Number.NaN) / 2 ** 20
  }
  const values = []
  const heaps = []
  const until = Date.now() + soakSeconds * 1_000
  while (Date.now() < until) {
    values.push(await longestFrame(page, () => requestsFor(dev, 5_000)))
    heaps.push(await heap())
  }
  const growth = (heaps.at(-1) ?? 0) / (heaps[1] ?? 1)
  return [
    { ...frameRow('requests arrive', values), figures: `${requestsPerSecond} a second` },
    {
      what: 'dashboard: memory of the page of requests',
      against: `after ${soakSeconds} s, to after 10 s`,
      values: [growth],
      target: { atMost: 1.5 },
      figures: heaps.map((one) => `${rounded(one)} MB`).join(' '),
    },
  ]
}

/** So many requests a second, spread evenly. @param {Dev} dev @param {number} milliseconds */
async function requestsFor({ url, headers }, milliseconds) {
  const begunAt = Date.now()
  const waiting = new Set()
  let sent = 0
  for (let passed = 0; passed < milliseconds; passed = Date.now() - begunAt) {
    for (; sent < (passed / 1_000) * requestsPerSecond; sent++) {
      const asked = fetch(`${url}/collections/watched`, { headers }).then((answer) => answer.text())
      waiting.add(asked)
      void asked.finally(() => waiting.delete(asked))
    }
    await pause(10)
  }
  await Promise.all(waiting)
}
