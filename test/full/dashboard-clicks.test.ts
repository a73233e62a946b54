/** Proof 2 of the dashboard: the main tasks, by clicks only, one after the other. */
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Client, createClient } from '../../client/index.js'
import { type DashboardWorld, worldsOfFile } from '../dashboard/world.js'
import { type AppPage, serveAppPage } from '../fixtures/servers.js'

const openWorld = worldsOfFile()
let world: DashboardWorld
let shop: AppPage
let app: Client

beforeEach(async () => {
  ;[world, shop] = await Promise.all([openWorld(), serveAppPage()])
  const { client, emulator } = world
  app = createClient({ url: emulator.url, apiKey: emulator.apiKey })
  await client.collections.create({ name: 'posts', schema: { views: { type: 'integer' } } })
  await client.collection('posts').createMany([
    { title: 'One', views: 10 },
    { title: 'Two', views: 200 },
    { title: 'Three', views: 300 },
  ])
})
afterEach(() => shop?.close())

const row = (text: string) => world.page.getByRole('row').filter({ hasText: text })
const button = (name: string) => world.page.getByRole('button', { name, exact: true })
const clipboard = () => world.page.evaluate(() => navigator.clipboard.readText())

/** By the navigation, without typing an address. A link has the count of its page beside it. */
async function goToPage(name: string) {
  const navigation = world.page.getByRole('navigation', { name: 'Pages', exact: true })
  await navigation.getByRole('link', { name: new RegExp(`^${name}`) }).click()
  await world.page.getByRole('heading', { name, exact: true, level: 1 }).waitFor()
}

it('everything that people come for is done by clicking', async () => {
  await logInToTheApp()
  await followTheMail()
  await enterTheCode()
  await uploadWithPreview()
  await buildAFilter()
  await mendARefusedRequest()
  await loadASnapshot()
  await undoADeletion()
  await mergeAConflict()

  await world.expectAccessible()
  expect(world.faults).toEqual([])
})

async function logInToTheApp() {
  const { page, emulator, context } = world
  const tab = await context.newPage()
  const query = new URLSearchParams({ returnTo: `${shop.url}/done` })
  const headers = { 'x-api-key': emulator.apiKey }
  const { url } = (await (await fetch(`${emulator.url}/login-idp?${query}`, { headers })).json()) as { url: string }
  await tab.goto(url)
  await tab.getByRole('button', { name: /^Ada Lovelace/ }).click()
  await tab.waitForURL(/\/done\?svc-super-token=/)
  await tab.close()

  await goToPage('Login provider')
  const flow = page.locator('.flows > li').first()
  await flow.getByRole('button', { name: /succeeded/ }).waitFor()
  await flow.getByText('goes to the page of the app', { exact: true }).waitFor()
  await flow.getByText(`${shop.url}/done`, { exact: true }).last().waitFor()
}

async function followTheMail() {
  const { page, context } = world
  await app.auth.signUp({ email: 'lise@example.com', password: 'Correct4Horse' })
  await app.auth.requestVerification()
  await goToPage('Mail')
  await row('lise@example.com').first().click()

  const opened = context.waitForEvent('page')
  await page.locator('.picked a').first().click()
  const tab = await opened
  await tab.waitForLoadState()
  await tab.getByRole('button').first().click()
  await expect.poll(async () => (await app.auth.me()).emailVerified).toBe(true)
  await tab.close()
}

async function enterTheCode() {
  const { page } = world
  await app.auth.twoFactor.enable()
  await goToPage('Users')
  await row('lise@example.com').click()
  await page.getByRole('img', { name: 'QR code for an authenticator app', exact: true }).waitFor()
  const code = page.locator('.pane .code')
  const shown = (await code.textContent()) ?? ''
  await code.locator('..').getByRole('button', { name: 'copy', exact: true }).click()
  await expect.poll(clipboard).toBe(shown)

  expect(await app.auth.twoFactor.verify(await clipboard())).toBeDefined()
}

async function uploadWithPreview() {
  const { page, client } = world
  await goToPage('Files')
  const chosen = page.waitForEvent('filechooser')
  await page.getByText('Upload', { exact: true }).click()
  const file = { name: 'letter.txt', mimeType: 'text/plain', buffer: Buffer.from('The first letter') }
  await (await chosen).setFiles(file)
  await row('letter.txt').click()
  await page.getByText('The first letter', { exact: true }).waitFor()

  expect((await client.files.list()).total).toBe(1)
}

async function buildAFilter() {
  const { page } = world
  await goToPage('Data')
  await row('posts').click()
  await row('Three').waitFor()
  await button('+ Filter').click()
  await page.getByLabel('Field', { exact: true }).fill('views')
  await page.getByLabel('Operator', { exact: true }).selectOption('gte')
  await page.getByLabel('Value', { exact: true }).fill('200')
  await button('Add').click()
  await row('One').waitFor({ state: 'detached' })
  await button('Copy as').click()
  await page.getByRole('menuitem', { name: 'Copy as client code', exact: true }).click()
  await page.getByText(/^Copied client code/).waitFor()

  expect(await clipboard()).toBe(
    "const { items } = await svc.collection('posts').list({ where: { views: { gte: 200 } } })",
  )
}

async function mendARefusedRequest() {
  const { page, client } = world
  await expect(app.collection('posts').create({ views: 'many' })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })
  await goToPage('Requests')
  // A time or a size may have these digits as well.
  await page
    .getByRole('row')
    .filter({ has: page.getByText('422', { exact: true }) })
    .click()
  await page.getByText('Why 422?', { exact: true }).waitFor()
  await page
    .getByText(/"views" is not of type "integer"/)
    .first()
    .waitFor()
  await button('Edit').click()
  await page.getByLabel(/^Body/).fill('{"data": {"title": "Mended", "views": 7}}')
  await button('Send').click()
  await page.locator('.tab-panel .status').getByText(/^201/).waitFor()

  expect(await client.collection('posts').count({ where: { title: 'Mended', views: 7 } })).toBe(1)
}

async function loadASnapshot() {
  const { page, client } = world
  await goToPage('Snapshots')
  await button('Save a snapshot').click()
  await page.getByLabel('Name', { exact: true }).fill('friday')
  await button('Save').click()
  await row('friday').waitFor()
  await client.collection('posts').create({ title: 'Later' })
  await row('friday').click()
  await page.locator('.changes').getByText('+1', { exact: true }).waitFor()
  await button('Load').click()
  await page.getByText(/^Loaded friday/).waitFor()

  expect(await client.collection('posts').count({ where: { title: 'Later' } })).toBe(0)
}

async function undoADeletion() {
  const { page, client } = world
  await goToPage('Data')
  await row('posts').click()
  await row('Two').click()
  await button('Delete').click()
  await page.getByText(/^Deleted Two/).waitFor()
  await expect.poll(() => client.collection('posts').count({ where: { title: 'Two' } })).toBe(0)
  await page.locator('.notice').filter({ hasText: 'Two' }).getByRole('button', { name: 'Undo', exact: true }).click()
  await row('Two').waitFor()

  expect(await client.collection('posts').count({ where: { title: 'Two' } })).toBe(1)
}

async function mergeAConflict() {
  const { page, client } = world
  const posts = client.collection('posts')
  await row('Three').click()
  await page.getByRole('tab', { name: 'JSON', exact: true }).click()
  await page.locator('.cm-content').click()
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.insertText('{"title": "Mine", "views": 301}')
  const [three] = (await posts.list({ where: { title: 'Three' } })).items
  await posts.update(three?.id ?? '', { title: 'Theirs' })
  await page.getByText(/someone else saved version/).waitFor()
  await page.getByRole('button', { name: /^Save/ }).first().click()
  await page.getByText(/^Someone else saved this document/).waitFor()
  await page.getByRole('radio', { name: /^theirs/ }).check()
  await button('Save merged').click()
  await page.getByText(/Someone else saved this document/).waitFor({ state: 'detached' })

  expect((await posts.get(three?.id ?? '')).data).toEqual({ title: 'Theirs', views: 301 })
}
