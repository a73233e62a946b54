/** The templates with pages as a newcomer starts them, in whatever order: they say what is missing, and go on by themselves. */
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, test } from 'vitest'
import { type OpenBrowser, openChromium } from '../fixtures/chromium.js'
import { openTemplateApp, type TemplateApp, type Typed } from '../fixtures/packages/template-app.js'

let chromium: OpenBrowser
let app: TemplateApp | undefined

beforeAll(async () => {
  chromium = await openChromium()
})
afterEach(() => app?.close())
afterAll(() => chromium?.close())

test.each([
  ['react', ['vite', 'react', 'react-dom'], 'Open this page twice'],
  ['chat', ['vite'], 'Hello!'],
])('%s: the page says that svc dev does not run, before its first start and after', async (template, linked, first) => {
  app = await openTemplateApp(template, linked)
  const served = await app.type('npm run dev').until(/http:\/\/localhost:\d+/)
  const page = await chromium.newPage()

  await page.goto(/http:\/\/localhost:\d+/.exec(served)?.[0] ?? '')
  await page.getByText('“npx svc dev” writes them').waitFor()
  const emulator = await startEmulator(app, 0)
  await signIn(page)
  await page.getByText(first).waitFor()
  await emulator.typed.end()
  await page.reload()
  await page.getByText('Cannot reach the service. Trying again … Start it: npx svc dev').waitFor()
  await startEmulator(app, emulator.port)

  await page.getByText(first).waitFor()
  // The react template shows the list that it kept before the service is back.
  await page.getByText('Cannot reach the service').waitFor({ state: 'detached' })
})

/** Not at the default port, which others may take while it is down. */
async function startEmulator(from: TemplateApp, asked: number): Promise<{ typed: Typed; port: number }> {
  const typed = from.type(`npx svc dev --port ${asked}`)
  const said = await typed.until(/\.env\.local has this address and key/)
  return { typed, port: Number(/http:\/\/127\.0\.0\.1:(\d+)/.exec(said)?.[1]) }
}

async function signIn(page: Page): Promise<void> {
  await page.getByLabel('Email', { exact: true }).fill('ada@example.com')
  await page.getByLabel('Password').fill('Correct4Horse')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}
