/** The template `react` in a real Chromium: its features, and its behaviour while the network fails or the emulator is down. */
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
let address: string
let emulatorPort = 0
const problems: string[] = []

beforeAll(async () => {
  chromium = await openChromium()
  app = await openTemplateApp('react', linked)
  emulator = await startEmulator()
  const served = await app.type('npm run dev').until(/http:\/\/localhost:\d+/)
  address = /http:\/\/localhost:\d+/.exec(served)?.[0] ?? ''
})
afterAll(async () => {
  await app?.close()
  await chromium?.close()
})

/** Not at the default port, which others may take while it is down. */
async function startEmulator(): Promise<Typed> {
  const typed = app.type(`npx svc dev --port ${emulatorPort}`)
  const said = await typed.until(/\.env\.local has this address and key/)
  const [, port = ''] = /http:\/\/127\.0\.0\.1:(\d+)/.exec(said) ?? []
  emulatorPort = Number(port)
  return typed
}

async function openPage(): Promise<Page> {
  const context = await chromium.newContext({ viewport: { width: 900, height: 700 } })
  const page = await context.newPage()
  page.on('pageerror', (error) => problems.push(error.message))
  await page.goto(address)
  return page
}

async function signIn(page: Page, password = 'Correct4Horse'): Promise<void> {
  await page.getByLabel('Email').fill('ada@example.com')
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

async function openList(): Promise<Page> {
  const page = await openPage()
  await signIn(page)
  await tasks(page).first().waitFor()
  return page
}

const tasks = (page: Page) => page.locator('.tasks > li')
const task = (page: Page, title: string) => tasks(page).filter({ hasText: title })
const picture = (page: Page, name: string) =>
  process.env.PICTURES ? page.screenshot({ path: join(process.env.PICTURES, `react-${name}.png`) }) : undefined

async function add(page: Page, title: string): Promise<void> {
  await page.getByLabel('New task').fill(title)
  await page.getByLabel('New task').press('Enter')
}

/** Stored todos by title: how often, and whether they are done. */
async function stored(): Promise<Record<string, boolean[]>> {
  const answer = await app.svc('docs', 'list', 'tasks', '--as', 'ada@example.com', '--limit', '100', '--json')
  const { items } = JSON.parse(answer) as { items: { data: { title: string; done: boolean } }[] }
  const ofTitle = (title: string) => items.filter(({ data }) => data.title === title).map(({ data }) => data.done)
  return Object.fromEntries(items.map(({ data: { title } }) => [title, ofTitle(title)]))
}

test('somebody signs in by password and through the provider', async () => {
  const page = await openPage()
  await picture(page, 'sign-in')
  await signIn(page, 'wrong')
  await page.getByRole('alert').waitFor()
  await signIn(page)
  await task(page, 'Open this page twice').waitFor()
  await page.getByRole('button', { name: 'Sign out' }).click()

  await page.getByRole('button', { name: 'Sign in with the provider' }).click()
  await page.getByRole('button', { name: /Grace/ }).click()
  await task(page, 'Open this page twice').waitFor()

  expect(new URL(page.url()).search).toBe('')
  await page.context().close()
})

test('one page shows what the other writes', async () => {
  const [page, other] = [await openList(), await openList()]

  await add(page, 'Buy milk')
  await task(other, 'Buy milk').waitFor()
  await task(other, 'Buy milk').getByRole('checkbox').check()
  await page.locator('.tasks > li.done').filter({ hasText: 'Buy milk' }).waitFor()
  await picture(page, 'list')
  await task(page, 'Buy milk').getByRole('button', { name: 'Delete' }).click()

  await task(other, 'Buy milk').waitFor({ state: 'detached' })
  await page.context().close()
  await other.context().close()
})

test('under flaky faults no write is lost and none is doubled, in what is stored and in what is shown', async () => {
  const page = await openList()
  const before = await stored()
  await watchForDoubles(page)
  await app.svc('faults', 'preset', 'flaky', '--seed', '7')
  const titles = Array.from({ length: 30 }, (_, at) => `Flaky ${at}`)
  for (const title of titles) await add(page, title)
  await settled(page)
  for (const title of titles) {
    const exact = tasks(page).filter({ has: page.getByText(title, { exact: true }) })
    await exact.getByRole('checkbox').click()
  }
  await settled(page)
  const hits = JSON.parse(await app.svc('faults', 'list', '--json'))
  await app.svc('faults', 'remove', '--all')

  await expect.poll(() => page.locator('.tasks > li.done').count()).toBe(titles.length)
  const expected = Object.fromEntries(titles.map((title) => [title, [true]]))
  expect(await stored()).toEqual({ ...before, ...expected })
  expect(await doubles(page)).toEqual([])
  expect(await page.getByRole('alert').allTextContents()).toEqual([])
  expect(JSON.stringify(hits)).toMatch(/"hits":[1-9]/)
  await page.context().close()
})

test.each(['SIGTERM', 'SIGKILL'] as const)(
  'with the emulator ended by %s and started again beneath it, writes wait, also through a reload',
  async (signal) => {
    const page = await openList()
    await watchForDoubles(page)
    await add(page, `Before ${signal}`)
    await settled(page)
    // Ended while writes are in flight.
    const titles = Array.from({ length: 5 }, (_, at) => `${signal} ${at}`)
    for (const title of titles) await add(page, title)
    await emulator.end(signal)
    await add(page, `While away ${signal}`)
    await task(page, `Before ${signal}`).getByRole('checkbox').click()

    await page.getByText(/not saved yet. They are kept on this device/).waitFor()
    await page.reload()
    await watchForDoubles(page)
    await page.getByText('Cannot reach the service').waitFor()
    await page.getByText(/not saved yet. They are kept on this device/).waitFor()
    await task(page, `While away ${signal}`).waitFor()
    await picture(page, `away-${signal}`)
    emulator = await startEmulator()
    await settled(page)
    await page.getByText('Cannot reach the service').waitFor({ state: 'detached' })
    await picture(page, `back-${signal}`)

    const found = await stored()
    for (const title of [...titles, `While away ${signal}`]) expect([title, found[title]]).toEqual([title, [false]])
    expect(found[`Before ${signal}`]).toEqual([true])
    expect(await doubles(page)).toEqual([])
    await page.context().close()
  },
)

test('it says why a write was refused, takes it back, and returns the text when it is discarded', async () => {
  const page = await openList()
  await app.svc('collections', 'permissions', 'tasks', '--create', 'editor')

  await add(page, 'Not for me')
  await page.getByRole('alert').filter({ hasText: 'Not saved: “Not for me”' }).waitFor()
  await picture(page, 'refused')
  await task(page, 'Not for me').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Discard' }).click()

  await expect.poll(() => page.getByLabel('New task').inputValue()).toBe('Not for me')
  expect(await page.getByRole('alert').count()).toBe(0)
  await page.context().close()
})

test('its types are those of its seed, it compiles, and it can be built', async () => {
  const generated = await readFile(join(app.folder, 'src/svc-types.ts'), 'utf8')
  const shipped = await readFile(new URL('../../templates/react/src/svc-types.ts', import.meta.url), 'utf8')

  await app.type('npm run build').until(/built in/, true)

  expect(generated).toBe(shipped)
  expect(problems).toEqual([])
})

/** Waits until no write is pending. */
async function settled(page: Page): Promise<void> {
  try {
    await page.locator('.tasks[aria-busy=false]').waitFor({ timeout: 60_000 })
  } catch (error) {
    throw new Error(`It says: ${await page.locator('body').innerText()}`, { cause: error })
  }
  expect(await page.getByText('not saved yet').count()).toBe(0)
}

/** Checks in every frame whether the list shows a title twice. */
async function watchForDoubles(page: Page): Promise<void> {
  await page.evaluate(() => {
    const doubled: string[] = []
    Object.assign(globalThis, { doubled })
    const look = () => {
      const titles = [...document.querySelectorAll('.title')].map(({ textContent }) => textContent ?? '')
      doubled.push(...titles.filter((title, at) => titles.indexOf(title) !== at))
      requestAnimationFrame(look)
    }
    look()
  })
}

function doubles(page: Page): Promise<string[]> {
  return page.evaluate(() => Object(globalThis).doubled)
}
