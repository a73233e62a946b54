import { create as createQrCode } from 'qrcode'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { createClient } from '../../client/index.js'
import { type DashboardWorld, openDashboard } from './world.js'

let world: DashboardWorld

beforeAll(async () => {
  world = await openDashboard()
})
afterAll(() => world.close())
beforeEach(() => {
  world.faults.length = 0
})

const row = (text: string) => world.page.getByRole('row').filter({ hasText: text })

it('makes a user, gives roles, and acts as that user, whom permissions bind', async () => {
  const { page, client, goTo } = world
  await client.collections.create({ name: 'news', permissions: { read: ['editor'] } })
  await client.collection('news').create({ title: 'For editors' })
  await goTo('users')

  await page.getByRole('button', { name: 'New user' }).click()
  await page.getByLabel('Email', { exact: true }).fill('ada@example.com')
  await page.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('button', { name: 'Act as', exact: true }).click()
  await page.getByTitle('Act as the owner again').waitFor()
  await goToPage('Data')
  await row('news').click()
  await page.getByRole('alert').getByText('FORBIDDEN').waitFor()
  await goToPage('Users')
  await row('ada@example.com').click()
  await page.getByLabel('Roles').fill('editor')
  await page.getByRole('button', { name: 'Save' }).click()
  await row('editor').waitFor()
  await goToPage('Data')
  await row('news').click()
  await row('For editors').waitFor()
  await page.getByTitle('Act as the owner again').click()

  await page.getByText('acting as owner').waitFor()
  await goToPage('Users')
  await world.expectAccessible()
  expect(world.faults).toEqual([])
})

/** By the navigation: a page that is loaded anew acts as the owner. */
async function goToPage(name: string) {
  await world.page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name }).click()
  await world.page.getByRole('heading', { name, level: 1 }).waitFor()
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
  const drawn = page.getByRole('img', { name: 'QR code for an authenticator app' }).locator('path')
  expect(modulesOf((await drawn.getAttribute('d')) ?? '')).toEqual(darkModules(otpauthUrl))
  await app.auth.twoFactor.verify((await code.textContent()) ?? '')
  await app.auth.logOut()
  const login = await app.auth.logIn(account)

  expect(login.requires2fa).toBe(true)
  await page.getByRole('button', { name: 'turn off' }).click()
  await page.locator('.pane').getByText('off', { exact: true }).waitFor()
  expect(await app.auth.logIn(account)).toMatchObject({ requires2fa: false })
  expect(world.faults).toEqual([])
})

/** Where the squares of a path are, without the quiet zone of four modules. */
function modulesOf(path: string): string[] {
  return [...path.matchAll(/M(\d+) (\d+)h1v1h-1z/g)].map(([, x, y]) => `${Number(x) - 4} ${Number(y) - 4}`)
}

function darkModules(text: string): string[] {
  const { modules } = createQrCode(text, { errorCorrectionLevel: 'M' })
  const all = Array.from(modules.data, (isDark, at) => ({ isDark, at }))
  return all.filter(({ isDark }) => isDark).map(({ at }) => `${at % modules.size} ${Math.floor(at / modules.size)}`)
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
  const frame = page.getByTitle('The mail as HTML')
  expect(await frame.getAttribute('sandbox')).toBe('')
  await page.getByRole('tab', { name: 'Text' }).click()
  await page
    .getByRole('tabpanel')
    .getByText((await link.getAttribute('href')) ?? '-')
    .waitFor()
  await page.getByRole('tab', { name: 'Raw' }).click()
  await page.getByRole('tabpanel').getByText('MIME-Version').waitFor()

  await world.expectAccessible()
  expect(world.faults).toEqual([])
})

it('lets the next login of the built-in provider fail, and shows how it ended', async () => {
  const { page, emulator, goTo } = world
  await goTo('provider')
  await page.getByLabel('How the next login fails').selectOption('no-email')
  await page.getByRole('button', { name: 'Let it fail' }).click()
  await page.locator('.next-logins .tag').getByText('gives a profile without an email').waitFor()
  await page.getByRole('button', { name: 'New account' }).click()
  await page.getByLabel('Id', { exact: true }).fill('emmy')
  await page.getByLabel('Name', { exact: true }).fill('Emmy Noether')
  await page.getByLabel('Email', { exact: true }).fill('emmy@example.com')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Emmy Noether').waitFor()
  await page.getByRole('button', { name: 'Log in', exact: true }).click()
  const login = page.getByRole('link', { name: 'Open the login' })
  expect(await login.getAttribute('href')).toContain(emulator.url)
  const opened = page.context().waitForEvent('page')
  await login.click()
  const tab = await opened
  await tab.getByText('Emmy Noether').first().click()
  await tab.waitForURL(/svc-error=no_email_provided/)
  await tab.close()

  await page.getByText('succeeds').waitFor()
  const flow = page.locator('.flows > li').first()
  await flow.getByRole('button', { name: 'no_email_provided' }).waitFor()
  for (const step of ['asks to log in', 'chooses the account', 'exchanges the code', 'asks who it is']) {
    await flow.getByText(step).waitFor()
  }
  await world.expectAccessible()
  expect(world.faults).toEqual([])
})
