/** Copying on a page that has no clipboard, as it has none by http from another machine. */
import { beforeEach, expect, it } from 'vitest'
import { type DashboardWorld, worldsOfFile } from './world.js'

declare const keptClipboard: Clipboard

const openWorld = worldsOfFile({ isShared: true })
let world: DashboardWorld

beforeEach(async () => {
  world = await openWorld()
  await world.page.addInitScript(() => {
    Object.assign(globalThis, { keptClipboard: navigator.clipboard })
    Object.defineProperty(navigator, 'clipboard', { value: undefined })
  })
})

async function signedUp() {
  const { auth } = world.client
  await auth.signUp({ email: 'ada@example.com', password: 'Correct4Horse' })
  const user = await auth.me()
  await auth.logOut()
  return user
}

const copied = () => world.page.evaluate(() => keptClipboard.readText())

async function chooseOf(menu: string, entry: string): Promise<void> {
  await world.page.getByRole('button', { name: menu, exact: true }).click()
  await world.page.getByRole('menuitem', { name: entry, exact: true }).click()
}

it('copies without a clipboard, by menus, buttons and the palette', async () => {
  const { page, client, goTo } = world
  const { id: user } = await signedUp()
  await client.collections.create({ name: 'posts' })
  await client.collection('posts').create({ title: 'One' })
  await goTo('requests')

  await world.row('201').first().click()
  await chooseOf('Copy as', 'client code')
  await page.getByText('Copied client code', { exact: true }).waitFor()
  expect(await copied()).toContain("svc.collection('posts').create({ title: 'One' })")
  await goTo(`users/${user}`)
  await page.getByRole('button', { name: 'copy id', exact: true }).click()
  await page.getByRole('button', { name: 'copied', exact: true }).waitFor()
  expect(await copied()).toBe(user)
  await chooseOf('More', 'Copy a token')
  await page.getByText('Copied a token of a new session', { exact: true }).waitFor()
  expect(await copied()).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/)
  await world.goByPalette('svc clock advance 1h')
  await page.getByText('Copied svc clock advance 1h', { exact: true }).waitFor()
  expect(await copied()).toBe('svc clock advance 1h')
  expect(world.faults).toEqual([])
})

it('says so where nothing can be copied, and draws no token then', async () => {
  const { page, goTo } = world
  const { id: user } = await signedUp()
  await page.addInitScript(() => Object.assign(document, { queryCommandSupported: () => false }))
  const tokens: string[] = []
  page.on('request', (request) => void (/\/token/.test(request.url()) && tokens.push(request.url())))
  await goTo(`users/${user}`)

  await chooseOf('More', 'Copy a token')
  await page.getByText(/^Your browser does not let this page copy\./).waitFor()
  await page.getByRole('button', { name: 'copy id', exact: true }).click()
  await page.getByRole('button', { name: 'not allowed', exact: true }).waitFor()

  expect(tokens).toEqual([])
  expect(world.faults).toEqual([])
})
