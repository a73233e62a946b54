import { beforeEach, expect, it } from 'vitest'
import { createClient } from '../../client/index.js'
import { controlOf } from '../fixtures/requests/emulator-control.js'
import { type DashboardWorld, worldsOfFile } from './world.js'

const openWorld = worldsOfFile()
let world: DashboardWorld

beforeEach(async () => {
  world = await openWorld()
})

it('lets the next login of the built-in provider fail, and shows how it ended', async () => {
  const { page, emulator, goTo } = world
  await goTo('provider')
  await page.getByLabel('How the next login fails', { exact: true }).selectOption('no-email')
  await page.getByRole('button', { name: 'Make it fail', exact: true }).click()
  await page.locator('.next-logins .tag').getByText('gives a profile without an email', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'New account', exact: true }).click()
  await page.getByLabel('Id', { exact: true }).fill('emmy')
  await page.getByLabel('Name', { exact: true }).fill('Emmy Noether')
  await page.getByLabel('Email', { exact: true }).fill('emmy@example.com')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Emmy Noether', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Log in', exact: true }).click()
  const login = page.getByRole('link', { name: 'Open the login', exact: true })
  expect(await login.getAttribute('href')).toContain(emulator.url)
  const opened = page.context().waitForEvent('page')
  await login.click()
  const tab = await opened
  await tab.getByText('Emmy Noether', { exact: true }).first().click()
  await tab.waitForURL(/svc-error=no_email_provided/)
  await tab.close()

  await page.getByText('succeeds', { exact: true }).waitFor()
  const flow = page.locator('.flows > li').first()
  await flow.getByRole('button', { name: /no_email_provided/ }).waitFor()
  for (const step of ['asks to log in', 'chooses the account', 'exchanges the code', 'asks who it is']) {
    await flow.getByText(step, { exact: true }).waitFor()
  }
  await world.expectAccessible()
  expect(world.faults).toEqual([])
})

it('follows what the command line changes about the login provider and the keys', async () => {
  const { page, emulator, goTo } = world
  const control = controlOf(emulator)
  await goTo('provider')
  await page.getByText('succeeds', { exact: true }).waitFor()

  await control.idp.accounts.add({ id: 'emmy', name: 'Emmy Noether', email: 'emmy@example.com' })
  await page.getByText('Emmy Noether', { exact: true }).waitFor()
  await control.idp.faults.set({ fault: 'no-email', times: 1 })
  await page.locator('.next-logins .tag').getByText('gives a profile without an email', { exact: true }).waitFor()
  await goTo('settings')
  await page.getByText('public', { exact: true }).first().waitFor()
  await control.keys.create({ project: emulator.projectId, name: 'reports', secret: true })
  await page.getByText('reports', { exact: true }).waitFor()
  expect(world.faults).toEqual([])
})

it('takes a login through the provider, and no other, for a step on Home', async () => {
  const { page, emulator, goTo } = world
  await createClient(emulator).auth.signUp({ email: 'lise@example.com', password: 'Correct4Horse' })
  await goTo()
  await page.getByText('login succeeded', { exact: true }).waitFor()
  await page.getByRole('button', { name: '3 Log in through the provider: mark as done', exact: true }).waitFor()

  await goTo('provider')
  await page.getByRole('button', { name: 'Log in', exact: true }).click()
  const opened = page.context().waitForEvent('page')
  await page.getByRole('link', { name: 'Open the login', exact: true }).click()
  const tab = await opened
  await tab.getByText('Ada Lovelace', { exact: true }).first().click()
  await tab.waitForURL(/svc-super-token=/)
  await tab.close()
  await goTo()

  await page.getByRole('button', { name: 'Log in through the provider: done', exact: true }).waitFor()
  expect(world.faults).toEqual([])
})
