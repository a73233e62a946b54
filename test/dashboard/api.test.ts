import { afterAll, beforeAll, expect, it } from 'vitest'
import { dashboardPlace } from '../../cli/target/dashboard-address.js'
import { type DashboardWorld, openDashboard } from './world.js'

let world: DashboardWorld

beforeAll(async () => {
  world = await openDashboard()
  await world.client.collections.create({ name: 'posts', permissions: { create: ['admin'] } })
})
afterAll(() => world.close())

const collection = () => world.page.getByRole('combobox', { name: 'collection path, required' })

it('finds an operation, says what it takes, sends it as several callers and in another dialect, and copies it', async () => {
  const { page, client, emulator } = world
  const answer = page.getByRole('region', { name: 'Answer' })
  expect(dashboardPlace(emulator, 'api', 'documents.create')).toMatch(/\/_svc\/api-reference\/documents\.create$/)
  await page.goto(dashboardPlace(emulator, 'api'))
  await page.getByLabel('Find an operation').fill('create a document')
  await page.getByRole('link', { name: /^POST .*Create a document\.$/ }).click()
  await page.getByRole('region', { name: 'Parameters' }).getByText('idempotency-key').waitFor()
  await world.expectAccessible()

  await page.getByRole('button', { name: 'Try it' }).click()
  await page.getByRole('button', { name: 'Send' }).click()
  await answer.getByText('"collection" is a part of the path').waitFor()
  await collection().fill('posts')
  await page.getByRole('textbox', { name: 'Body', exact: true }).fill('{"title": "Tried"}')
  await page.getByRole('button', { name: 'Send' }).click()
  await answer.getByText(/^401|^403/).waitFor()
  expect(await client.collection('posts').count()).toBe(0)

  await page.getByRole('combobox', { name: 'As', exact: true }).selectOption('secret')
  await page.getByRole('combobox', { name: 'Dialect', exact: true }).selectOption('b')
  await page.getByRole('button', { name: 'Send' }).click()
  await answer.getByText('201 Created').waitFor()
  await answer.getByText('"created_at"').waitFor()
  await world.expectAccessible()
  expect((await client.collection('posts').list()).items.map(({ data }) => data)).toEqual([{ title: 'Tried' }])

  await page.getByRole('button', { name: 'Copy as curl' }).click()
  await page.getByText('Copied a curl command').waitFor()
  const curl = await page.evaluate(() => navigator.clipboard.readText())
  expect(curl).toContain('x-api-key: $SVC_API_KEY')
  expect(curl).toContain("'svc-dialect: b'")
  expect(await page.locator('.bottom code').textContent()).toMatch(/^svc api POST .*posts.* title=Tried -H/)
  await answer.getByRole('link', { name: 'request' }).click()
  await page.getByRole('tab', { name: 'Timing' }).waitFor()
  expect(world.faults).toEqual([])
})

it('shows an answer that has no end as it comes, and one that fails', async () => {
  const { page, client, goTo } = world
  await goTo('api-reference/realtime.sse')
  await page.getByRole('button', { name: 'Try it' }).click()
  await collection().fill('posts')
  await page.getByRole('combobox', { name: 'As', exact: true }).selectOption('secret')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByText('still coming').waitFor()
  await client.collection('posts').create({ title: 'Streamed' })
  await page
    .getByRole('region', { name: 'Answer' })
    .getByText(/Streamed/)
    .first()
    .waitFor()
  await page.getByRole('button', { name: 'Stop' }).click()

  await collection().fill('a/../b c')
  await page.getByRole('button', { name: 'Send' }).click()
  await page
    .getByRole('region', { name: 'Answer' })
    .getByText(/^4\d\d/)
    .waitFor()
  await goTo('api-reference/nothing.such')
  await page.getByText('No operation is called "nothing.such"').waitFor()
  expect(world.faults).toEqual([])
})
