/** Hidden tabs, which a browser counts among the six connections to a server; and where a stream of events begins. */
import type { Page, Request } from 'playwright-core'
import { beforeEach, expect, it } from 'vitest'
import { controlOf } from '../fixtures/requests/emulator-control.js'
import { type DashboardWorld, worldsOfFile } from './world.js'

const openWorld = worldsOfFile({ isShared: true })
let world: DashboardWorld
beforeEach(async () => {
  world = await openWorld()
  await world.client.collections.create({ name: 'posts' })
})

/** Simulates the events of a tab that is hidden and shown again. */
function become(page: Page, state: 'hidden' | 'visible'): Promise<void> {
  return page.evaluate((next) => {
    Object.defineProperty(document, 'visibilityState', { value: next, configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))
  }, state)
}

const isStream = (request: Request) => new URL(request.url()).pathname === '/_svc/api/events'

/** The streams that a page holds open; from the next load of it on. */
function streamsOf(page: Page): { open(): number } {
  const open = new Set<object>()
  page.on('request', (request) => void (isStream(request) && open.add(request)))
  page.on('requestfailed', (request) => open.delete(request))
  page.on('requestfinished', (request) => open.delete(request))
  return { open: () => open.size }
}

it('closes the streams of hidden tabs, so that a seventh tab is of use, and catches up when one is seen again', async () => {
  const { client, emulator, context, page: first } = world
  const hidden = [first, ...(await Promise.all(Array.from({ length: 4 }, () => context.newPage())))]
  const streams = hidden.map(streamsOf)
  for (const page of hidden) {
    await page.goto(`${emulator.dashboardUrl}data/posts`)
    await page.getByRole('heading', { name: 'No documents yet', exact: true }).waitFor()
  }
  await expect.poll(() => streams.map((each) => each.open())).toEqual([1, 1, 1, 1, 1])
  for (const page of hidden) await become(page, 'hidden')
  await expect.poll(() => streams.map((each) => each.open())).toEqual([0, 0, 0, 0, 0])

  const sixth = await context.newPage()
  await sixth.goto(`${emulator.dashboardUrl}realtime`)
  const seventh = await context.newPage()
  await seventh.goto(`${emulator.dashboardUrl}realtime`)
  for (const title of ['One', 'Two', 'Three']) await client.collection('posts').create({ title })
  await seventh.getByText(/“Three”/).waitFor()
  expect(await first.getByText('Three', { exact: true }).count()).toBe(0)
  await become(first, 'visible')

  await world.row('Three').waitFor()
  expect(streams[0]?.open()).toBe(1)
  await first.getByRole('link', { name: /^Realtime/ }).click()
  for (const title of ['One', 'Two', 'Three']) await first.getByText(new RegExp(`“${title}”`)).waitFor()
  expect(world.faults).toEqual([])
})

it('says where the list of events is not whole, once, and goes on after that', async () => {
  const { client, emulator, page } = world
  const stream = streamsOf(page)
  await page.goto(`${emulator.dashboardUrl}realtime`)
  await client.collection('posts').create({ title: 'Seen' })
  await page.getByText(/“Seen”/).waitFor()
  // As after more than a minute without anybody who follows the changes of documents: the emulator cannot resume there.
  await page.route(/since=/, (route) =>
    route.continue({
      url: route
        .request()
        .url()
        .replace(/since=[^&]+/, 'since=unknown'),
    }),
  )
  const gap = page.getByText('events may be missing here, because the tab was hidden or the emulator was down', {
    exact: true,
  })
  for (let times = 0; times < 2; times++) {
    await become(page, 'hidden')
    await expect.poll(() => stream.open()).toBe(0)
    await become(page, 'visible')
    await expect.poll(() => stream.open()).toBe(1)
    await gap.waitFor()
  }
  await client.collection('posts').create({ title: 'After' })
  await page.getByText(/“After”/).waitFor()

  const lines = await page
    .getByRole('listitem')
    .filter({ hasText: /“After”|“Seen”|missing here/ })
    .allTextContents()
  expect(lines.map((line) => line.match(/After|Seen|missing here/)?.[0])).toEqual(['After', 'missing here', 'Seen'])
  await page.getByRole('combobox', { name: 'Event group', exact: true }).selectOption('mail')
  expect(await gap.count()).toBe(1)
  expect(world.faults).toEqual([])
})

it('goes on as if nothing had been for a look at another tab', async () => {
  const { client, emulator, page } = world
  let opened = 0
  page.on('request', (request) => {
    if (isStream(request)) opened++
  })
  await page.goto(`${emulator.dashboardUrl}data/posts`)
  await expect.poll(() => opened).toBe(1)
  await become(page, 'hidden')
  await become(page, 'visible')
  await client.collection('posts').create({ title: 'Meanwhile' })

  await world.row('Meanwhile').waitFor()
  expect(opened).toBe(1)
  expect(world.faults).toEqual([])
})

it('says that something has changed also of the first change that it sees', async () => {
  const { page, client, emulator, goTo } = world
  await controlOf(emulator).snapshots.save({ project: emulator.projectId, name: 'friday' })
  // An emulator that has just started tells of nothing that was before.
  await page.route(/last=100/, (route) => route.continue({ url: route.request().url().replace('last=100', 'last=0') }))
  await goTo('snapshots/friday')
  await page.getByText('No differences.', { exact: true }).waitFor()
  await page.getByText('the emulator answers', { exact: true }).waitFor({ state: 'attached' })

  await client.collection('posts').create({ title: 'Later' })

  await page.getByText(/^Data has changed since this was read\./).waitFor()
  expect(world.faults).toEqual([])
})

it('marks a document that changes, and none of those that had changed before the page was loaded', async () => {
  const { page, client, goTo } = world
  await page.getByText('the emulator answers', { exact: true }).waitFor({ state: 'attached' })
  await client.collection('posts').create({ title: 'Before' })
  await goTo('data/posts')
  await world.row('Before').waitFor()
  let mayOpen = () => {}
  const isListed = new Promise<void>((resolve) => {
    mayOpen = resolve
  })
  await page.route(/last=100/, async (route) => {
    await isListed
    await route.continue()
  })
  await page.addInitScript(() => {
    new MutationObserver(() => {
      for (const row of document.querySelectorAll('.grid-row.fresh')) window.name += row.textContent
    }).observe(document, { subtree: true, childList: true, attributes: true })
  })
  await page.reload()
  await world.row('Before').waitFor()
  mayOpen()
  await page.getByText('the emulator answers', { exact: true }).waitFor({ state: 'attached' })

  await client.collection('posts').create({ title: 'After' })

  const marked = () => page.evaluate(() => window.name)
  await expect.poll(marked).toContain('After')
  expect(await marked()).not.toContain('Before')
})
