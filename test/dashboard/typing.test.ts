import { afterAll, beforeAll, expect, it } from 'vitest'
import { type DashboardWorld, openDashboard } from './world.js'

let world: DashboardWorld

beforeAll(async () => {
  world = await openDashboard()
  await world.client.collections.create({ name: 'posts', schema: { subtitle: { type: 'string' } } })
})
afterAll(() => world.close())

it('offers the fields of the collection and their usual values while a document is typed', async () => {
  const { page, client, goTo } = world
  const documents = Array.from({ length: 6 }, (_, n) => ({ title: `Post ${n}`, status: n % 2 ? 'draft' : 'published' }))
  await client.collection('posts').createMany(documents)
  await goTo('data/posts/new')
  await page.locator('.cm-content').click()
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.type('{ "sta')
  await page.getByRole('option', { name: /status/ }).click()
  await page.keyboard.type('"pu')
  await page.getByRole('option', { name: 'published' }).click()
  await page.keyboard.type(', "su')
  await page.getByRole('option', { name: /subtitle/ }).click()
  await page.keyboard.type('"About" }')
  await page.keyboard.press('ControlOrMeta+S')
  await page.getByText('version 1').waitFor()

  const { items } = await client.collection('posts').list({ where: { subtitle: 'About' } })
  expect(items.map(({ data }) => data)).toEqual([{ status: 'published', subtitle: 'About' }])
})

it('asks before Esc drops what was typed into a dialog', async () => {
  const { page, goTo } = world
  await goTo('users')
  await page.getByRole('button', { name: 'New user' }).click()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'New user' }).click()
  await page.getByRole('dialog').getByRole('textbox').first().fill('ada@example.com')
  await page.keyboard.press('Escape')

  await page.getByText('Drop what you typed?').waitFor()
  await page.keyboard.press('Enter')
  expect(await page.getByRole('dialog').getByRole('textbox').first().inputValue()).toBe('ada@example.com')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Drop it' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
})

it('reads on in a list of files as far as one scrolls', async () => {
  const { page, client, goTo } = world
  for (let n = 0; n < 130; n++) await client.files.upload(new File(['x'], `file-${n}.txt`))
  await goTo('files')
  await page.getByText('130 files').waitFor()
  const grid = page.getByRole('table', { name: 'Files' })
  await expect.poll(() => grid.getAttribute('aria-rowcount')).toBe('100')
  await grid.evaluate((each) => each.scrollTo(0, 1e6))
  await expect.poll(() => grid.getAttribute('aria-rowcount')).toBe('130')
  await grid.evaluate((each) => each.scrollTo(0, 1e6))
  await page.getByText('file-0.txt').waitFor()
  expect(world.faults).toEqual([])
})
