import { beforeEach, expect, it } from 'vitest'
import { type DashboardWorld, untilVersion, worldsOfFile } from './world.js'

const openWorld = worldsOfFile({ isShared: true })
let world: DashboardWorld

beforeEach(async () => {
  world = await openWorld()
  await world.client.collections.create({ name: 'posts', schema: { subtitle: { type: 'string' } } })
})

it('offers the fields of the collection and their usual values while a document is typed', async () => {
  const { page, client, goTo } = world
  const documents = Array.from({ length: 6 }, (_, n) => ({ title: `Post ${n}`, status: n % 2 ? 'draft' : 'published' }))
  await client.collection('posts').createMany(documents)
  await goTo('data/posts/new')
  await page.getByRole('tab', { name: 'JSON', exact: true }).click()
  await page.locator('.cm-content').click()
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.type('{ "sta')
  await page.getByRole('option', { name: /status/ }).click()
  await page.keyboard.type('"pu')
  await page.getByRole('option', { name: 'published', exact: true }).click()
  await page.keyboard.type(', "su')
  await page.getByRole('option', { name: /subtitle/ }).click()
  await page.keyboard.type('"About" }')
  await page.keyboard.press('ControlOrMeta+S')
  await untilVersion(page, 1)

  const { items } = await client.collection('posts').list({ where: { subtitle: 'About' } })
  expect(items.map(({ data }) => data)).toEqual([{ status: 'published', subtitle: 'About' }])
})

it('asks before Esc or a reload drops what was typed into a dialog, and goes to no other page from it', async () => {
  const { page, goTo } = world
  await goTo('users')
  await page.getByRole('button', { name: 'New user', exact: true }).click()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'New user', exact: true }).click()
  await page.getByRole('dialog').getByRole('textbox').first().fill('ada@example.com')
  await page.keyboard.press('Escape')

  await page.getByText('Discard your changes?', { exact: true }).waitFor()
  await page.keyboard.press('Enter')
  expect(await page.getByRole('dialog').getByRole('textbox').first().inputValue()).toBe('ada@example.com')
  await page.keyboard.press('ControlOrMeta+K')
  expect(await page.locator('.palette-input').count()).toBe(0)
  const asked: string[] = []
  page.on('dialog', (dialog) => asked.push(dialog.type()))
  await page.reload()
  expect(asked).toEqual(['beforeunload'])
  await page.getByRole('button', { name: 'New user', exact: true }).click()
  await page.getByRole('dialog').getByRole('textbox').first().fill('ada@example.com')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Discard', exact: true }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
})

it('reads on in a list of files as far as one scrolls', async () => {
  const { page, client, goTo } = world
  for (let n = 0; n < 104; n++) await client.files.upload(new File(['x'], `file-${n}.txt`))
  await goTo('files')
  await page.getByText(/^104 files /).waitFor()
  const [oldest] = (await client.files.list({ limit: 1, offset: 103 })).items
  let asked = 0
  await page.route(/offset=100/, (route) => {
    asked++
    return route.fulfill({ status: 500, json: {} })
  })
  await goTo(`files/${oldest?.id}`)
  const again = page.getByRole('alert').getByRole('button', { name: 'Try again', exact: true })
  await again.waitFor()
  const askedFirst = asked
  for (let n = 0; n < 20; n++) await page.evaluate(async () => (await fetch(location.href)).text())
  // The last uploads may be told of as late as now, and have it read again; what asks by itself does so each time.
  expect(asked).toBeLessThan(askedFirst + 5)
  await page.unrouteAll()
  await again.click()
  await page
    .getByRole('complementary', { name: 'Selected', exact: true })
    .getByText('file-0.txt', { exact: true })
    .waitFor()
  await goTo('files')
  const grid = page.getByRole('table', { name: 'Files', exact: true })
  await expect.poll(() => grid.getAttribute('aria-rowcount')).toBe('100')
  await grid.evaluate((each) => each.scrollTo(0, 1e6))
  await expect.poll(() => grid.getAttribute('aria-rowcount')).toBe('104')
  await grid.evaluate((each) => each.scrollTo(0, 1e6))
  await page.getByText('file-0.txt', { exact: true }).waitFor()
  expect(world.faults).toEqual([])
})
