import { beforeEach, expect, it } from 'vitest'
import { type DashboardWorld, untilVersion, worldsOfFile } from './world.js'

const openWorld = worldsOfFile({ isShared: true })
let world: DashboardWorld

beforeEach(async () => {
  world = await openWorld()
  const { collections } = world.client
  await collections.create({ name: 'boards', schema: { name: { type: 'string', required: true } } })
  await collections.create({
    name: 'cards',
    schema: {
      due: { type: 'string', format: 'date' },
      title: { type: 'string', required: true },
      board: { type: 'link', to: 'boards', required: true },
      column: { type: 'string', enum: ['backlog', 'doing', 'review', 'done'], default: 'backlog' },
      points: { type: 'integer', min: 0, max: 13 },
      done: { type: 'boolean' },
      cover: { type: 'file' },
      labels: { type: 'array', items: { type: 'string', enum: ['bug', 'docs', 'email', 'api', 'growth'] } },
      steps: {
        type: 'array',
        items: { type: 'object', fields: { text: { type: 'string' }, done: { type: 'boolean' } } },
      },
    },
  })
})

const field = (name: string) => world.page.getByRole('textbox', { name, exact: true })
const button = (name: string) => world.page.getByRole('button', { name, exact: true })
const segment = (name: string) => world.page.getByRole('radio', { name, exact: true })

it('makes a document without a line of JSON, by keyboard alone', async () => {
  const { page, client, goTo } = world
  const [launch] = await client.collection('boards').createMany([{ name: 'Launch 1.0' }, { name: 'Growth' }])
  await goTo('data/cards/new')
  await page.getByRole('button', { name: '2 to fix: title, board', exact: true }).waitFor()

  await field('title').focus()
  await page.keyboard.type('Ship it')
  await page.locator('[id="field board"]').press('Enter')
  await page.locator('[aria-label="Search boards"]:focus').waitFor()
  await page.keyboard.type('laun')
  await page.locator('.picker [role=option]').filter({ hasText: 'Launch 1.0' }).waitFor()
  await page.locator('.picker [role=option]').filter({ hasText: 'Growth' }).waitFor({ state: 'detached' })
  await page.keyboard.press('Enter')
  await segment('doing').focus()
  await page.keyboard.press('ArrowRight')
  await field('points').focus()
  await page.keyboard.type('8')
  await page.getByRole('switch', { name: 'done', exact: true }).press('Space')
  await page.getByRole('combobox', { name: 'Add to labels', exact: true }).selectOption('email')
  await page.getByRole('combobox', { name: 'Add to labels', exact: true }).selectOption('bug')
  await button('Add item to steps').press('Enter')
  await page.getByRole('textbox', { name: 'steps 1 text', exact: true }).fill('Draft')
  await button('Add item to steps').press('Enter')
  await page.getByRole('textbox', { name: 'steps 2 text', exact: true }).fill('Send')
  await button('Move item 2 of steps').press('ArrowUp')
  await page
    .locator('.file-field input')
    .setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: Buffer.from('x') })
  await page.getByRole('link', { name: 'a.png', exact: true }).waitFor()
  await page.keyboard.press('ControlOrMeta+S')
  await untilVersion(page, 1)

  const [made] = (await client.collection('cards').list()).items
  expect(made?.data).toEqual({
    ...{ title: 'Ship it', board: launch?.id, column: 'review', points: 8, done: true, labels: ['email', 'bug'] },
    steps: [{ text: 'Send' }, { text: 'Draft' }],
    cover: expect.stringMatching(/\/a\.png$/),
  })
  await world.expectAccessible()
  expect(world.faults).toEqual([])
})

it('marks what changed, says what is valid, and sends the changes alone', async () => {
  const { page, client, goTo } = world
  const board = await client.collection('boards').create({ name: 'Launch 1.0' })
  const { id } = await client.collection('cards').create({ title: 'A', board: board.id, points: 8, extra: { a: [1] } })
  await goTo(`data/cards/${id}`)
  await page.getByText('Not in the schema', { exact: true }).waitFor()
  expect(await page.locator('.f > label').allTextContents()).toEqual([
    ...['title*text', 'board*link', 'duedate', 'columnenum', 'pointsint', 'donebool', 'coverfile', 'labelslist'],
    ...['stepslist', 'extraany'],
  ])

  await segment('done').check()
  await field('points').fill('many')
  await page.getByRole('button', { name: '1 to fix: points', exact: true }).click()
  await page.getByText('Use a whole number from 0 to 13.', { exact: true }).waitFor()
  expect(await button('Save Ctrl S').isDisabled()).toBe(true)
  expect(await page.locator('.f.changed > label').allTextContents()).toEqual(['columnenum', 'pointsint'])
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.type('5')
  await button('2 changes').waitFor()
  // The strip follows the form a render later.
  await expect
    .poll(() => page.locator('.bottom code').textContent())
    .toBe(`svc docs update cards ${id} column=done points:=5`)
  const sent = page.waitForRequest((request) => request.method() === 'PATCH' && request.url().includes(id))
  await page.keyboard.press('ControlOrMeta+S')

  expect((await sent).postDataJSON()).toEqual({ data: { column: 'done', points: 5 } })
  await untilVersion(page, 2)
  await page.keyboard.press('ControlOrMeta+J')
  await page.locator('.cm-content').waitFor()
  expect((await client.collection('cards').get(id)).data).toEqual({
    ...{ title: 'A', board: board.id, column: 'done', points: 5, extra: { a: [1] } },
  })
  expect(world.faults).toEqual([])
})

it('shows what the service refuses at its field', async () => {
  const { page, client, goTo, emulator } = world
  const board = await client.collection('boards').create({ name: 'Launch 1.0' })
  const { id } = await client.collection('cards').create({ title: 'A', board: board.id })
  const issue = { loc: ['body', 'title'], msg: '"title" is taken', type: 'duplicate' }
  const error = { code: 'DUPLICATE_VALUE', message: '"title" is taken', issues: [issue] }
  await page.route(`${emulator.url}/collections/cards/${id}`, async (route) => {
    if (route.request().method() === 'GET') await route.continue()
    else await route.fulfill({ status: 409, json: { error } })
  })
  await goTo(`data/cards/${id}`)

  await field('title').fill('B')
  await page.keyboard.press('ControlOrMeta+S')

  await page.locator('.f').filter({ hasText: 'title' }).getByText('"title" is taken', { exact: true }).waitFor()
  expect(await field('title').inputValue()).toBe('B')
})
