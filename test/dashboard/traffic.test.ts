import { readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { createClient } from '../../client/index.js'
import { type DashboardWorld, openDashboard } from './world.js'

let world: DashboardWorld

beforeAll(async () => {
  world = await openDashboard()
  await world.client.collections.create({ name: 'posts', schema: { views: { type: 'integer' } } })
})
afterAll(() => world.close())
beforeEach(() => {
  world.faults.length = 0
})

const row = (text: string) => world.page.getByRole('row').filter({ hasText: text })

it('explains a refused request, and sends it again, mended', async () => {
  const { page, emulator, client, goTo } = world
  const app = createClient({ url: emulator.url, apiKey: emulator.apiKey })
  await app
    .collection('posts')
    .create({ views: 'many' })
    .catch(() => undefined)
  await goTo('requests')

  await row('422').click()
  await page.getByText('Why 422?').waitFor()
  await page.getByText('"views" is not of type "integer"').first().waitFor()
  await page.getByRole('tab', { name: /^SQL/ }).click()
  // Of statements whose values are secrets there is none.
  await page.getByRole('button', { name: 'plan' }).nth(1).click()
  await page.locator('.plan').getByText(/cost=/).first().waitFor()
  await page.getByRole('tab', { name: 'Timing' }).click()
  await page.getByText('waiting for the database').waitFor()
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByLabel('Body').fill('{"data": {"views": 7}}')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByText('The answer was').waitFor()
  await page.locator('.tab-panel .status').getByText('201').waitFor()

  expect((await client.collection('posts').list()).items).toMatchObject([{ data: { views: 7 } }])
  await page.getByRole('button', { name: 'Copy as' }).click()
  await page.getByRole('menuitem', { name: 'client code' }).click()
  await page.getByText('Copied client code').waitFor()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(
    "svc.collection('posts').create({ views: 'many' })",
  )
  await world.expectAccessible()
  expect(world.faults).toEqual([])
})

it('shows who listens and closes one, and what happens as it happens', async () => {
  const { page, emulator, goTo } = world
  const app = createClient({ url: emulator.url, apiKey: emulator.apiKey })
  const subscription = app.collection('posts').subscribe({ where: { views: { gte: 5 } }, onChange: () => undefined })
  await subscription.ready
  await goTo('realtime')

  await page.getByText('"views').first().waitFor()
  await page.getByRole('button', { name: 'Close' }).first().click()
  await page.getByText('connection closed').first().waitFor()
  await page.getByRole('button', { name: 'Send an event' }).click()
  await page.getByLabel('Fields').fill('{"views": 8, "title": "By hand"}')
  await page.getByRole('button', { name: 'Write' }).click()
  await page.getByText('“By hand”').waitFor()

  subscription.close()
  await world.expectAccessible()
  expect(world.faults).toEqual([])
})

it('uploads by drop with a preview, deletes, and takes that back', async () => {
  const { page, client, goTo } = world
  await goTo('files')
  const folder = join(tmpdir(), `svc-upload-${process.pid}.txt`)
  await writeFile(folder, 'The first letter')
  const dropped = await page.evaluateHandle(
    async (text) => {
      const data = new DataTransfer()
      data.items.add(new File([text], 'letter.txt', { type: 'text/plain' }))
      return data
    },
    await readFile(folder, 'utf8'),
  )

  await page.locator('.drop').dispatchEvent('drop', { dataTransfer: dropped })
  await row('letter.txt').click()
  await page.getByText('The first letter').waitFor()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByText('Deleted letter.txt').waitFor()
  expect((await client.files.list()).total).toBe(0)
  await page.getByRole('button', { name: 'Undo' }).click()
  await row('letter.txt').waitFor()

  const [file] = (await client.files.list()).items
  expect(await (await client.files.download(file?.url ?? '')).text()).toBe('The first letter')
  await world.expectAccessible()
  expect(world.faults).toEqual([])
})

it('saves a snapshot, shows what has changed since, and loads it', async () => {
  const { page, client, goTo } = world
  await goTo('snapshots')
  const before = await client.collection('posts').count()
  await page.getByRole('button', { name: 'Save a snapshot' }).click()
  await page.getByLabel('Name', { exact: true }).fill('friday')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await row('friday').waitFor()
  await client.collection('posts').create({ title: 'Later' })

  await row('friday').click()
  await page.locator('.changes').getByText('+1').waitFor()
  await page.getByRole('button', { name: 'Load' }).click()
  await page.getByText('Loaded friday').waitFor()

  expect(await client.collection('posts').count()).toBe(before)
  await world.expectAccessible()
  expect(world.faults).toEqual([])
})

it('adds and removes faults, moves the clock, and changes settings with undo', async () => {
  const { page, emulator, goTo } = world
  await goTo('simulate')
  await page.getByLabel('Kind').selectOption('status')
  await page.getByLabel('Path').fill('/collections/nothing/**')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByText('/collections/nothing/**').waitFor()
  await page.getByRole('button', { name: 'Remove', exact: true }).click()
  await page.getByText('nothing is disturbed').waitFor()
  await page.getByRole('button', { name: '+30 days' }).click()
  await page.getByRole('link', { name: 'clock +30 d' }).waitFor()
  await page.getByRole('button', { name: 'Reset' }).click()
  await page.getByText('clock real').waitFor()
  await world.expectAccessible()

  await goTo('settings')
  await page.getByLabel('tokenTtl').fill('60')
  await page.locator('li').filter({ hasText: 'tokenTtl' }).getByRole('button', { name: 'Set' }).click()
  await page.getByText('Changed tokenTtl').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => page.getByLabel('tokenTtl').inputValue()).toBe('604800')
  await world.expectAccessible()
  expect(emulator.url).toContain('127.0.0.1')
  expect(world.faults).toEqual([])
})

it('goes anywhere by the palette and the keyboard alone, and shows the way on Home', async () => {
  const { page, client, goTo } = world
  await client.collection('posts').create({ title: 'One' })
  await goTo()
  await page.getByText('First five minutes').waitFor()
  await world.expectAccessible()

  await page.keyboard.press('ControlOrMeta+K')
  await page.keyboard.type('posts')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'posts', level: 1 }).waitFor()
  await page.keyboard.press('n')
  await page.locator('.cm-content:focus').waitFor()
  await page.keyboard.press('Escape')
  await page.getByText('New document in posts').waitFor({ state: 'detached' })
  await page.getByRole('table', { name: 'Documents of posts' }).focus()
  await page.keyboard.press('j')
  await page.getByRole('complementary', { name: 'Selected' }).waitFor()
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard' }).waitFor()
  await page.keyboard.press('Escape')
  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByRole('button', { name: 'Pages' }).click()
  await page.getByRole('link', { name: 'Mail' }).click()
  await page.getByRole('heading', { name: 'Mail', exact: true }).waitFor()
  await page.setViewportSize({ width: 1440, height: 900 })
  expect(world.faults).toEqual([])
})
