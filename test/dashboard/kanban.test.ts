/** Contract 13.1: the model of a kanban app, made in the dashboard without a line of JSON. */
import { beforeEach, expect, it } from 'vitest'
import type { FieldRule } from '../../client/protocol/model/collection.js'
import { type DashboardWorld, worldsOfFile } from './world.js'

const openWorld = worldsOfFile()
let world: DashboardWorld

beforeEach(async () => {
  world = await openWorld()
})

const button = (name: string) => world.page.getByRole('button', { name, exact: true })
const box = (name: string) => world.page.getByRole('textbox', { name, exact: true })
const number = (name: string) => world.page.getByRole('spinbutton', { name, exact: true })
const select = (name: string) => world.page.getByRole('combobox', { name, exact: true })
const check = (name: string) => world.page.getByRole('checkbox', { name, exact: true }).check()
const choose = (name: string) => world.page.getByRole('radio', { name, exact: true }).check()

/** Makes a collection, and opens its empty schema. */
async function createCollection(name: string) {
  await world.goTo('data')
  await world.page.keyboard.press('n')
  await world.page.getByRole('dialog').getByRole('textbox').fill(name)
  await world.page.keyboard.press('Enter')
  await world.page.getByRole('link', { name: 'Schema', exact: true }).click()
  await world.page.getByRole('heading', { name: 'No fields yet', exact: true }).waitFor()
}

/** Adds a field as a form shows it: its name, its type, then its options. */
async function addField(name: string, type: FieldRule['type'] = 'string') {
  await button('Add field N').click()
  await box('field name').fill(name)
  await box('field name').press('Enter')
  if (type !== 'string') await select(`${name} type`).selectOption(type)
}

async function addLink(name: string, to: string, { isMany = false } = {}) {
  await addField(name, 'link')
  await select(`${name} links to`).selectOption(to)
  if (isMany) await world.page.getByRole('switch', { name: `${name} many`, exact: true }).click()
}

async function save(fields: number) {
  await world.page.keyboard.press('ControlOrMeta+S')
  await world.page.getByText(`${fields} fields`, { exact: true }).waitFor()
}

it('makes the model of a kanban app without a line of JSON', async () => {
  const { page, client } = world

  await createCollection('profiles')
  await addLink('user', 'users')
  await check('user required')
  await check('user unique')
  await choose('delete')
  await addField('name')
  await addField('avatar', 'file')
  await save(3)

  await createCollection('boards')
  await addField('name')
  await check('name required')
  await number('name most length').fill('60')
  await addLink('members', 'users', { isMany: true })
  await choose('unset')
  await save(2)

  await createCollection('labels')
  await addField('name')
  await check('name required')
  await addField('color')
  await box('color choices').fill('red,green,blue')
  await box('color choices').press('Enter')
  await addLink('board', 'boards')
  await check('board required')
  await choose('delete')
  await select('Add a group').selectOption('board')
  await select('Add to group 1').selectOption('name')
  await save(3)

  await createCollection('cards')
  await addField('title')
  await check('title required')
  await addField('column')
  await check('column required')
  await box('column choices').fill('backlog,doing,done')
  await box('column choices').press('Enter')
  await page
    .getByRole('radiogroup', { name: 'column default', exact: true })
    .getByRole('radio', { name: 'backlog', exact: true })
    .check()
  await addLink('board', 'boards')
  await check('board required')
  await choose('delete')
  await addLink('assignee', 'users')
  await choose('unset')
  await addLink('labels', 'labels', { isMany: true })
  await addField('due')
  await select('due format').selectOption('date')
  await addField('checklist', 'array')
  await select('checklist items').selectOption('object')
  for (const [at, [name, type]] of [['text', 'string'] as const, ['done', 'boolean'] as const].entries()) {
    await button('Add field to checklist items').click()
    await box(`checklist items field ${at + 1}`).fill(name)
    await box(`checklist items field ${at + 1}`).press('Enter')
    await select(`checklist items ${name} type`).selectOption(type)
  }
  await save(7)
  const types = await page.getByRole('region', { name: 'TypeScript', exact: true }).locator('pre').innerText()

  await createCollection('comments')
  await addLink('card', 'cards')
  await check('card required')
  await choose('delete')
  await addField('text')
  await check('text required')
  await select('text format').selectOption('markdown')
  await save(2)

  const stored = Object.fromEntries(
    (await client.collections.list()).map(({ name, schema, unique }) => [
      name,
      unique ? { schema, unique } : { schema },
    ]),
  )
  expect(stored).toEqual({
    profiles: {
      schema: {
        user: { type: 'link', to: 'users', required: true, unique: true, onDelete: 'delete' },
        name: { type: 'string' },
        avatar: { type: 'file' },
      },
    },
    boards: {
      schema: {
        name: { type: 'string', required: true, maxLength: 60 },
        members: { type: 'link', to: 'users', many: true, onDelete: 'unset' },
      },
    },
    labels: {
      schema: {
        name: { type: 'string', required: true },
        color: { type: 'string', enum: ['red', 'green', 'blue'] },
        board: { type: 'link', to: 'boards', required: true, onDelete: 'delete' },
      },
      unique: [['board', 'name']],
    },
    cards: {
      schema: {
        title: { type: 'string', required: true },
        column: { type: 'string', required: true, enum: ['backlog', 'doing', 'done'], default: 'backlog' },
        board: { type: 'link', to: 'boards', required: true, onDelete: 'delete' },
        assignee: { type: 'link', to: 'users', onDelete: 'unset' },
        labels: { type: 'link', to: 'labels', many: true },
        due: { type: 'string', format: 'date' },
        checklist: {
          type: 'array',
          items: { type: 'object', fields: { text: { type: 'string' }, done: { type: 'boolean' } } },
        },
      },
    },
    comments: {
      schema: {
        card: { type: 'link', to: 'cards', required: true, onDelete: 'delete' },
        text: { type: 'string', required: true, format: 'markdown' },
      },
    },
  })
  expect(types.trim().split(/\n+/)).toEqual([
    "/** A document of the collection 'cards'. */",
    "export interface Card extends Defaults<'column'> {",
    '  title: string',
    "  column: 'backlog' | 'doing' | 'done'",
    "  board: Link<'boards'>",
    "  assignee?: Link<'users'>",
    "  labels?: Link<'labels'>[]",
    '  /** A day: `YYYY-MM-DD`. */',
    '  due?: string',
    '  checklist?: CardChecklist[]',
    '}',
    'export interface CardChecklist {',
    '  text?: string',
    '  done?: boolean',
    '}',
  ])
  expect(world.faults).toEqual([])
})
