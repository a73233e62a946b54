import { beforeEach, expect, it } from 'vitest'
import { dashboardPageUrl } from '../../cli/target/dashboard-address.js'
import { type DashboardWorld, worldsOfFile } from './world.js'

const openWorld = worldsOfFile({ isShared: true })
let world: DashboardWorld

beforeEach(async () => {
  world = await openWorld()
  await world.client.collections.create({ name: 'posts', permissions: { create: ['admin'] } })
})

const collection = () => world.page.getByRole('combobox', { name: 'collection path, required', exact: true })

it('finds an operation, says what it takes, sends it as several callers and in another dialect, and copies it', async () => {
  const { page, client, emulator } = world
  const answer = page.getByRole('region', { name: 'Answer', exact: true })
  expect(dashboardPageUrl(emulator, 'api', 'documents.create')).toMatch(/\/_svc\/api-reference\/documents\.create$/)
  await page.goto(dashboardPageUrl(emulator, 'api'))
  await page.getByLabel('Find an operation', { exact: true }).fill('create a document')
  await page.getByRole('link', { name: /^POST .*Create a document\.$/ }).click()
  await page
    .getByRole('region', { name: 'Parameters', exact: true })
    .getByText('idempotency-key', { exact: true })
    .waitFor()
  await world.expectAccessible()

  await page.getByRole('button', { name: 'Try it', exact: true }).click()
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await answer.getByText(/^"collection" is part of the path/).waitFor()
  await collection().fill('posts')
  await page.getByRole('textbox', { name: 'Body', exact: true }).fill('{"title": "Tried"}')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await answer.getByText(/^401|^403/).waitFor()
  expect(await client.collection('posts').count()).toBe(0)

  await page.getByRole('combobox', { name: 'Send as', exact: true }).selectOption('secret')
  await page.getByRole('combobox', { name: 'Dialect', exact: true }).selectOption('b')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await answer.getByText('201 Created', { exact: true }).waitFor()
  await answer.getByText(/^"created_at"/).waitFor()
  const [body, headers] = await Promise.all(['.json', '.rows'].map((each) => answer.locator(each).boundingBox()))
  expect(headers?.y).toBeGreaterThanOrEqual(Number(body?.y) + Number(body?.height))
  await world.expectAccessible()
  expect((await client.collection('posts').list()).items.map(({ data }) => data)).toEqual([{ title: 'Tried' }])

  await page.getByRole('button', { name: 'Copy as curl', exact: true }).click()
  await page.getByText('Copied a curl command', { exact: true }).waitFor()
  const curl = await page.evaluate(() => navigator.clipboard.readText())
  expect(curl).toContain('x-api-key: $SVC_API_KEY')
  expect(curl).toContain("'svc-dialect: b'")
  expect(await page.locator('.bottom code').textContent()).toMatch(/^svc api POST .*posts.* title=Tried -H/)
  await answer.getByRole('link', { name: 'request', exact: true }).click()
  await page.getByRole('tab', { name: 'Timing', exact: true }).waitFor()
  expect(world.faults).toEqual([])
})

it('shows an answer that has no end as it comes, and one that fails', async () => {
  const { page, client, goTo } = world
  await goTo('api-reference/realtime.sse')
  await page.getByRole('button', { name: 'Try it', exact: true }).click()
  await collection().fill('posts')
  await page.getByRole('combobox', { name: 'Send as', exact: true }).selectOption('secret')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page
    .getByRole('region', { name: 'Answer', exact: true })
    .getByText(/still receiving/)
    .waitFor()
  await client.collection('posts').create({ title: 'Streamed' })
  await page
    .getByRole('region', { name: 'Answer', exact: true })
    .getByText(/Streamed/)
    .first()
    .waitFor()
  await page.getByRole('button', { name: 'Stop', exact: true }).click()

  await collection().fill('a/../b c')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page
    .getByRole('region', { name: 'Answer', exact: true })
    .getByText(/^4\d\d /)
    .waitFor()
  await goTo('api-reference/nothing.such')
  await page.getByText(/^Operation "nothing.such" does not exist/).waitFor()
  expect(world.faults).toEqual([])
})
