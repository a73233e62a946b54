/** The template `kanban` in a real Chromium, used by two browsers at once. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OpenBrowser, openChromium } from '../fixtures/chromium.js'
import { openTemplateApp, type TemplateApp, type Typed } from '../fixtures/packages/template-app.js'

const linked = ['vite', 'react', 'react-dom', 'typescript', '@types/react', '@types/react-dom']

let chromium: OpenBrowser
let app: TemplateApp
let emulator: Typed
let emulatorPort = '0'
let address: string
const problems: string[] = []

beforeAll(async () => {
  chromium = await openChromium()
  app = await openTemplateApp('kanban', linked)
  await startEmulator()
  const served = await app.type('npm run dev').until(/http:\/\/localhost:\d+/)
  address = /http:\/\/localhost:\d+/.exec(served)?.[0] ?? ''
})
afterAll(async () => {
  await app?.close()
  await chromium?.close()
})

async function startEmulator(): Promise<void> {
  emulator = app.type(`npx svc dev --port ${emulatorPort}`)
  const said = await emulator.until(/\.env\.local has this address and key/)
  emulatorPort = /http:\/\/127\.0\.0\.1:(\d+)/.exec(said)?.[1] ?? ''
}

async function openAs(email: string, button = 'Sign in'): Promise<Page> {
  const page = await (await chromium.newContext({ viewport: { width: 1000, height: 640 } })).newPage()
  page.on('pageerror', (error) => problems.push(error.message))
  await page.goto(address)
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill('Correct4Horse')
  await page.getByRole('button', { name: button }).click()
  return page
}

async function enter(page: Page, label: string, text: string): Promise<void> {
  await page.getByLabel(label).fill(text)
  await page.getByLabel(label).press('Enter')
}

const column = (page: Page, name: string) => page.getByRole('region', { name })
const card = (page: Page, name: string, title: string) =>
  column(page, name).getByRole('listitem').filter({ hasText: title })
/** Titles of the cards of each column, in order. */
const shown = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('section')].map((section) =>
      [...section.querySelectorAll('li > button:first-child')].map(({ textContent }) => textContent),
    ),
  )
const picture = (page: Page, name: string) =>
  process.env.PICTURES ? page.screenshot({ path: join(process.env.PICTURES, `kanban-${name}.png`) }) : undefined

test('two members move cards, comment and search at once, and nobody else sees the board', async () => {
  const [ada, grace, eve] = [
    await openAs('ada@example.com'),
    await openAs('grace@example.com'),
    await openAs('eve@example.com', 'Sign up'),
  ]
  await enter(ada, 'New board', 'Launch')
  await enter(ada, 'Add member', 'nobody@example.com')
  await ada.getByRole('alert').filter({ hasText: 'Nobody here has the address nobody@example.com.' }).waitFor()
  await enter(ada, 'Add member', 'grace@example.com')
  await grace.getByRole('button', { name: 'Launch' }).waitFor()
  for (const title of ['Write', 'Test', 'Ship']) await enter(ada, 'New card in To do', title)
  await card(grace, 'To do', 'Ship').waitFor()

  await card(grace, 'To do', 'Test').dragTo(column(grace, 'Doing'))
  await card(ada, 'Doing', 'Test').waitFor()
  await card(ada, 'To do', 'Ship').dragTo(card(ada, 'To do', 'Write'))
  await expect.poll(() => shown(grace)).toEqual([['Ship', 'Write'], ['Test'], []])
  await grace.getByRole('button', { name: 'Test', exact: true }).click()
  await enter(grace, 'Comment', 'Almost done')
  await ada.getByRole('button', { name: 'Test', exact: true }).click()
  await ada.getByText('Almost done').waitFor()
  const avatar = { name: 'grace.svg', mimeType: 'image/svg+xml', buffer: Buffer.from(face) }
  await grace.getByLabel('Avatar').setInputFiles(avatar)
  await grace.getByRole('img', { name: 'grace@example.com' }).first().waitFor()
  await ada.reload()
  await ada.getByRole('img', { name: 'grace@example.com' }).first().waitFor()
  await ada.getByLabel('Search').fill('WRI')
  await expect.poll(() => shown(ada)).toEqual([['Write'], [], []])
  await ada.getByLabel('Search').fill('')
  await picture(ada, 'board')

  expect(await eve.getByRole('button', { name: 'Launch' }).count()).toBe(0)
  await eve.getByLabel('New board').waitFor()
  expect(problems).toEqual([])

  // A move while the service is away, and another browser that moved nothing.
  await emulator.end()
  await card(grace, 'To do', 'Write').dragTo(column(grace, 'Done'))
  await card(grace, 'Done', 'Write').waitFor()
  await grace.getByText('Offline').waitFor()
  await startEmulator()
  await card(ada, 'Done', 'Write').waitFor()
  await expect.poll(() => shown(ada)).toEqual([['Ship'], ['Test'], ['Write']])
  await expect.poll(() => shown(grace)).toEqual([['Ship'], ['Test'], ['Write']])
  expect(problems).toEqual([])
})

test('its types are those of its seed, it compiles, and it can be built', async () => {
  const generated = await readFile(join(app.folder, 'src/svc-types.ts'), 'utf8')
  const shipped = await readFile(new URL('../../templates/kanban/src/svc-types.ts', import.meta.url), 'utf8')

  await app.type('npm run build').until(/built in/, true)

  expect(generated).toBe(shipped)
})

const face =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><circle cx="4.5" cy="4.5" r="4.5" fill="teal"/></svg>'
