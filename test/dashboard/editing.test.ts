import { beforeEach, expect, it } from 'vitest'
import { type DashboardWorld, untilVersion, worldsOfFile } from './world.js'

const openWorld = worldsOfFile({ isShared: true })
let world: DashboardWorld

beforeEach(async () => {
  world = await openWorld()
  await world.client.collections.create({ name: 'posts' })
})

const row = (text: string) => world.row(text)

it('creates once, however often it is saved, and keeps what is typed while it is being saved', async () => {
  const { page, client, goTo, emulator } = world
  await goTo('data/posts/new')
  await page.locator('.cm-content').click()
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.insertText('{"title": "Once", "text": ""}')
  let answer = () => {}
  const held = new Promise<void>((resolve) => {
    answer = resolve
  })
  await page.route(`${emulator.url}/collections/posts`, async (route) => {
    if (route.request().method() === 'POST') await held
    await route.continue()
  })

  await page.keyboard.press('ControlOrMeta+S')
  await page.keyboard.press('ControlOrMeta+S')
  await page.keyboard.press('ControlOrMeta+End')
  for (const _ of '"}') await page.keyboard.press('ArrowLeft')
  await page.keyboard.insertText('later')
  answer()
  await row('Once').waitFor()
  await untilVersion(page, 1)

  expect(await client.collection('posts').count()).toBe(1)
  expect(await page.locator('.cm-content').textContent()).toContain('later')
  await page.unrouteAll()
  await page.keyboard.press('ControlOrMeta+S')
  await untilVersion(page, 2)
  expect((await client.collection('posts').list()).items).toMatchObject([{ data: { title: 'Once', text: 'later' } }])
  expect(world.faults).toEqual([])
})

it('takes a number in a field as it is typed', async () => {
  const { page, client, goTo } = world
  const { id } = await client.collection('posts').create({ title: 'Number', price: 1 })
  await goTo(`data/posts/${id}`)
  await page.getByRole('tab', { name: 'Form', exact: true }).click()

  await page.getByRole('textbox', { name: 'price', exact: true }).click()
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.type('1.05')
  await page.keyboard.press('ControlOrMeta+S')
  await untilVersion(page, 2)

  expect((await client.collection('posts').get(id)).data).toEqual({ title: 'Number', price: 1.05 })
})

it('takes back each of several deletions, whatever is said in between', async () => {
  const { page, client, goTo } = world
  await client.collection('posts').createMany([{ title: 'First' }, { title: 'Second' }])
  await goTo('data/posts')
  await page.evaluate(stayFor, 120_000)
  for (const title of ['First', 'Second']) {
    await row(title).click()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByText(`Deleted ${title}`, { exact: true }).waitFor()
  }
  await page.getByRole('button', { name: 'Copy as', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Copy as curl', exact: true }).click()
  await page.getByText('Copied a curl command', { exact: true }).waitFor()

  for (const title of ['Second', 'First']) {
    await page.locator('.notice').filter({ hasText: title }).getByRole('button', { name: 'Undo', exact: true }).click()
    await row(title).waitFor()
  }
  expect(await client.collection('posts').count({ where: { title: { in: ['First', 'Second'] } } })).toBe(2)
  expect(world.faults).toEqual([])
})

it('closes no notice that somebody points at', async () => {
  const { page, client, goTo } = world
  await client.collection('posts').create({ title: 'Pointed at' })
  await goTo('data/posts')
  await page.evaluate(holdTimers)
  const endTimers = () => page.evaluate(() => Object(globalThis).endTimers())
  await row('Pointed at').click()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  const notice = page.locator('.notice').filter({ hasText: 'Deleted Pointed at' })
  await notice.hover()
  for (let n = 0; n < 3; n++) await endTimers()
  await notice.getByRole('button', { name: 'Undo', exact: true }).waitFor()

  await page.mouse.move(0, 0)
  await endTimers()
  await notice.waitFor({ state: 'detached' })
})

it('keeps its token when an address brings one that cannot be of this folder', async () => {
  const { page, emulator } = world
  await page.goto(`${emulator.dashboardUrl}users#token=made-up-by-another-page`)
  await page.getByRole('heading', { name: 'Users', level: 1, exact: true }).waitFor()

  await page.evaluate(() => {
    location.hash = '#token=made-up-once-more'
  })
  await page.reload()

  await page.getByRole('heading', { name: 'Users', level: 1, exact: true }).waitFor()
  expect(world.faults).toEqual([])
})

it('says that a document was deleted elsewhere, and makes another one of what is typed', async () => {
  const { page, client, goTo } = world
  const { id } = await client.collection('posts').create({ title: 'Gone' })
  await goTo(`data/posts/${id}`)
  await page.locator('.cm-content').waitFor()
  await client.collection('posts').delete(id)
  await page.getByText('This document no longer exists.', { exact: true }).waitFor()

  await page.getByRole('button', { name: 'Create it again from this text', exact: true }).click()
  await row('Gone').waitFor()

  expect(await client.collection('posts').count({ where: { title: 'Gone' } })).toBe(1)
})

it('a second conflict takes what the other person had saved before for theirs', async () => {
  const { page, client, goTo } = world
  const { id } = await client.collection('posts').create({ a: 1, b: 1 })
  await goTo(`data/posts/${id}`)
  await page.locator('.cm-content').click()
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.insertText('{"a": 2, "b": 1}')
  await client.collection('posts').update(id, { b: 9 })
  await page.getByText('someone else saved version 2', { exact: true }).waitFor()
  await page.keyboard.press('ControlOrMeta+S')
  await page.getByText(/^Version 2 is stored\./).waitFor()

  await client.collection('posts').update(id, { b: 1 })
  await page.getByRole('button', { name: 'Save merged', exact: true }).click()
  await page.getByText(/^Version 3 is stored\./).waitFor()
  await page.getByRole('button', { name: 'Save merged', exact: true }).click()
  await untilVersion(page, 4)

  expect((await client.collection('posts').get(id)).data).toEqual({ a: 2, b: 1 })
  expect(world.faults).toEqual([])
})

/** How long notices stay: ten seconds are short on a busy machine. */
function stayFor(milliseconds: number) {
  const usual = globalThis.setTimeout
  const changed = (work: () => void, asked?: number) => usual(work, asked === 10_000 ? milliseconds : asked)
  Object.assign(globalThis, { setTimeout: changed })
}

/** The time of notices, and until they look again whether they are pointed at, is over when the test says so. */
function holdTimers() {
  const usual = globalThis.setTimeout
  let held: (() => void)[] = []
  const changed = (work: () => void, asked?: number) =>
    asked === 10_000 || asked === 2_000 ? held.push(work) : usual(work, asked)
  const endTimers = () => {
    const ended = held
    held = []
    for (const work of ended) work()
  }
  Object.assign(globalThis, { setTimeout: changed, endTimers })
}

it('who types on while a new document is created by keyboard goes on typing in it', async () => {
  const { page, client, goTo } = world
  await client.collections.create({ name: 'letters' })
  await goTo('data/letters/new')
  await page.locator('.cm-content:focus').waitFor()
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.insertText('{"title": "First"}')
  const answers: (() => void)[] = []
  await page.route('**/collections/letters', async (route) => {
    if (route.request().method() === 'POST') await new Promise<void>((resolve) => answers.push(resolve))
    await route.continue()
  })

  await page.keyboard.press('ControlOrMeta+S')
  await expect.poll(() => answers.length).toBe(1)
  await page.keyboard.type(' n')
  answers[0]?.()
  await untilVersion(page, 1)
  await page.locator('.cm-content:focus').waitFor()
  await page.keyboard.type('n')

  await expect.poll(() => page.locator('.cm-content').textContent()).toBe('{"title": "First"} nn')
  expect(new URL(page.url()).pathname).not.toMatch(/\/new$/)
  expect(await client.collection('letters').count()).toBe(1)
})

it('shows a mark that turns the direction of a value around, and saves it as it was', async () => {
  const { page, client, goTo } = world
  const title = '\u202egpj.exe'
  const { id } = await client.collection('posts').create({ title })
  await goTo(`data/posts/${id}`)

  await page.locator('.cm-content .cm-specialChar').waitFor()
  await page.locator('.cm-content').click()
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.insertText(', "views": 1')
  await page.keyboard.press('ControlOrMeta+S')
  await untilVersion(page, 2)

  expect((await client.collection('posts').get(id)).data).toEqual({ title, views: 1 })
  expect(world.faults).toEqual([])
})
