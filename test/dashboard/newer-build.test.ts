/** An open page whose emulator was stopped, upgraded and started again. */
import type { Page } from 'playwright-core'
import { beforeEach, expect, it } from 'vitest'
import { type DashboardWorld, worldsOfFile } from './world.js'

const openWorld = worldsOfFile({ isShared: true })
let world: DashboardWorld
beforeEach(async () => {
  world = await openWorld()
  await world.client.collections.create({ name: 'posts' })
})

/** The page that the emulator serves is of another build from now on, whose scripts are the same but for their names. */
async function upgrade(page: Page): Promise<void> {
  await page.route(`${world.emulator.dashboardUrl}`, async (route) => {
    if (route.request().isNavigationRequest()) return route.continue()
    const answer = await route.fetch()
    await route.fulfill({
      response: answer,
      body: (await answer.text()).replace(/assets\/index-/g, 'assets/index-newer-'),
    })
  })
}

/** Goes to another tab and back, after which the page looks what answers it. */
function lookAway(page: Page): Promise<void> {
  return page.evaluate(() => void document.dispatchEvent(new Event('visibilitychange')))
}

/** By its words, not its role: a dialog hides what is behind it from who hears the page. */
const older = (page: Page) => page.locator('button').filter({ hasText: /^this page is older than svc Reload$/ })

it('loads itself anew once for each build, and says that it is older where that does not help', async () => {
  const { page, goTo } = world
  await goTo('data/posts')
  await page.getByRole('heading', { name: 'No documents yet', exact: true }).waitFor()
  await upgrade(page)
  let loads = 0
  page.on('load', () => loads++)
  await lookAway(page)

  await older(page).waitFor()
  expect(loads).toBe(1)
  await world.expectAccessible()
  await older(page).click()
  await expect.poll(() => loads).toBe(2)
  await older(page).waitFor()
  expect(loads).toBe(2)
  expect(world.faults).toEqual([])
})

it.each([
  [
    'a document',
    'data/posts/new',
    async (page: Page) => {
      await page.locator('.cm-content').click()
      await page.keyboard.insertText('"title": "Typed"')
      await page.getByRole('button', { name: 'Discard', exact: true }).waitFor()
    },
  ],
  [
    'a form',
    'users',
    async (page: Page) => {
      await page.getByRole('button', { name: 'New user', exact: true }).click()
      await page.getByLabel('Email', { exact: true }).fill('ada@example.com')
    },
  ],
] as const)('does not load itself anew while %s is typed', async (_what, path, type) => {
  const { page, goTo } = world
  await goTo(path)
  await type(page)
  await upgrade(page)
  let loads = 0
  page.on('load', () => loads++)
  await lookAway(page)

  await older(page).waitFor()
  expect(loads).toBe(0)
  expect(world.faults).toEqual([])
})
