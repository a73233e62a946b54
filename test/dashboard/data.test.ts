import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { controlOf } from '../fixtures/events.js'
import { type DashboardWorld, patience, untilVersion, worldsOfFile } from './world.js'

const openWorld = worldsOfFile({ isShared: true })
let world: DashboardWorld

beforeEach(async () => {
  world = await openWorld()
  await world.client.collections.create({ name: 'authors' })
})
// A fault that a failed test leaves would fail the tests after it.
afterEach(async () => {
  await controlOf(world.emulator).faults.clear({})
})

/** The text of the JSON editor, typed over. */
async function write(text: string) {
  const { page } = world
  const editor = page.locator('.cm-content')
  await editor.click()
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.insertText(text)
}

const row = (text: string) => world.row(text)

it('counts on while the clock of the machine is set back', async () => {
  const { page, client, goTo } = world
  await goTo('data')
  await row('authors').getByText('0', { exact: true }).waitFor()
  await page.evaluate(() => {
    let now = Date.now()
    Date.now = () => {
      now -= 60_000
      return now
    }
  })

  await client.collection('authors').create({ name: 'Ada' })

  await row('authors').getByText('1', { exact: true }).waitFor()
  await page.getByLabel('Find a collection', { exact: true }).fill('nothing like it')
  await page.getByRole('heading', { name: 'No collection matches', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Show all', exact: true }).click()
  await row('authors').waitFor()
})

it('states nothing that it could not read, names the fault that is on, and turns it off', async () => {
  const { page, client, goTo, emulator } = world
  await client.collection('authors').create({ name: 'Ada' })
  const control = controlOf(emulator)
  await control.faults.addPreset({ preset: 'database-down', project: emulator.projectId })

  await goTo()
  await page.getByText(/collections: not loaded/).waitFor()
  await goTo('data/authors')
  await page
    .getByRole('button', { name: /^Remove the faults?$/ })
    .first()
    .waitFor()
  const text = await page.locator('main').innerText()

  expect(text).not.toMatch(/0 documents|no schema|open to any key|No documents yet/)
  expect(text).toContain('Simulated:')
  await page
    .getByRole('button', { name: /^Remove the faults?$/ })
    .first()
    .click()
  await row('Ada').waitFor()
  expect((await control.faults.list({})).faults).toEqual([])
})

it('makes a collection and a document in it, changes it, deletes it, and takes that back', async () => {
  const { page, client, goTo } = world
  await goTo('data')

  await page.getByRole('button', { name: 'New collection', exact: true }).click()
  await page.getByLabel('Name', { exact: true }).fill('posts')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByRole('button', { name: 'New document', exact: true }).first().click()
  await write('{"title": "Hello", "views": 1}')
  await page.getByRole('button', { name: /^Create/ }).click()
  await row('Hello').waitFor()
  await write('{"title": "Hello again", "views": 2}')
  await page.keyboard.press('ControlOrMeta+S')
  await row('Hello again').waitFor()

  const [stored] = (await client.collection('posts').list()).items
  expect(stored?.data).toEqual({ title: 'Hello again', views: 2 })

  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByText('Deleted Hello again', { exact: true }).waitFor()
  await expect.poll(() => client.collection('posts').count()).toBe(0)
  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await row('Hello again').waitFor()
  expect((await client.collection('posts').list()).items).toMatchObject([{ id: stored?.id, data: stored?.data }])
  await world.expectAccessible()
  expect(world.faults).toEqual([])
})

it('filters by what is built, by what is typed, and says the same as code, curl and command', async () => {
  const { page, client, goTo } = world
  await client.collections.create({ name: 'notes' })
  await client.collection('notes').createMany([
    { title: 'One', views: 10, status: 'draft' },
    { title: 'Two', views: 200, status: 'published' },
    { title: 'Three', views: 300, status: 'published' },
  ])
  await goTo('data/notes')
  await row('Three').waitFor()

  await page.getByRole('button', { name: '+ Filter', exact: true }).click()
  await page.getByLabel('Field', { exact: true }).fill('views')
  await page.getByRole('combobox', { name: 'Operator', exact: true }).selectOption('gte')
  await page.getByLabel('Value', { exact: true }).fill('200')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await row('One').waitFor({ state: 'detached' })

  expect(new URL(page.url()).search).toBe('?views__gte=200')
  expect(await page.locator('.bottom code').textContent()).toBe('svc docs list notes --where views__gte=200')
  await page.getByRole('button', { name: 'Copy as', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Copy as client code', exact: true }).click()
  await page.getByText('Copied client code', { exact: true }).waitFor()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
    "const { items } = await svc.collection('notes').list({ where: { views: { gte: 200 } } })",
  )
  await page.getByRole('button', { name: 'Copy as', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Edit the query string', exact: true }).click()
  await page.getByLabel('Query string', { exact: true }).fill('status=draft&orderBy=title&order=asc')
  await page.getByRole('button', { name: 'Apply', exact: true }).click()
  await row('One').waitFor()
  await row('Two').waitFor({ state: 'detached' })
  expect(world.faults).toEqual([])
})

it('shows both sides of a conflict, joins them, says why that is refused, and saves it once it is mended', async () => {
  const { page, client, goTo } = world
  await client.collections.create({ name: 'shared' })
  const { id, version } = await client.collection('shared').create({ title: 'First', views: 1, text: 'same' })
  await goTo(`data/shared/${id}`)
  await write('{"title": "Mine", "views": 2, "text": "same"}')
  await client.collection('shared').update(id, { title: 'Theirs', text: 'changed' }, { ifMatch: version })
  await page.getByText(/^someone else saved version/).waitFor()

  await page.keyboard.press('ControlOrMeta+S')
  const conflict = page.getByText(/^Someone else saved this document/)
  await conflict.waitFor()
  await page.getByRole('radio', { name: /^theirs/ }).check()
  await client.collections.update('shared', { schema: { must: { type: 'string', required: true } } })
  await page.getByRole('button', { name: 'Save merged', exact: true }).click()
  await page.getByRole('alert').getByText('must', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Go on editing', exact: true }).click()
  await conflict.waitFor({ state: 'detached' })
  const joined = { title: 'Theirs', views: 2, text: 'changed' }
  const typed = (await page.locator('.cm-line').allTextContents()).join('\n')
  expect(JSON.parse(typed)).toEqual(joined)
  await write(JSON.stringify({ ...joined, must: 'there' }))
  await page.keyboard.press('ControlOrMeta+S')
  await untilVersion(page, 3)

  expect((await client.collection('shared').get(id)).data).toEqual({ ...joined, must: 'there' })
  expect(world.faults).toEqual([])
})

it('shows what the service says of a field where it stands, and keeps what was typed', async () => {
  const { page, client, goTo } = world
  await client.collections.create({ name: 'strict', schema: { views: { type: 'integer', required: true } } })
  // The editor looks at a text for errors so long after it was opened and after the last key: held from the beginning, in this
  // document alone, until the service has answered.
  await page.addInitScript(() => {
    if (sessionStorage.getItem('isHeld')) return
    sessionStorage.setItem('isHeld', 'true')
    const { setTimeout } = window
    const held: (() => void)[] = []
    const hold = (work: () => void, milliseconds?: number) =>
      milliseconds === 400 ? held.push(work) : setTimeout(work, milliseconds)
    const lookAtTheText = async () => {
      await new Promise((resolve) => setTimeout(resolve, 401))
      return held.splice(0).map((work) => work()).length
    }
    Object.assign(window, { setTimeout: hold, lookAtTheText })
  })
  await goTo('data/strict/new')
  await page.getByRole('tab', { name: 'JSON', exact: true }).click()
  await write('{"views": "many"}')

  await page.getByRole('button', { name: /^Create/ }).click()
  await page
    .getByRole('alert')
    .getByRole('listitem')
    .getByText(/is not of type "integer"/)
    .waitFor()
  const mark = page.locator('.cm-lintRange-error').filter({ hasText: '"many"' })
  await mark.waitFor()
  expect(await page.evaluate('lookAtTheText()')).toBeGreaterThan(0)
  expect(await mark.count()).toBe(1)
  await goTo('users')
  await goTo('data/strict/new')
  await page.getByRole('tab', { name: 'JSON', exact: true }).click()

  expect(await page.locator('.cm-content').textContent()).toBe('{"views": "many"}')
  await page.getByRole('button', { name: 'Discard', exact: true }).click()
  expect(await client.collection('strict').count()).toBe(0)
})

it('shows what changes elsewhere as it happens, and what a document is linked with', async () => {
  const { page, client, goTo } = world
  const author = await client.collection('authors').create({ name: 'Ada' })
  for (const name of ['books', 'shelves']) await client.collections.create({ name })
  await client.collection('shelves').createMany([...Array(21).fill({ 'a&b': author.id }), { 'a&b': 'nobody' }])
  const book = await client.collection('books').create({ title: 'Notes on the engine', author: author.id })
  const other = await client.collection('books').create({ title: 'Another' })
  await goTo('data/books')
  await page.getByRole('button', { name: 'Ada', exact: true }).waitFor()

  await client.collection('books').update(book.id, { title: 'Notes, second edition' })
  await row('Notes, second edition').waitFor()
  // A row is marked for a moment only, which is over by the time that a busy machine has looked.
  const markOfChanged = async () => {
    await client.collection('books').update(other.id, { title: 'Another' })
    return row('Another').getAttribute('class')
  }
  await expect.poll(markOfChanged).toContain('fresh')

  await page.getByRole('button', { name: 'Ada', exact: true }).click()
  await page.getByRole('tab', { name: 'Linked', exact: true }).click()
  await page.getByRole('link', { name: /books.author.*second edition/ }).click()
  await page.getByRole('tab', { name: 'History', exact: true }).click()
  await page.getByRole('button', { name: /^1 created/ }).click()
  await page.getByRole('button', { name: /^2 updated/ }).click()
  await page.getByText('"Notes, second edition"', { exact: true }).waitFor()
  await goTo(`data/authors/${author.id}`)
  await page.getByRole('tab', { name: 'Linked', exact: true }).click()
  await page.getByRole('link', { name: 'all 21', exact: true }).click()
  await page.getByText(/^21 documents match/).waitFor()
  expect(world.faults).toEqual([])
})

it('imports what is pasted from a spreadsheet, changes all that match, and exports it', async () => {
  const { page, client, goTo } = world
  await client.collections.create({ name: 'cities' })
  await goTo('data/cities')
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page
    .getByRole('textbox', { name: 'Or paste it', exact: true })
    .fill('name\tpeople\nBern\t134000\nZürich\t"443,000"')
  await page.getByRole('button', { name: 'Create 2', exact: true }).click()
  await row('Zürich').waitFor()

  await page.getByRole('button', { name: 'More for cities', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Edit all 2', exact: true }).click()
  await page.getByRole('textbox', { name: 'Fields to set', exact: true }).fill('{"country": "CH"}')
  await page.getByRole('button', { name: 'Change 2', exact: true }).click()
  await page.getByText('Changed 2 documents in cities', { exact: true }).waitFor()

  const { items } = await client.collection('cities').list({ sort: 'name' })
  expect(items.map(({ data }) => data)).toEqual([
    { name: 'Bern', people: 134_000, country: 'CH' },
    { name: 'Zürich', people: '443,000', country: 'CH' },
  ])
  // Fields of its own are not those of the service that have their names.
  const [bern] = items
  await client.collection('cities').update(bern?.id ?? '', { id: 'BE', createdAt: 'in 1191', updatedAt: null })
  await page.getByRole('button', { name: 'Export', exact: true }).click()
  await page.getByRole('combobox', { name: 'Format', exact: true }).selectOption('ndjson')
  const saving = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Save file', exact: true }).click()
  const file = await saving
  const lines = (await text(await file.createReadStream())).trim().split('\n')
  expect(lines.map((line) => JSON.parse(line)).sort((one, other) => one.name.localeCompare(other.name))).toMatchObject([
    { id: bern?.id, name: 'Bern', createdAt: 'in 1191', updatedAt: null },
    { id: items[1]?.id, name: 'Zürich', createdAt: items[1]?.createdAt },
  ])
  expect(world.faults).toEqual([])
})

it(
  'runs nothing of a document, and shows what has every kind of name and value',
  async () => {
    const { page, client, goTo } = world
    await client.collections.create({ name: 'hostile' })
    const script = '<img src=x onerror="globalThis.wasRun = true"><script>globalThis.wasRun = true</script>'
    let deep: object = { end: true }
    for (let depth = 0; depth < 50; depth++) deep = { deep }
    const data = JSON.parse(
      JSON.stringify({ title: script, [script]: 1, rtl: '\u202Eright to left', control: 'a\u0001b', deep }),
    )
    Object.defineProperty(data, '__proto__', { value: { polluted: true }, enumerable: true })
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`key${at}`, at]))
    await client
      .collection('hostile')
      .createMany([data, { title: 'many', ...many }, { title: 'long', text: 'x'.repeat(900_000) }])
    await goTo('data/hostile')

    for (const title of [script, 'many', 'long']) {
      await row(title).first().click()
      await page.locator('.cm-content').waitFor()
      await page.getByRole('tab', { name: 'Form', exact: true }).click()
      await page.locator('.form .f').first().waitFor()
      await page.getByRole('tab', { name: 'JSON', exact: true }).click()
    }

    expect(await page.evaluate(() => 'wasRun' in globalThis || 'polluted' in {})).toBe(false)
    expect(world.faults).toEqual([])
  },
  3 * patience,
)

it('loses no key of what is typed fast into a long document', async () => {
  const { page, client, goTo } = world
  await client.collections.create({ name: 'novels' })
  const lines = Object.fromEntries(Array.from({ length: 9_000 }, (_, at) => [`line${at}`, 'x'.repeat(85)]))
  const { id } = await client.collection('novels').create({ a: '', lines })
  await goTo(`data/novels/${id}`)
  await page.locator('.cm-content').waitFor()
  const typed = 'the quick brown fox jumps over the lazy dog '.repeat(3)

  await page.locator('.cm-line').nth(1).click()
  await page.keyboard.press('Home')
  await page.keyboard.type('"typed": "", ')
  for (let step = 0; step < 3; step++) await page.keyboard.press('ArrowLeft')
  await page.keyboard.type(typed)
  await page.keyboard.press('ControlOrMeta+S')

  await expect.poll(async () => (await client.collection('novels').get(id)).version, { timeout: patience }).toBe(2)
  expect((await client.collection('novels').get(id)).data.typed).toBe(typed)
  expect(world.faults).toEqual([])
})
