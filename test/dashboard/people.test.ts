import { beforeEach, expect, it } from 'vitest'
import { createClient } from '../../client/index.js'
import { textOfQrCode } from '../fixtures/qr-codes.js'
import { controlOf } from '../fixtures/requests/emulator-control.js'
import { type DashboardWorld, worldsOfFile } from './world.js'

const openWorld = worldsOfFile({ isShared: true })
let world: DashboardWorld

beforeEach(async () => {
  world = await openWorld()
})

const row = (text: string) => world.row(text)

it('makes a user, gives roles, and acts as that user, whom permissions bind', async () => {
  const { page, client, goTo } = world
  await client.collections.create({ name: 'news', permissions: { read: ['editor'] } })
  await client.collection('news').create({ title: 'For editors' })
  await goTo('users')

  await page.getByRole('button', { name: 'New user', exact: true }).click()
  await page.getByLabel('Email', { exact: true }).fill('ada@example.com')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByRole('button', { name: 'Act as', exact: true }).click()
  await page.getByTitle('Act as the owner again', { exact: true }).waitFor()
  await goToPage('Data')
  await row('news').click()
  await page.getByRole('alert').getByText('FORBIDDEN', { exact: true }).waitFor()
  await goToPage('Users')
  await row('ada@example.com').click()
  await page.getByLabel('Roles', { exact: true }).fill('editor')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await row('editor').waitFor()
  await page.getByRole('button', { name: 'Save', exact: true }).waitFor({ state: 'detached' })
  await goToPage('Data')
  await row('news').click()
  await row('For editors').waitFor()
  await page.getByTitle('Act as the owner again', { exact: true }).click()

  await page.getByRole('link', { name: 'acting as owner', exact: true }).waitFor()
  await goToPage('Users')
  await world.expectAccessible()
  expect(world.faults).toEqual([])
})

it('fits a window of any width, also while a user is acted as and the clock was moved', async () => {
  const { page, emulator, goTo } = world
  const email = 'ada-of-a-long-name@department.example.com'
  await createClient({ url: emulator.url, apiKey: emulator.apiKey }).auth.signUp({ email, password: 'Correct4Horse' })
  const fits = async (widths: readonly number[]) => {
    for (const width of widths) {
      await page.setViewportSize({ width, height: 800 })
      const wide = await page.evaluate(() => document.documentElement.scrollWidth)
      expect(wide).toBeLessThanOrEqual(width)
    }
  }
  await goTo('users')
  await fits([390, 720, 800, 1099, 1280])

  await controlOf(emulator).clock.change({ advance: 30 * 86_400_000 })
  await page.getByRole('link', { name: 'clock +30 d', exact: true }).waitFor()
  await row(email).click()
  await page.getByRole('button', { name: 'Act as', exact: true }).click()
  await page.getByTitle('Act as the owner again', { exact: true }).waitFor()
  await fits([390, 720, 800, 1099, 1280])
})

it('saves what was typed as a user only as that user, from whom fields may be hidden', async () => {
  const { page, emulator, client, goTo } = world
  await client.collections.create({ name: 'staff', permissions: { hidden: { salary: [] } } })
  const { id } = await client.collection('staff').create({ name: 'First', salary: 5 })
  const app = createClient({ url: emulator.url, apiKey: emulator.apiKey })
  await app.auth.signUp({ email: 'ada@example.com', password: 'Correct4Horse' })
  await goTo('users')
  await row('ada@example.com').click()
  await page.getByRole('button', { name: 'Act as', exact: true }).click()
  const end = page.getByTitle('Act as the owner again', { exact: true })
  await end.waitFor()
  await goToPage('Data')
  await row('staff').click()
  await row('First').click()
  const editor = page.locator('.cm-content')
  await editor.click()
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.insertText('{"name": "Second"}')
  await end.click()
  await page.getByText('edited as ada@example.com', { exact: true }).waitFor()
  expect(await editor.textContent()).toBe('{"name": "Second"}')

  await page.getByRole('button', { name: /^Save/ }).click()
  await page
    .getByRole('alert')
    .getByText(/^You made these edits as ada@example.com/)
    .waitFor()
  expect((await client.collection('staff').get(id)).data).toEqual({ name: 'First', salary: 5 })
  await page.getByRole('button', { name: 'Discard', exact: true }).click()
  await editor.getByText('"salary"', { exact: true }).waitFor()
  await editor.click()
  await page.keyboard.press('ControlOrMeta+Z')
  expect(await editor.textContent()).toContain('"salary"')
  expect(world.faults).toEqual([])
})

it('shows the roles that a user was given elsewhere, and makes users who are asked for a second factor', async () => {
  const { page, emulator, client, goTo } = world
  const control = controlOf(emulator)
  const app = createClient({ url: emulator.url, apiKey: emulator.apiKey })
  await app.auth.signUp({ email: 'ada@example.com', password: 'Correct4Horse' })
  const { id: user } = await app.auth.me()
  await goTo(`users/${user}`)
  const roles = page.locator('.pane').getByLabel('Roles', { exact: true })
  const save = page.locator('.pane').getByRole('button', { name: 'Save', exact: true })
  await roles.waitFor()
  await control.users.update({ user, roles: ['admin'] })
  await expect.poll(() => roles.inputValue()).toBe('admin')
  expect(await save.count()).toBe(0)
  await roles.fill('editor, admin')
  await save.click()
  await save.waitFor({ state: 'detached' })
  expect((await client.users.get(user)).roles).toEqual(['editor', 'admin'])

  await control.projects.update({ project: emulator.projectId, settings: { require2fa: true } })
  await page.getByRole('button', { name: 'New user', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'New user', exact: true })
  await dialog.getByLabel('Email', { exact: true }).fill('Grace@example.com')
  await dialog.getByLabel('Roles', { exact: true }).fill('reader')
  await dialog.getByLabel('Password', { exact: true }).fill('weak')
  await dialog.getByRole('button', { name: 'Create', exact: true }).click()
  await dialog.getByRole('alert').waitFor()
  await dialog.getByLabel('Password', { exact: true }).fill('Correct4Horse')
  await dialog.getByRole('button', { name: 'Create', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  await row('reader').waitFor()

  expect((await client.users.list({ where: { email: 'Grace@example.com' } })).items).toMatchObject([
    { roles: ['reader'], emailVerified: true },
  ])
  expect(world.faults).toEqual([])
})

/** By the navigation: a page that is loaded anew acts as the owner. */
async function goToPage(name: string) {
  await world.page
    .getByRole('navigation', { name: 'Pages', exact: true })
    .getByRole('link', { name: new RegExp(`^${name}\\b`) })
    .click()
  await world.page.getByRole('heading', { name, level: 1, exact: true }).waitFor()
}

it('shows the code of a second factor that logs in, and turns it off', async () => {
  const { page, emulator, goTo } = world
  const app = createClient({ url: emulator.url, apiKey: emulator.apiKey })
  const account = { email: 'grace@example.com', password: 'Correct4Horse' }
  await app.auth.signUp(account)
  const { otpauthUrl } = await app.auth.twoFactor.enable()
  await goTo('users')
  await row(account.email).click()

  const code = page.locator('.pane .code')
  await code.waitFor()
  const drawn = page.getByRole('img', { name: 'QR code for an authenticator app', exact: true }).locator('path')
  expect(textOfQrCode(modulesOf((await drawn.getAttribute('d')) ?? ''))).toBe(otpauthUrl)
  await app.auth.twoFactor.verify((await code.textContent()) ?? '')
  await app.auth.logOut()
  const login = await app.auth.logIn(account)

  expect(login.requires2fa).toBe(true)
  await page.getByRole('button', { name: 'turn off', exact: true }).click()
  await page.locator('.pane').getByText('off', { exact: true }).waitFor()
  expect(await app.auth.logIn(account)).toMatchObject({ requires2fa: false })
  expect(world.faults).toEqual([])
})

/** The modules that a path draws, with the quiet zone of four modules on each side. */
function modulesOf(path: string): boolean[][] {
  const dark = new Set([...path.matchAll(/M(\d+) (\d+)h1v1h-1z/g)].map(([, x, y]) => `${x} ${y}`))
  const side = 5 + Math.max(...[...dark].flatMap((at) => at.split(' ').map(Number)))
  return Array.from({ length: side }, (_, y) => Array.from({ length: side }, (_, x) => dark.has(`${x} ${y}`)))
}

it('shows a mail as it comes, with its link, and runs nothing in it', async () => {
  const { page, emulator, goTo } = world
  await goTo('mail')
  const app = createClient({ url: emulator.url, apiKey: emulator.apiKey })
  await app.auth.signUp({ email: 'lise@example.com', password: 'Correct4Horse' })
  await app.auth.requestPasswordReset('lise@example.com')

  await row('lise@example.com').first().click()
  const link = page.locator('.picked a').first()
  await link.waitFor()
  const frame = page.getByTitle('The mail as HTML', { exact: true })
  expect(await frame.getAttribute('sandbox')).toBe('')
  await page.getByRole('tab', { name: 'Text', exact: true }).click()
  await page
    .getByRole('tabpanel')
    .getByText((await link.getAttribute('href')) ?? '-')
    .waitFor()
  await page.getByRole('tab', { name: 'Raw', exact: true }).click()
  await page
    .getByRole('tabpanel')
    .getByText(/MIME-Version/)
    .waitFor()
  await page.getByLabel('Find by address or subject', { exact: true }).fill('nothing like it')
  await page.getByRole('heading', { name: 'No mail matches', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Show all', exact: true }).click()
  await row('lise@example.com').first().waitFor()

  await world.expectAccessible()
  expect(world.faults).toEqual([])
})
