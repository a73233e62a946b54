/** The template `chat` in a real Chromium: two people, and failures of network and emulator. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OpenBrowser, openChromium } from '../fixtures/chromium.js'
import { openTemplateApp, type TemplateApp, type Typed } from '../fixtures/packages/template-app.js'

let chromium: OpenBrowser
let app: TemplateApp
let emulator: Typed
let ada: Page
let grace: Page
const problems: string[] = []

beforeAll(async () => {
  chromium = await openChromium()
  app = await openTemplateApp('chat', ['vite', 'typescript'])
  emulator = await startEmulator()
  const served = await app.type('npm run dev').until(/http:\/\/localhost:\d+/)
  const address = /http:\/\/localhost:\d+/.exec(served)?.[0] ?? ''
  ada = await enter(address, 'ada@example.com')
  grace = await enter(address, 'grace@example.com')
})
afterAll(async () => {
  await app?.close()
  await chromium?.close()
})

async function startEmulator(): Promise<Typed> {
  const typed = app.type('npx svc dev')
  await typed.until(/\.env\.local has this address and key/)
  return typed
}

async function enter(address: string, email: string): Promise<Page> {
  const context = await chromium.newContext({ viewport: { width: 900, height: 700 } })
  const page = await context.newPage()
  page.on('pageerror', (error) => problems.push(error.message))
  await page.goto(address)
  await page.getByLabel('Email', { exact: true }).fill(email)
  await page.getByLabel('Password').fill('Correct4Horse')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await message(page, 'Hello!').waitFor()
  return page
}

const message = (page: Page, text: string) => page.locator('#messages > li').filter({ hasText: text })
const people = (page: Page) => page.getByLabel('Online').getByRole('listitem').allTextContents()
const picture = (page: Page, name: string) =>
  process.env.PICTURES ? page.screenshot({ path: join(process.env.PICTURES, `chat-${name}.png`) }) : undefined

async function say(page: Page, text: string): Promise<void> {
  await page.getByLabel('Message', { exact: true }).fill(text)
  await page.getByRole('button', { name: 'Send', exact: true }).click()
}

/** Waits until nothing is left to send. */
async function settled(page: Page): Promise<void> {
  await expect.poll(() => page.locator('.outgoing').count(), { timeout: 120_000 }).toBe(0)
}

/** The texts that are stored. */
async function stored(): Promise<string[]> {
  const words = [
    'docs',
    'list',
    'messages',
    '--as',
    'ada@example.com',
    '--sort',
    'createdAt',
    '--limit',
    '100',
    '--json',
  ]
  const { items } = JSON.parse(await app.svc(...words)) as { items: { data: { text: string } }[] }
  return items.map(({ data }) => data.text)
}

test('two people see each other, and what they write and attach', async () => {
  await expect.poll(() => people(ada)).toEqual(['Ada', 'Grace'])
  await say(ada, 'Good morning <b>Grace</b>')
  await message(grace, 'Good morning <b>Grace</b>').waitFor()
  const file = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('compiler') }
  await grace.locator('input[type=file]').setInputFiles(file)
  await say(grace, 'My notes')
  const link = message(ada, 'My notes').getByRole('link', { name: 'notes.txt' })
  const url = (await link.getAttribute('href')) ?? ''
  await settled(grace)
  await picture(ada, 'talk')

  expect(await (await fetch(url)).text()).toBe('compiler')
})

test('an address that is a script is no link', async () => {
  const words = ['key=script', 'name=Eve', 'text=Click', 'fileName=me', 'fileUrl=javascript:alert(1)']
  await app.svc('docs', 'create', 'messages', '--as', 'grace@example.com', ...words)

  await message(ada, 'Click').waitFor()
  expect(await message(ada, 'Click').getByRole('link').count()).toBe(0)
})

test('under flaky faults each message arrives once, in the order in which it was written', async () => {
  await app.svc('faults', 'preset', 'flaky', '--seed', '3')
  const texts = Array.from({ length: 20 }, (_, at) => `Flaky ${at}.`)
  for (const text of texts) await say(ada, text)
  await settled(ada)
  await app.svc('faults', 'remove', '--all')

  expect((await stored()).filter((text) => text.startsWith('Flaky'))).toEqual(texts)
  await message(grace, 'Flaky 19.').waitFor()
  const shown = await grace.locator('#messages p').allTextContents()
  expect(shown.filter((text) => text.startsWith('Flaky'))).toEqual(texts)
})

test('with the emulator killed and started again beneath it, messages and files wait, and it says so', async () => {
  await say(ada, 'On its way')
  await emulator.end('SIGKILL')
  await ada.locator('input[type=file]').setInputFiles({
    ...{ name: 'away.txt', mimeType: 'text/plain' },
    buffer: Buffer.from('written while it was away'),
  })
  await say(ada, 'While away')

  await ada.getByText('Offline. Messages may be missing.').waitFor()
  await message(ada, 'While away')
    .getByText('Not sent yet. Trying again …')
    .or(message(ada, 'On its way').getByText('Not sent yet'))
    .first()
    .waitFor()
  await picture(ada, 'away')
  emulator = await startEmulator()
  await settled(ada)
  await ada.getByText('Offline').waitFor({ state: 'detached' })
  await message(grace, 'While away').getByRole('link', { name: 'away.txt' }).waitFor()

  const found = await stored()
  expect(found.filter((text) => ['On its way', 'While away'].includes(text))).toEqual(['On its way', 'While away'])
})

test('it says why a message was refused, and sends it again when asked', async () => {
  await app.svc('collections', 'permissions', 'messages', '--create', 'editor')
  await say(ada, 'Not for me')
  await message(ada, 'Not for me').getByText('Not sent:').waitFor()
  await picture(ada, 'refused')
  await app.svc('collections', 'permissions', 'messages', '--create', 'authenticated')
  await message(ada, 'Not for me').getByRole('button', { name: 'Send again' }).click()
  await settled(ada)

  expect(await stored()).toContain('Not for me')
})

test('older messages that were refused can be asked for again, and the refusal goes', async () => {
  const rows = Array.from({ length: 60 }, (_, at) => ({ key: `older-${at}`, name: 'Ada', text: `Older ${at}.` }))
  await writeFile(join(app.folder, 'older.json'), JSON.stringify(rows))
  await app.svc('docs', 'import', 'messages', 'older.json', '--as', 'ada@example.com')
  const page = await (await chromium.newContext()).newPage()
  await page.goto(ada.url())
  await page.getByLabel('Email', { exact: true }).fill('grace@example.com')
  await page.getByLabel('Password').fill('Correct4Horse')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  const older = page.getByRole('button', { name: 'Show older' })
  await older.waitFor()
  const notice = page.locator('#notice')

  await app.svc('faults', 'add', 'status', '--status', '400', '--method', 'GET', '--path', '/collections/messages')
  await older.click()
  await expect.poll(() => notice.textContent()).not.toBe('')
  const isLeft = await older.isVisible()
  await app.svc('faults', 'remove', '--all')
  await older.click()
  await message(page, 'Hello!').waitFor()
  const said = await notice.textContent()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByLabel('Email', { exact: true }).waitFor()

  expect(isLeft).toBe(true)
  expect(said).toBe('')
})

test('a sign-up that needs a code asks for it, and there is a way back', async () => {
  await app.svc('project', 'set', 'require2fa:=true')
  const page = await (await chromium.newContext()).newPage()
  await page.goto(ada.url())
  await page.getByLabel('Email', { exact: true }).fill('bob@example.com')
  await page.getByLabel('Password').fill('Correct4Horse')
  await page.getByRole('button', { name: 'New here? Sign up' }).click()
  const code = page.getByLabel('Code from your')
  await code.waitFor()

  await page.getByRole('button', { name: 'Back' }).click()

  await code.waitFor({ state: 'hidden' })
  await app.svc('project', 'set', 'require2fa:=false')
  await page.context().close()
})

test('who leaves is not here any more, and neither is a page that falls silent', async () => {
  await expect.poll(() => people(ada), { timeout: 60_000 }).toEqual(['Ada', 'Grace'])
  await grace.context().close()
  await expect.poll(() => people(ada), { timeout: 60_000 }).toEqual(['Ada'])
  await ada.getByRole('button', { name: 'Sign out' }).click()
  await ada.getByLabel('Email', { exact: true }).waitFor()

  const left = async () =>
    JSON.parse(await app.svc('docs', 'list', 'presence', '--as', 'ada@example.com', '--json')).items
  await expect
    .poll(async () => (await left()).filter(({ data }: { data: { name: string } }) => data.name === 'Ada'))
    .toEqual([])
})

test('its types are those of its seed, it compiles, and it can be built', async () => {
  const generated = await readFile(join(app.folder, 'src/svc-types.ts'), 'utf8')
  const shipped = await readFile(new URL('../../templates/chat/src/svc-types.ts', import.meta.url), 'utf8')

  await app.type('npm run build').until(/built in/, true)

  expect(generated).toBe(shipped)
  expect(problems).toEqual([])
})
