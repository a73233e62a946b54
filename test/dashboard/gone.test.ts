/** Pages of what was deleted elsewhere while they were open, and of what was never there. */
import { beforeEach, expect, it } from 'vitest'
import type { Control } from '../../client/control.js'
import { createClient } from '../../client/index.js'
import { controlOf } from '../fixtures/requests/emulator-control.js'
import { type DashboardWorld, worldsOfFile } from './world.js'

const openWorld = worldsOfFile({ isShared: true })
let world: DashboardWorld
let control: Control
let project: string
beforeEach(async () => {
  world = await openWorld()
  const { client, emulator } = world
  control = controlOf(emulator)
  project = (await control.info.get()).project.id
  await client.collections.create({ name: 'posts' })
})

/** @returns the id of the user */
async function signUp(email: string): Promise<string> {
  const { url, apiKey } = world.emulator
  const app = createClient({ url, apiKey })
  await app.auth.signUp({ email, password: 'Correct4Horse' })
  return (await app.auth.me()).id
}

/** The page says so in one sentence, in no box of an error, and has one way back. */
async function expectGone(what: string, back: string): Promise<void> {
  await expectSaid(`This ${what} no longer exists.`, back)
}

async function expectSaid(words: string, back: string): Promise<void> {
  const { page } = world
  const said = page.locator('.gone').filter({ hasText: words })
  await said.getByRole('button', { name: back, exact: true }).waitFor()
  expect(await page.getByRole('alert').allTextContents()).toEqual([])
}

const goBack = (name: string) => world.page.getByRole('button', { name, exact: true }).click()

it('a document that is deleted elsewhere keeps what is typed, and becomes another one', async () => {
  const { page, client, goTo } = world
  const { id } = await client.collection('posts').create({ title: 'First' })
  await goTo(`data/posts/${id}`)
  await page.locator('.cm-content').click()
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.insertText('{"title": "Typed"}')
  await page.getByRole('button', { name: /^Save/ }).waitFor()
  await client.collection('posts').delete(id)
  await expectGone('document', 'All documents in posts')

  // It is there after a reload, too, when the document was never read.
  await page.reload()
  await expectGone('document', 'All documents in posts')
  expect(await page.locator('.cm-content').textContent()).toBe('{"title": "Typed"}')
  await world.expectAccessible()
  await page.getByRole('button', { name: 'Create it again from this text', exact: true }).click()
  await world.row('Typed').waitFor()

  expect((await client.collection('posts').list()).items).toMatchObject([{ data: { title: 'Typed' } }])
  expect(world.faults).toEqual([])
})

it('what is typed follows a collection that is renamed, and can be discarded once the document is gone', async () => {
  const { page, client, goTo } = world
  const { id } = await client.collection('posts').create({ title: 'First' })
  const type = async (text: string) => {
    await page.locator('.cm-content').click()
    await page.keyboard.press('ControlOrMeta+A')
    await page.keyboard.insertText(text)
  }
  await goTo('data/posts/new')
  await type('{"title": "New"}')
  await world.row('First').click()
  await page.locator('.cm-content').getByText('"First"', { exact: true }).waitFor()
  await type('{"title": "Typed"}')
  await page.getByRole('button', { name: 'More for posts', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Rename', exact: true }).click()
  await page.getByLabel('Name', { exact: true }).fill('notes')
  await page.getByRole('dialog').getByRole('button', { name: 'Rename', exact: true }).click()
  await page.getByRole('heading', { name: 'notes', level: 1, exact: true }).waitFor()
  await page.getByRole('button', { name: 'New document', exact: true }).click()
  const typed = () => page.locator('.cm-content').textContent()
  await expect.poll(typed).toBe('{"title": "New"}')
  await page.getByRole('button', { name: 'Discard', exact: true }).click()
  await world.row('First').click()
  await expect.poll(typed).toBe('{"title": "Typed"}')

  // With its collection, too, and after a reload, when neither was ever read.
  const asked: string[] = []
  page.on('dialog', (dialog) => asked.push(dialog.type()))
  await client.collections.delete('notes')
  await expectGone('collection', 'All collections')
  await page.reload()
  await expectSaid('This collection does not exist.', 'All collections')
  await expectGone('document', 'All documents in notes')
  expect(await typed()).toBe('{"title": "Typed"}')
  expect(asked).toEqual(['beforeunload'])
  await page.getByRole('button', { name: 'Discard', exact: true }).click()
  await page.locator('.cm-content').waitFor({ state: 'detached' })
  expect(new URL(page.url()).pathname).not.toContain(id)
  await page.reload()
  await expectSaid('This collection does not exist.', 'All collections')

  expect(asked).toEqual(['beforeunload'])
  expect(world.faults).toEqual([])
})

it('a reset under an open collection leaves what is typed, and the collection comes back with its name', async () => {
  const { page, client, goTo } = world
  await client.collection('posts').create({ title: 'First' })
  await goTo('data/posts/new')
  await page.locator('.cm-content').click()
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.insertText('{"title": "Typed"}')
  await world.row('First').waitFor()
  await control.projects.reset({ project })
  await expectGone('collection', 'All collections')
  expect(await page.locator('.cm-content').textContent()).toBe('{"title": "Typed"}')

  await client.collections.create({ name: 'posts' })
  await page.locator('.gone').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: /^Create/ }).click()
  await world.row('Typed').waitFor()
  expect(world.faults).toEqual([])
})

it('a user, a snapshot and a collection that are deleted elsewhere are said to be gone, with a way back', async () => {
  const { page, client, goTo } = world
  const user = await signUp('ada@example.com')
  await goTo(`users/${user}`)
  await page.getByRole('textbox', { name: 'Roles', exact: true }).fill('editor')
  await control.users.remove({ user })
  await expectGone('user', 'All users')
  expect(await page.getByRole('textbox', { name: 'Roles', exact: true }).inputValue()).toBe('editor')
  await goBack('All users')
  await page.getByRole('heading', { name: 'No users yet', exact: true }).waitFor()

  await control.snapshots.save({ project, name: 'friday' })
  await goTo('snapshots/friday')
  await page.getByRole('button', { name: 'Load', exact: true }).waitFor()
  await control.snapshots.remove({ project, snapshot: 'friday' })
  await expectGone('snapshot', 'All snapshots')
  await goBack('All snapshots')
  await page.getByRole('heading', { name: 'No snapshots yet', exact: true }).waitFor()

  await goTo('data/posts')
  await page.getByRole('heading', { name: 'No documents yet', exact: true }).waitFor()
  await client.collections.delete('posts')
  await expectGone('collection', 'All collections')
  await goBack('All collections')
  await page.getByRole('heading', { name: 'No collections yet', exact: true }).waitFor()
  expect(world.faults).toEqual([])
})

it('an address of what was never there says so on every page that has one', async () => {
  const { goTo } = world
  const nowhere = '01890000-0000-7000-8000-000000000000'
  for (const [path, what, back] of [
    ['data/nothing', 'collection', 'All collections'],
    [`data/posts/${nowhere}`, 'document', 'All documents in posts'],
    [`users/${nowhere}`, 'user', 'All users'],
    [`mail/${nowhere}`, 'mail', 'All mail'],
    [`requests/${nowhere}`, 'request', 'All requests'],
    [`files/${nowhere}`, 'file', 'All files'],
    ['snapshots/nothing', 'snapshot', 'All snapshots'],
  ] as const) {
    await goTo(path)
    await expectSaid(`This ${what} does not exist.`, back)
  }
  expect(world.faults).toEqual([])
})

it('acting as a user goes on where the session ends, and ends when the user is deleted', async () => {
  const { page, client, goTo } = world
  const user = await signUp('ada@example.com')
  await control.users.update({ user, roles: ['editor'] })
  await client.collections.update('posts', { permissions: { read: ['editor'] } })
  await client.collection('posts').create({ title: 'For editors' })
  await goTo(`users/${user}`)
  await page.getByRole('button', { name: 'Act as', exact: true }).click()
  await page.getByTitle('Act as the owner again', { exact: true }).waitFor()
  await page.reload()
  await page.getByTitle('Act as the owner again', { exact: true }).waitFor()
  await page.getByRole('navigation', { name: 'Pages', exact: true }).getByRole('link', { name: /^Data/ }).click()
  await world.row('posts').waitFor()
  await control.users.logOut({ user })
  const tokens = `**/users/${user}/token`
  await page.route(tokens, (route) => route.fulfill({ status: 500, json: {} }))
  await world.row('posts').click()
  const again = page.getByRole('alert').getByRole('button', { name: 'Try again', exact: true })
  await again.waitFor()
  await page.getByTitle('Act as the owner again', { exact: true }).waitFor()
  await page.unroute(tokens)
  await again.click()
  await world.row('For editors').waitFor()
  await page.getByTitle('Act as the owner again', { exact: true }).waitFor()
  expect(await page.getByRole('alert').allTextContents()).toEqual([])
  await page.getByRole('navigation', { name: 'Pages', exact: true }).getByRole('link', { name: /^Data/ }).click()
  await control.users.remove({ user })

  await page.getByText('ada@example.com was deleted. You act as the owner again.', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'acting as owner', exact: true }).waitFor()
  await world.row('posts').waitFor()
  expect(await page.getByRole('alert').allTextContents()).toEqual([])
  expect(world.faults).toEqual([])
})
