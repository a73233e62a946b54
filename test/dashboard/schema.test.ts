import { beforeEach, expect, it } from 'vitest'
import { type DashboardWorld, worldsOfFile } from './world.js'

const openWorld = worldsOfFile({ isShared: true })
let world: DashboardWorld

beforeEach(async () => {
  world = await openWorld()
  await world.client.collections.create({ name: 'boards' })
  await world.client.collections.create({ name: 'cards' })
})

const button = (name: string) => world.page.getByRole('button', { name, exact: true })
const box = (name: string) => world.page.getByRole('textbox', { name, exact: true })
const select = (name: string) => world.page.getByRole('combobox', { name, exact: true })

it('makes a schema without a line of JSON, by keyboard alone', async () => {
  const { page, client, goTo } = world
  await goTo('data/cards')
  await page.getByRole('link', { name: 'Schema', exact: true }).press('Enter')
  await page.getByRole('heading', { name: 'No fields yet', exact: true }).waitFor()

  await page.keyboard.press('n')
  await page.locator('[aria-label="field name"]:focus').waitFor()
  await page.keyboard.type('title')
  await page.keyboard.press('Enter')
  await page.getByRole('checkbox', { name: 'title required', exact: true }).press('Space')
  await page.getByRole('spinbutton', { name: 'title most length', exact: true }).fill('120')
  await button('Add field N').press('Enter')
  await box('field name').fill('column')
  await box('field name').press('Enter')
  await box('column choices').pressSequentially('backlog,doing')
  await box('column choices').press('Enter')
  await button('Add field N').press('Enter')
  await box('field name').fill('board')
  await box('field name').press('Enter')
  await select('board type').selectOption('link')
  await select('board links to').selectOption('boards')
  await page.getByRole('radio', { name: 'delete', exact: true }).press('Space')
  await button('Move board').press('ArrowUp')
  await button('Add field N').press('Enter')
  await box('field name').fill('steps')
  await box('field name').press('Enter')
  await select('steps type').selectOption('array')
  await select('steps items').selectOption('object')
  await button('Add field to steps items').press('Enter')
  await box('steps items field 1').fill('text')
  await box('steps items field 1').press('Enter')
  await page.getByText('4 changes', { exact: true }).waitFor()
  await page.keyboard.press('ControlOrMeta+S')
  await page.getByText('4 fields', { exact: true }).waitFor()

  const { schema } = await client.collections.get('cards')
  expect(schema).toEqual({
    title: { type: 'string', required: true, maxLength: 120 },
    board: { type: 'link', to: 'boards', onDelete: 'delete' },
    column: { type: 'string', enum: ['backlog', 'doing'] },
    steps: { type: 'array', items: { type: 'object', fields: { text: { type: 'string' } } } },
  })
  await world.expectAccessible()
  expect(world.faults).toEqual([])
})

it('strikes out what contradicts, with the reason, and keeps changes while another tab is open', async () => {
  const { page, client, goTo } = world
  const schema = { board: { type: 'link', to: 'boards', required: true }, labels: { type: 'array' } } as const
  await client.collections.update('cards', { schema })
  await goTo('data/cards/schema')
  await button('board').click()

  expect(await page.getByRole('radio', { name: 'unset', exact: true }).isDisabled()).toBe(true)
  await page.getByText(/unset needs a field that is not required\./).waitFor()
  expect(await page.getByRole('checkbox', { name: 'labels unique', exact: true }).count()).toBe(0)
  await page.getByRole('checkbox', { name: 'board required', exact: true }).uncheck()
  await page.getByRole('radio', { name: 'unset', exact: true }).check()
  await page.getByRole('link', { name: /^Documents/ }).click()
  await page.getByRole('link', { name: 'Schema', exact: true }).click()

  await page.getByText('board: onDelete unset, required removed', { exact: true }).waitFor()
  await button('Discard').click()
  await page.getByText(/^Nothing yet\./).waitFor()
  expect((await client.collections.get('cards')).schema).toEqual(schema)
})

it('contract 13.2 shows which documents a change breaks, how to repair them, and what cannot be saved', async () => {
  const { page, client, goTo } = world
  const schema = { points: { type: 'integer' }, slug: { type: 'string' } } as const
  await client.collections.update('cards', { schema })
  const cards = client.collection('cards')
  const { id } = await cards.create({ points: 21, slug: 'fix', title: 'Fix the login' })
  const twice = await cards.create({ points: 3, slug: 'fix' })
  await goTo('data/cards/schema')
  await button('points').click()

  await page.getByRole('spinbutton', { name: 'points max', exact: true }).fill('13')

  await page.getByText('1 document breaks "max". An update that sends points has to fit.', { exact: true }).waitFor()
  await page.getByText('svc docs update cards --where points__gt=13 points:=13', { exact: true }).waitFor()
  const link = page.locator(`.effect.warn a[href$="/data/cards/${id}"]`)
  await link.getByText('Fix the login', { exact: true }).waitFor()
  await page.getByRole('checkbox', { name: 'slug unique', exact: true }).check()
  await page.locator(`.effect.bad a[href$="/data/cards/${twice.id}"]`).waitFor()
  await page.getByText('Cannot be saved: 1 document repeats a value of an earlier one.', { exact: true }).waitFor()
  expect(await page.getByRole('button', { name: /^Save/ }).isDisabled()).toBe(true)
  await world.expectAccessible()
  await cards.delete(twice.id)
  await page.evaluate(() => dispatchEvent(new Event('visibilitychange')))
  await page.getByText('The only document fits.', { exact: true }).waitFor()
  expect(world.faults).toEqual([])
})

it('infers the fields that documents have, and shows the TypeScript before it is saved', async () => {
  const { page, client, goTo } = world
  const board = await client.collection('boards').create({ name: 'Launch' })
  const ids = { board: board.id, boards: [board.id] }
  const made = Array.from({ length: 40 }, (_, at) => ({
    ...ids,
    title: `Card ${at}`,
    points: at,
    steps: [{ text: 'a' }],
  }))
  await client.collection('cards').createMany([...made, { ...ids, title: 'Last', points: 1, steps: [], note: 'rare' }])
  await client.collections.update('cards', { schema: { title: { type: 'string' } } })
  await goTo('data/cards/schema')

  await button('Infer from 41 documents').click()
  await button('Add 4 of 5').click()

  const inferred = page.getByRole('region', { name: 'Inferred', exact: true })
  await inferred.getByText('1 of 41', { exact: true }).waitFor()
  expect(await inferred.getByRole('button').allInnerTexts()).toEqual(['Add'])
  const types = page.getByRole('region', { name: 'TypeScript', exact: true })
  expect(await types.locator('.changed').allInnerTexts()).toEqual([
    "  board: Link<'boards'>\n",
    "  boards: Link<'boards'>[]\n",
    '  /** An integer. */\n',
    '  points: number\n',
    '  steps: CardStep[]\n',
    'export interface CardStep {\n',
    '  text: string\n',
  ])
  await page.getByText('as it will be · 7 new lines', { exact: true }).waitFor()
  await button('Add note').click()
  await page.getByText('The schema has each field that the documents have.', { exact: true }).waitFor()
  await world.expectAccessible()
  await page.keyboard.press('ControlOrMeta+S')
  await page.getByText('6 fields', { exact: true }).waitFor()
  expect((await client.collections.get('cards')).schema).toEqual({
    title: { type: 'string' },
    board: { type: 'link', to: 'boards', required: true },
    boards: { type: 'link', to: 'boards', many: true, required: true },
    points: { type: 'integer', required: true },
    steps: {
      type: 'array',
      required: true,
      items: { type: 'object', fields: { text: { type: 'string', required: true } } },
    },
    note: { type: 'string' },
  })
  expect(world.faults).toEqual([])
})
