import { beforeEach, expect, it } from 'vitest'
import { type DashboardWorld, worldsOfFile } from './world.js'

const openWorld = worldsOfFile({ isShared: true })
let world: DashboardWorld

beforeEach(async () => {
  world = await openWorld()
  const { client } = world
  await client.collections.create({
    name: 'cards',
    schema: {
      title: { type: 'string', required: true },
      points: { type: 'integer' },
      column: { type: 'string', enum: ['backlog', 'doing', 'done'] },
    },
  })
  for (const title of ['Four', 'Three', 'Two', 'One']) {
    await client.collection('cards').create({ title, points: title.length, column: 'doing' })
  }
})

const box = (at: number) => world.page.locator('.grid-rows .row-box').nth(at)
const button = (name: string | RegExp) => world.page.getByRole('button', { name, exact: true })
const cell = (row: string, text: string) => world.row(row).getByRole('cell', { name: text, exact: true })
const stored = async () => {
  const { items } = await world.client.collection('cards').list()
  return Object.fromEntries(items.map(({ data }) => [data.title, data]))
}

it('selects a range with shift, edits the selected in one form, sends what was touched, and deletes them', async () => {
  const { page, goTo } = world
  await goTo('data/cards?orderBy=createdAt&order=desc')
  await world.row('One').waitFor()
  await box(0).click()
  await box(2).click({ modifiers: ['Shift'] })
  await page.getByText('3 selected', { exact: true }).waitFor()

  await page.keyboard.press('e')
  expect(await page.getByRole('textbox', { name: 'points', exact: true }).getAttribute('placeholder')).toBe('mixed')
  expect(await page.getByRole('radio', { name: 'doing', exact: true }).isChecked()).toBe(true)
  await page.getByRole('textbox', { name: 'points', exact: true }).fill('8')
  const sent = page.waitForRequest(/batch\/documents\/update/)
  await button('Save 3').click()
  const { updates } = (await sent).postDataJSON()
  await page.getByText('Changed 3 documents in cards', { exact: true }).waitFor()

  expect(Object.values(updates)).toEqual(Array(3).fill({ data: { points: 8 } }))
  expect(await stored()).toMatchObject({
    One: { points: 8 },
    Two: { points: 8 },
    Three: { points: 8 },
    Four: { points: 4 },
  })
  await page
    .getByRole('toolbar')
    .getByRole('button', { name: /^Delete/ })
    .click()
  await page.getByText('Deleted 3 documents in cards', { exact: true }).waitFor()
  expect(Object.keys(await stored())).toEqual(['Four'])
  expect(world.faults).toEqual([])
})

it('edits a cell in place: Enter saves, Esc cancels, Tab goes on, and a broken rule says what is valid', async () => {
  const { page, goTo } = world
  await goTo('data/cards')
  await cell('One', '3').dblclick()
  const editor = page.locator('.cell-edit input')
  await editor.fill('many')
  await page.keyboard.press('Enter')
  await page.getByText('Use a whole number.', { exact: true }).waitFor()
  await page.keyboard.press('Escape')
  await editor.waitFor({ state: 'detached' })
  expect(await stored()).toMatchObject({ One: { points: 3 } })

  await cell('One', '3').dblclick()
  await editor.fill('5')
  await page.keyboard.press('Tab')
  await page.locator('.cell-edit select').selectOption('done')
  await cell('One', 'done').waitFor()

  await expect.poll(stored).toMatchObject({ One: { points: 5, column: 'done' }, Two: { points: 3, column: 'doing' } })
  expect(world.faults).toEqual([])
})

it('hides, moves and pins columns, and keeps that for the collection', async () => {
  const { page, goTo } = world
  const heads = () => page.getByRole('columnheader').allTextContents()
  await goTo('data/cards')
  await world.row('One').waitFor()
  expect(await heads()).toEqual(['', 'titletext', 'id', 'pointsint', 'columnenum', 'created'])

  await button(/^Columns/).click()
  await page.getByRole('checkbox', { name: 'id', exact: true }).uncheck()
  await button('Move column').press('ArrowUp')
  await button('Pin points').click()
  await page.keyboard.press('Escape')
  await expect.poll(heads).toEqual(['', 'titletext', 'pointsint', 'columnenum', 'created'])
  await page.reload()

  await expect.poll(heads).toEqual(['', 'titletext', 'pointsint', 'columnenum', 'created'])
  expect(await page.getByRole('columnheader').filter({ hasText: 'points' }).getAttribute('class')).toContain('pinned')
  await button(/^Columns/).click()
  await button('Reset').click()
  await expect.poll(heads).toEqual(['', 'titletext', 'id', 'pointsint', 'columnenum', 'created'])
  await world.expectAccessible()
})

it('moves through the rows by keys that are pressed anywhere on the page', async () => {
  const { page, goTo } = world
  await goTo('data/cards?orderBy=createdAt&order=asc')
  await world.row('One').waitFor()
  const open = (title: string) => page.getByRole('heading', { name: title, exact: true }).waitFor()

  await page.keyboard.press('End')
  await open('One')
  await page.keyboard.press('Home')
  await open('Four')
  await page.keyboard.press('j')
  await open('Three')
  expect(world.faults).toEqual([])
})

it('sorts by several fields, sets the width of a column by mouse and keyboard, and keeps it', async () => {
  const { page, client, goTo } = world
  await client.collection('cards').create({ title: 'Zero', points: 4, column: 'backlog' })
  const titles = () => page.locator('.grid-rows .pinned:nth-child(2)').allTextContents()
  const sort = (name: string) => page.getByRole('columnheader').filter({ hasText: name }).getByRole('button')
  await goTo('data/cards')
  await world.row('Zero').waitFor()

  await sort('points').click()
  await sort('title').click({ modifiers: ['Shift'] })
  await sort('title').click({ modifiers: ['Shift'] })
  await expect.poll(titles).toEqual(['Two', 'One', 'Zero', 'Four', 'Three'])
  await page.getByText('svc docs list cards --sort points,-title', { exact: true }).waitFor()
  await sort('points').click({ modifiers: ['Shift'] })
  await expect.poll(titles).toEqual(['Three', 'Zero', 'Four', 'Two', 'One'])
  await sort('column').click()
  await page.getByText('svc docs list cards --sort column', { exact: true }).waitFor()

  const width = async () => (await page.getByRole('columnheader').filter({ hasText: 'column' }).boundingBox())?.width
  const usual = (await width()) ?? 0
  await sort('column').press('Shift+ArrowRight')
  expect(await width()).toBe(usual + 16)
  const edge = await page.getByRole('columnheader').filter({ hasText: 'column' }).locator('.resize').boundingBox()
  await page.mouse.move((edge?.x ?? 0) + 4, (edge?.y ?? 0) + 8)
  await page.mouse.down()
  await page.mouse.move((edge?.x ?? 0) + 54, (edge?.y ?? 0) + 8)
  await page.mouse.up()
  await expect.poll(width).toBe(usual + 66)
  await page.reload()
  await expect.poll(width).toBe(usual + 66)
  expect(world.faults).toEqual([])
})

it('shows links of a list by title, and draws code without ligatures', async () => {
  const { page, client, goTo } = world
  const { collections } = client
  await collections.create({ name: 'labels', schema: { name: { type: 'string', required: true } } })
  await collections.create({ name: 'tasks', schema: { labels: { type: 'link', to: 'labels', many: true } } })
  const [bug, docs] = await client.collection('labels').createMany([{ name: 'bug' }, { name: 'docs' }])
  await client.collection('tasks').create({ labels: [bug?.id ?? '', docs?.id ?? ''] })
  await goTo('data/tasks')

  await page.getByRole('cell', { name: 'bug +1', exact: true }).waitFor()

  const command = page.locator('.bottom code, .bottom .mono').first()
  expect(await command.evaluate((node) => getComputedStyle(node).fontVariantLigatures)).toBe('none')
})
