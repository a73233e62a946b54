/** The dashboard of an emulator that keeps its data in PostgreSQL. */
import { afterEach, beforeEach, expect, it } from 'vitest'
import { dashboardPages, dashboardPageUrl } from '../../cli/target/dashboard-address.js'
import { type DashboardWorld, worldsOfFile } from '../dashboard/world.js'
import { type Databases, openDatabases } from '../fixtures/databases/shared-server.js'

let databases: Databases
// Called last: the world is closed first.
afterEach(() => databases?.stop())
const openWorld = worldsOfFile()
let world: DashboardWorld
beforeEach(async () => {
  databases = await openDatabases()
  world = await openWorld({ databaseUrl: databases.url })
})

it('every page opens and says no error, a query is run, and a deletion is undone', async () => {
  const { page, client, emulator, goTo } = world
  await client.collections.create({ name: 'authors' })
  await client.collections.create({ name: 'posts' })
  const { id: author } = await client.collection('authors').create({ name: 'Ada' })
  const { id } = await client.collection('posts').create({ title: 'Hello', author })
  await client.auth.signUp({ email: 'ada@example.com', password: 'Correct4Horse' })
  await client.auth.requestVerification()
  await client.auth.logOut()
  await client.files.upload(new File(['Hello'], 'hello.txt'))
  const { items: users } = await client.users.list()

  await goTo()
  const server = `postgres://${new URL(databases.url).host}${new URL(databases.url).pathname}`
  await page.getByText(new RegExp(`Data is saved in ${server}\\.$`)).waitFor()
  await page.locator('.rows').getByText(server, { exact: true }).waitFor()
  const places = [
    ...dashboardPages.map((name) => [name, ''] as const),
    ['data', 'posts'],
    ['users', users[0]?.id],
  ] as const
  for (const [name, below] of places) {
    await page.goto(dashboardPageUrl(emulator, name, below))
    await page.locator('main h1').first().waitFor()
    await expect.poll(() => page.locator('.skeleton').count(), { message: name, timeout: 60_000 }).toBe(0)
    expect(await page.locator('.failure').allTextContents(), name).toEqual([])
  }
  await goTo('console')
  await page.getByRole('textbox', { name: 'SQL query', exact: true }).click()
  await page.keyboard.insertText('select title from posts')
  await page.keyboard.press('ControlOrMeta+Enter')
  await page.getByRole('row').filter({ hasText: 'Hello' }).waitFor()

  await goTo(`data/posts/${id}`)
  for (const tab of ['Form', 'Linked', 'History']) {
    await page.getByRole('tab', { name: new RegExp(`^${tab}`) }).click()
    await page.locator('.skeleton').waitFor({ state: 'detached' })
  }
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByText(/^Deleted Hello/).waitFor()
  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await page.getByText(/^Undone/).waitFor()

  expect((await client.collection('posts').get(id)).data.title).toBe('Hello')
  expect(world.faults).toEqual([])
})
