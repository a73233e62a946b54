/**
 * `npm run pictures`, after a build: renews the pictures of the dashboard in docs/dashboard, from the demo and some traffic of an app.
 * `npm run pictures -- <folder>` puts every page there, wide and narrow, light and dark, to be looked at after a change.
 */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createJiti } from 'jiti'

/** @typedef {import('playwright-core').BrowserContext} BrowserContext @typedef {import('playwright-core').Page} Page */

const root = fileURLToPath(new URL('..', import.meta.url))
const [everything] = process.argv.slice(2)
const sizes = { wide: { width: 1440, height: 900 }, narrow: { width: 390, height: 844 } }
const inDocs = ['home', 'data', 'requests', 'console']
const jiti = createJiti(import.meta.url)
/** @param {string} file */
const built = (file) => import(new URL(`../dist/${file}`, import.meta.url).href)

/** @type {typeof import('../client/index.js')} */
const { createClient } = await built('client/index.js')
/** @type {typeof import('../emulator/dev.js')} */
const { startEmulator } = await built('emulator/dev.js')

/** @type {typeof import('../cli/dev/demo.js')} */
const { loadDemo } = await jiti.import('../cli/dev/demo.ts')
/** @type {typeof import('../cli/seeds/seed-inputs.js')} */
const { ownSeedTarget } = await jiti.import('../cli/seeds/seed-inputs.ts')
/** @type {typeof import('../test/fixtures/chromium.js')} */
const { openChromium } = await jiti.import('../test/fixtures/chromium.ts')
/** @type {typeof import('../cli/target/dashboard-address.js')} */
const { dashboardPages, dashboardPlace } = await jiti.import('../cli/target/dashboard-address.ts')

const dir = mkdtempSync(join(tmpdir(), 'svc-pictures-'))
const emulator = await startEmulator({ dir, memory: false })
const chromium = await openChromium()
try {
  const owner = createClient({ url: emulator.url, apiKey: emulator.apiKey })
  await loadDemo(ownSeedTarget(emulator), owner, console.error)
  const places = await fill(await chromium.newContext())
  /** @type {Awaited<ReturnType<BrowserContext['storageState']>> | undefined} */
  let storageState
  for (const theme of /** @type {const} */ (['light', 'dark'])) {
    for (const [name, viewport] of Object.entries(sizes)) {
      if (everything === undefined && name === 'narrow') continue
      const context = await chromium.newContext({ viewport, colorScheme: theme, reducedMotion: 'reduce', storageState })
      await take(context, theme, name, places)
      // The page has a key of its own; with another one, its earlier requests would be shown as another client's.
      storageState = await context.storageState()
      await context.close()
    }
  }
  // It would reconnect for ever, and the process would not end.
  places.subscription.close()
} finally {
  await chromium.close()
  await emulator.close()
  rmSync(dir, { recursive: true, force: true })
}

/** Does what an app and its users do, so that every page has something to show. @param {BrowserContext} browser */
async function fill(browser) {
  const app = createClient({ url: emulator.url, apiKey: emulator.apiKey })
  const posts = app.collection('posts')
  const [newest] = (await posts.list({ where: { status: 'published' }, sort: '-views', limit: 10 })).items
  const id = newest?.id ?? ''
  await app.auth.signUp({ email: 'mary@example.com', password: 'Correct4Horse', data: { username: 'mary' } })
  await app.auth.requestVerification()
  await app.auth.requestPasswordReset('linus@example.com')
  await app.files.upload(new File(['id,title\n1,A quiet start\n'], 'posts.csv'), { path: 'exports' })
  await app.files.upload(new File(['# Notes\n\nFor tomorrow.\n'], 'notes.md'), { path: 'exports' })
  const subscription = posts.subscribe({ where: { status: 'published' } })
  await subscription.ready
  await posts.update(id, { title: 'A quiet start, revised' })
  await posts.update(id, { views: 950 })
  const draft = await posts.create({ title: 'Something for later', status: 'draft' })
  await posts.delete(draft.id)
  for (const refused of [posts.create({ views: 'many' }), posts.get('01900000-0000-7000-8000-000000000000')]) {
    await refused.catch(() => undefined)
  }
  await posts.count({ where: { views: { gte: 100 } } })
  await logIn(browser)
  await command('POST', `projects/${emulator.projectId}/snapshots`, { name: 'before-the-import' })
  const keys = `projects/${emulator.projectId}/keys`
  await command('POST', keys, { secret: true, name: 'reports', scopes: ['read'], expiresInSeconds: 30 * 86_400 })
  await posts.create({ title: 'Written after the snapshot', status: 'published', views: 3 })
  return { id, subscription }
}

/** A login through the built-in provider. @param {BrowserContext} browser */
async function logIn(browser) {
  const app = createServer((_request, response) => response.end('Logged in'))
  await once(app.listen(0, '127.0.0.1'), 'listening')
  const { port } = /** @type {import('node:net').AddressInfo} */ (app.address())
  const query = new URLSearchParams({ returnTo: `http://127.0.0.1:${port}/done` })
  const answer = await fetch(`${emulator.url}/login-idp?${query}`, { headers: { 'x-api-key': emulator.apiKey } })
  const { url } = /** @type {{ url: string }} */ (await answer.json())
  const page = await browser.newPage()
  await page.goto(url)
  await page.getByRole('button', { name: 'Ada Lovelace' }).click()
  await page.waitForURL(/\/done/)
  await page.close()
  app.close()
}

/** @param {string} method @param {string} path @param {object} body */
async function command(method, path, body) {
  const headers = { 'svc-control-token': emulator.controlToken, 'content-type': 'application/json' }
  const answer = await fetch(`${emulator.url}/_svc/api/${path}`, { method, headers, body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`)
}

/** @param {BrowserContext} context @param {string} theme @param {string} size @param {{ id: string }} places */
async function take(context, theme, size, { id }) {
  const page = await context.newPage()
  await page.goto(`${emulator.dashboardUrl}#token=${emulator.controlToken}`)
  await page.locator('.navigation').waitFor({ state: 'attached' })
  const shown = everything === undefined ? inDocs : [...dashboardPages, 'posts', 'palette', 'new user']
  for (const name of shown) {
    await show(page, name, id)
    await page.waitForFunction(() => document.querySelector('.skeleton') === null)
    // For counts and late rendering.
    await page.waitForTimeout(600)
    const path =
      everything === undefined
        ? join(root, 'docs', 'dashboard', `${name}-${theme}.png`)
        : join(everything, `${name.replace(' ', '-')}-${theme}-${size}.png`)
    await page.screenshot({ path })
    console.log(path)
  }
}

/** @param {Page} page @param {string} name @param {string} id */
async function show(page, name, id) {
  const goTo = (/** @type {string} */ place, /** @type {string} */ below = '') =>
    page.goto(dashboardPlace(emulator, place, below))
  const first = () => page.locator('main').getByRole('row').nth(1).click()
  /** @type {Readonly<Record<string, () => Promise<unknown>>>} */
  const steps = {
    data: () => goTo('data', `posts/${id}`),
    posts: () => goTo('data', 'posts'),
    async console() {
      await goTo('console')
      await page.getByRole('textbox', { name: 'SQL query' }).click()
      await page.keyboard.press('ControlOrMeta+A')
      await page.keyboard.insertText(
        'select title, status, views, created_at\nfrom posts\norder by views desc\nlimit 20',
      )
      await page.keyboard.press('ControlOrMeta+Enter')
      await page.getByText(/\d+ rows/).waitFor()
    },
    palette: () => goTo('home'),
    async 'new user'() {
      await goTo('users')
      await page.getByRole('button', { name: 'New user' }).click()
      await page.getByRole('dialog').waitFor()
    },
  }
  await (steps[name] ?? (() => goTo(name)))()
  await page.locator('main h1').first().waitFor()
  if (name === 'palette') {
    await page.keyboard.press('ControlOrMeta+K')
    await page.getByRole('dialog').waitFor()
  }
  if (['users', 'files', 'mail', 'snapshots'].includes(name)) await first()
  if (name === 'requests') await page.getByRole('row').filter({ hasText: '422' }).first().click()
}
