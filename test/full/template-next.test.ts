/** The template `next` in a real Chromium, developed and built: its session stays on the server. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OpenBrowser, openChromium } from '../fixtures/chromium.js'
import { openTemplateApp, type TemplateApp } from '../fixtures/packages/template-app.js'

const linked = ['next', 'react', 'react-dom', 'typescript', '@types/node', '@types/react', '@types/react-dom']
const here = fileURLToPath(new URL('.', import.meta.url))

let chromium: OpenBrowser
let app: TemplateApp
const problems: string[] = []

beforeAll(async () => {
  chromium = await openChromium()
  app = await openTemplateApp('next', linked, join(here, 'app-'))
  // Its dependencies are in the repository around it.
  const root = JSON.stringify(join(here, '..', '..'))
  await writeFile(join(app.folder, 'next.config.mjs'), `export default { turbopack: { root: ${root} } }\n`)
  await app.type('npx svc dev --port 0').until(/\.env\.local has this address and key/)
})
afterAll(async () => {
  // First, because Next waits for open streams before it ends.
  await chromium?.close()
  await app?.close()
})

async function serve(line: string): Promise<string> {
  const said = await app.type(line).until(/http:\/\/localhost:\d+[\s\S]*Ready/i)
  return /http:\/\/localhost:\d+/.exec(said)?.[0] ?? ''
}

async function openPage(address: string): Promise<Page> {
  const page = await (await chromium.newContext({ viewport: { width: 900, height: 700 } })).newPage()
  page.on('pageerror', (error) => problems.push(error.message))
  await page.goto(address)
  return page
}

async function signIn(page: Page, password = 'Correct4Horse'): Promise<void> {
  await page.getByLabel('Email').fill('ada@example.com')
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

async function add(page: Page, title: string): Promise<void> {
  await page.getByLabel('New task').fill(title)
  await page.getByLabel('New task').press('Enter')
}

const task = (page: Page, title: string) => page.getByRole('listitem').filter({ hasText: title })

test('a visitor signs in, adds, finishes and deletes tasks, and a second browser follows', async () => {
  const address = await serve('npm run dev')
  const [page, other] = [await openPage(address), await openPage(address)]
  await signIn(page, 'wrong')
  await page.getByRole('alert').filter({ hasText: 'password' }).waitFor()
  await signIn(page)
  await signIn(other)
  await task(other, 'Open this page twice').waitFor()

  await add(page, 'Milk')
  await task(other, 'Milk').waitFor()
  await other.getByRole('button', { name: 'Finish Milk' }).click()
  await page.getByRole('button', { name: 'Reopen Milk' }).waitFor()
  if (process.env.PICTURES) await page.screenshot({ path: join(process.env.PICTURES, 'next.png') })
  await page.getByRole('button', { name: 'Delete Milk' }).click()
  await task(other, 'Milk').waitFor({ state: 'detached' })
  const scripts = await page.evaluate(() => document.cookie)
  const [cookie] = await page.context().cookies()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByLabel('Email').waitFor()

  expect(scripts).toBe('')
  expect(cookie).toMatchObject({ name: 'svc-session', httpOnly: true, secure: true, sameSite: 'Lax' })
  expect(await page.context().cookies()).toEqual([])
  await task(other, 'Open this page twice').waitFor()
  expect(problems).toEqual([])
})

test('it can be built, and answers with and without a session', async () => {
  await app.type('npm run build').until(/Compiled successfully[\s\S]*ƒ \//)
  const address = await serve('npm start -- --port 0')
  const page = await openPage(address)
  await signIn(page)
  await task(page, 'Open this page twice').waitFor()
  const [{ name = '', value = '' } = {}] = await page.context().cookies()

  const text = async (cookie: string) => (await fetch(address, { headers: { cookie } })).text()
  const [known, stranger, forged] = await Promise.all([`${name}=${value}`, '', `${name}=a.b.c`].map(text))
  const changes = await fetch(`${address}/changes`)

  expect(known).toContain('Open this page twice')
  expect(known).toContain('ada@example.com')
  expect(known).not.toContain(value)
  for (const other of [stranger, forged]) {
    expect(other).toContain('Password')
    expect(other).not.toContain('Open this page twice')
  }
  expect(changes.status).toBe(204)
})
