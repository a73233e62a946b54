/** Measures how long the form of a document with 40 fields takes to be usable in Chromium. */
import { chromium } from 'playwright-core'
import { startChromium } from '../tools/chromium.js'
import { startDev } from '../tools/dev.js'
import { newPath } from '../tools/folders.js'
import { median, rounded } from '../tools/rounds.js'

const rounds = 30
const kinds = [
  { type: 'string' },
  { type: 'string', enum: ['draft', 'review', 'done'] },
  { type: 'integer', min: 0 },
  { type: 'boolean' },
  { type: 'string', format: 'date' },
  { type: 'link', to: 'boards' },
  { type: 'array', items: { type: 'string' } },
  { type: 'string', format: 'markdown' },
]
const schema = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`field${n}`, kinds[n % kinds.length]]))

/** @returns {Promise<import('../tools/table.js').Row[]>} */
export async function measure() {
  const dev = await startDev(newPath())
  await dev.ask('POST', '/collections', { name: 'boards' })
  const { id: board } = await dev.ask('POST', '/collections/boards', { name: 'Launch' })
  await dev.ask('POST', '/collections', { name: 'cards', schema })
  const values = ['Ship it', 'done', 8, true, '2026-11-29', board, ['one', 'two'], '# Words']
  const document = Object.fromEntries(Object.keys(schema).map((name, n) => [name, values[n % values.length]]))
  for (let n = 0; n < rounds; n++) await dev.ask('POST', '/collections/cards', document)

  const server = await startChromium()
  const browser = await chromium.connect(server.address)
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  await page.goto(`${dev.url}/_svc/data/cards#token=${dev.controlToken}`)
  await page.locator('main .grid-row').nth(5).waitFor()
  const times = []
  for (let n = 0; n < rounds; n++) {
    times.push(await page.evaluate(openRow, n % 5))
    await page.keyboard.press('Escape')
    await page.locator('.pane').waitFor({ state: 'detached' })
  }
  await browser.close()
  await server.close()
  await dev.stop()

  // The first form loads its code.
  const [first = 0, ...warm] = times
  return [
    {
      what: 'form of 40 fields, from the click until the first field has the focus',
      against: 'nothing: a limit',
      values: warm,
      target: { atMost: 100 },
      unit: 'ms',
      figures: `first form ${rounded(first)} ms, median ${rounded(median(warm))} ms`,
    },
  ]
}

/**
 * Runs in the page. Clicks a row, waits until all fields are there, and focuses the first one.
 *
 * @param {number} row @returns {Promise<number>} milliseconds
 */
async function openRow(row) {
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
  const fields = () => document.querySelectorAll('.pane .form .f').length
  const target = document.querySelectorAll('main .grid-row')[row]
  if (!(target instanceof HTMLElement)) throw new Error('There is no row.')
  const begunAt = performance.now()
  target.click()
  for (;;) {
    const first = document.querySelector('.pane [id^="field "]')
    if (first instanceof HTMLElement && fields() >= 40) {
      first.focus()
      if (document.activeElement === first) return performance.now() - begunAt
    }
    if (performance.now() - begunAt > 20_000) throw new Error(`${fields()} fields are there.`)
    await frame()
  }
}
