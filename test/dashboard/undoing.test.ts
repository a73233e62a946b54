/** Whatever the dashboard sends that destroys something can be taken back, and says so where it cannot. */
import { beforeEach, expect, it } from 'vitest'
import { createClient } from '../../client/index.js'
import { controlOf } from '../fixtures/requests/emulator-control.js'
import { type DashboardWorld, worldsOfFile } from './world.js'

const openWorld = worldsOfFile({ isShared: true })
let world: DashboardWorld

beforeEach(async () => {
  world = await openWorld()
  await world.client.collections.create({ name: 'posts' })
})

const row = (text: string) => world.row(text)
const notice = (words: string) => world.page.locator('.notice').filter({ hasText: words })
const undo = (words: string) => notice(words).getByRole('button', { name: 'Undo', exact: true })

it('says that a document is deleted whose snapshot went meanwhile, and that this cannot be undone', async () => {
  const { page, client, emulator, goTo } = world
  const { id } = await client.collection('posts').create({ title: 'First' })
  const { snapshots } = controlOf(emulator)
  await page.route(/\/snapshots\/[^/]+\/finish$/, async (route) => {
    const [, snapshot = ''] = /snapshots\/([^/]+)\/finish$/.exec(route.request().url()) ?? []
    await snapshots.remove({ project: emulator.projectId, snapshot: decodeURIComponent(snapshot) })
    await route.continue()
  })
  await goTo(`data/posts/${id}`)
  await page.getByRole('button', { name: 'Delete', exact: true }).click()

  await notice('Deleted First. You cannot undo this, because its snapshot is gone.').waitFor()
  expect(await undo('Deleted First').count()).toBe(0)
  await page.getByRole('complementary', { name: 'Selected', exact: true }).waitFor({ state: 'detached' })
  expect(await client.collection('posts').count()).toBe(0)
  expect(world.faults).toEqual([])
})

it('shows the newest of more changes than fit, and drops the oldest', async () => {
  const { page, client, goTo } = world
  const titles = ['First', 'Second', 'Third', 'Fourth', 'Fifth']
  await client.collection('posts').createMany(titles.map((title) => ({ title })))
  await goTo('data/posts')
  // Notices with the focus among them stay.
  for (const title of titles) {
    await row(title).click()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await undo(`Deleted ${title}`).focus()
  }

  // A slow machine may have closed more of them.
  expect(await notice('Deleted').count()).toBeLessThanOrEqual(4)
  expect(await undo('Deleted First').count()).toBe(0)
  expect(world.faults).toEqual([])
})

it('takes back what a request has destroyed that is sent again, as it was and edited', async () => {
  const { page, client, goTo } = world
  const { id } = await client.collection('posts').create({ title: 'First' })
  await client.collections.delete('posts')
  await client.collections.create({ name: 'posts' })
  await client.collection('posts').createMany([{ title: 'Second' }, { title: 'Third' }])
  await goTo('requests')
  await page.getByRole('checkbox', { name: "dashboard's own", exact: true }).check()
  // Else a row may move away between the look at it and the click.
  await row('DELETE').waitFor()
  await page.getByRole('button', { name: 'Pause', exact: true }).click()
  await row('DELETE').click()
  await page.getByRole('button', { name: 'Replay', exact: true }).click()
  await page.getByText(/^The answer was 200 and is now 200/).waitFor()
  expect((await client.collections.list()).length).toBe(0)
  await undo('Sent DELETE /api/collections/posts').click()
  await notice('Undone').waitFor()
  expect(await client.collection('posts').count()).toBe(2)

  const [second] = (await client.collection('posts').list({ where: { title: 'Second' } })).items
  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  await page.getByRole('textbox', { name: 'Path', exact: true }).fill(`/collections/posts/${second?.id}`)
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await undo(`Sent DELETE /collections/posts/${second?.id}`).click()
  await expect.poll(() => client.collection('posts').count()).toBe(2)

  // A request that destroys nothing has no undo.
  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  await page.getByRole('textbox', { name: 'Path', exact: true }).fill(`/collections/posts/${id}`)
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await notice(`Sent DELETE /collections/posts/${id}`).waitFor()
  expect(await undo(`Sent DELETE /collections/posts/${id}`).count()).toBe(0)
  expect(world.faults).toEqual([])
})

it('undoes a request of the API page that deleted something', async () => {
  const { page, client, emulator, goTo } = world
  const posts = client.collection('posts')
  await posts.create({ title: 'First' })
  await goTo('api-reference/collections.remove')
  await page.getByRole('button', { name: 'Try it', exact: true }).click()
  await page.getByRole('combobox', { name: 'collection path, required', exact: true }).fill('posts')
  await page.getByRole('combobox', { name: 'Send as', exact: true }).selectOption('secret')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await undo('Sent DELETE /collections/posts').click()
  await expect.poll(() => posts.count().catch(() => 'none')).toBe(1)

  await goTo('api-reference/control.projects.reset')
  await page.getByRole('button', { name: 'Try it', exact: true }).click()
  await page.getByRole('textbox', { name: 'Body', exact: true }).fill('{}')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await undo(`Sent POST /_svc/api/projects/${emulator.projectId}/reset`).click()
  await expect.poll(() => posts.count().catch(() => 'none')).toBe(1)
  await notice('Undone').waitFor()
  expect(await posts.count()).toBe(1)
  expect(world.faults).toEqual([])
})

it('takes back what a request of the control API has destroyed in another project, and asks before a user of one', async () => {
  const { page, client, emulator, goTo } = world
  const { projects, snapshots } = controlOf(emulator)
  const other = await projects.create({ name: 'other' })
  const others = createClient({ url: emulator.url, apiKey: other.secretKey })
  await others.collections.create({ name: 'notes' })
  await others.collection('notes').create({ title: 'First' })
  const tried = async (operation: string, parameter: string, value: string) => {
    await goTo(`api-reference/${operation}`)
    await page.getByRole('button', { name: 'Try it', exact: true }).click()
    await page.getByRole('textbox', { name: `${parameter} path, required`, exact: true }).fill(value)
    if (operation.endsWith('reset')) await page.getByRole('textbox', { name: 'Body', exact: true }).fill('{}')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
  }

  // The app goes on writing in the page's own project: nothing of that is the request's.
  await page.route(/\/reset$/, async (route) => {
    await client.collection('posts').create({ title: 'Meanwhile' })
    await route.continue()
  })
  await tried('control.projects.reset', 'project', other.id)
  const reset = `Sent POST /_svc/api/projects/${other.id}/reset`
  await undo(reset).waitFor()
  expect(await others.collections.list()).toEqual([])
  await undo(reset).click()
  await notice('Undone').waitFor()
  expect(await others.collection('notes').count()).toBe(1)
  expect(await client.collection('posts').count()).toBe(1)
  expect((await snapshots.list({ project: emulator.projectId })).snapshots).toEqual([])

  const [own, foreign] = [await aUser(emulator.apiKey), await aUser(other.apiKey)]
  await tried('control.users.remove', 'user', own)
  await undo(`Sent DELETE /_svc/api/users/${own}`).click()
  await expect.poll(async () => (await client.users.list()).total).toBe(1)

  const question = page.getByRole('dialog', { name: 'Continue without undo?', exact: true })
  await tried('control.users.remove', 'user', foreign)
  await question.getByText(/^This user is not in this project\./).waitFor()
  await question.getByRole('button', { name: 'Cancel', exact: true }).click()
  await question.waitFor({ state: 'detached' })
  expect((await others.users.list()).total).toBe(1)
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await question.getByRole('button', { name: 'Continue', exact: true }).click()
  await notice(`Sent DELETE /_svc/api/users/${foreign}`).waitFor()
  expect(await undo(`Sent DELETE /_svc/api/users/${foreign}`).count()).toBe(0)
  expect((await others.users.list()).total).toBe(0)

  // It is sent all the same, and its answer says that there is no such project.
  const answer = page.waitForResponse(/nothing\/reset$/)
  await tried('control.projects.reset', 'project', 'nothing')
  expect((await answer).status()).toBe(404)
  expect(world.faults).toEqual([])
})

it('takes back a load in another project, and what a request of another project destroys that is sent again', async () => {
  const { page, emulator, goTo } = world
  const { projects, snapshots, requests } = controlOf(emulator)
  const other = await projects.create({ name: 'other' })
  const others = createClient({ url: emulator.url, apiKey: other.secretKey })
  const notes = others.collection('notes')
  await others.collections.create({ name: 'notes' })
  await snapshots.save({ project: other.id, name: 'empty' })
  await notes.create({ title: 'First' })
  const saving = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/snapshots'))
  await goTo('api-reference/control.snapshots.load')
  await page.getByRole('button', { name: 'Try it', exact: true }).click()
  await page.getByRole('textbox', { name: 'project path, required', exact: true }).fill(other.id)
  await page.getByRole('textbox', { name: 'snapshot path, required', exact: true }).fill('empty')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  const load = `Sent POST /_svc/api/projects/${other.id}/snapshots/empty/load`
  await undo(load).waitFor()
  expect((await saving).postDataJSON()).toMatchObject({ keeping: 'empty' })
  expect(await notes.count()).toBe(0)
  await undo(load).click()
  await expect.poll(() => notes.count()).toBe(1)

  await others.collections.delete('notes')
  await others.collections.create({ name: 'notes' })
  await notes.create({ title: 'Second' })
  const [deleted] = (await requests.list({ project: other.id, method: 'DELETE' })).requests
  await goTo(`requests/${deleted?.id}`)
  await page.getByRole('button', { name: 'Replay', exact: true }).click()
  await undo('Sent DELETE').click()
  await notice('Undone').waitFor()
  expect(await notes.count()).toBe(1)
  expect((await snapshots.list({ project: emulator.projectId })).snapshots).toEqual([])
  expect(world.faults).toEqual([])
})

it('leaves everything as it is where "Continue without undo?" is cancelled, what was typed too', async () => {
  const { page, client, emulator, goTo } = world
  const posts = client.collection('posts')
  const { id } = await posts.create({ title: 'First' })
  const { id: file } = await client.files.upload(new File(['Hello'], 'hello.txt'))
  const user = await aUser(emulator.apiKey)
  await page.route(/\/info$/, async (route) => {
    const response = await route.fetch()
    const info = await response.json()
    await route.fulfill({ response, json: { ...info, database: { ...info.database, bytes: 2 ** 30 } } })
  })
  const question = page.getByRole('dialog', { name: 'Continue without undo?', exact: true })
  const cancelled = async () => {
    await question.getByRole('button', { name: 'Cancel', exact: true }).click()
    await question.waitFor({ state: 'detached' })
  }
  const pane = page.getByRole('complementary', { name: 'Selected', exact: true })
  const remove = () => pane.getByRole('button', { name: 'Delete', exact: true }).click()

  await goTo(`data/posts/${id}`)
  await page.locator('.cm-content').click()
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.insertText('{"title": "Typed"}')
  await pane.getByRole('button', { name: 'More for this document', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Delete', exact: true }).click()
  await cancelled()
  expect(await page.locator('.cm-content').textContent()).toBe('{"title": "Typed"}')
  await pane.getByRole('button', { name: 'Discard', exact: true }).click()

  const asked = async (entry: string, name: string, button: string, [label, typed] = ['', '']) => {
    await page.getByRole('button', { name: 'More for posts', exact: true }).click()
    await page.getByRole('menuitem', { name: entry, exact: true }).click()
    const dialog = page.getByRole('dialog', { name, exact: true })
    if (label) await dialog.getByRole('textbox', { name: label, exact: true }).fill(typed)
    await dialog.getByRole('button', { name: button, exact: true }).click()
    await cancelled()
    if (label) expect(await dialog.getByRole('textbox', { name: label, exact: true }).inputValue()).toBe(typed)
    await dialog.getByRole('button', { name: 'Cancel', exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
  }
  await asked('Edit all 1', 'Edit 1 document in posts', 'Change 1', ['Fields to set', '{"country": "CH"}'])
  await asked('Delete all 1', 'Delete 1 document in posts?', 'Delete 1')
  await asked('Import', 'Import into posts', 'Create 1', ['Or paste it', 'title\tviews\nHello\t1'])
  await asked('Delete collection', 'Delete posts?', 'Delete')
  expect(new URL(page.url()).pathname).toBe(`/_svc/data/posts/${id}`)

  await goTo(`files/${file}`)
  await remove()
  await cancelled()
  await pane.waitFor()
  await goTo(`users/${user}`)
  await pane.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Delete', exact: true }).click()
  await cancelled()
  await pane.waitFor()

  expect((await posts.list()).items).toMatchObject([{ id, data: { title: 'First' } }])
  expect([(await client.files.list()).total, (await client.users.list()).total]).toEqual([1, 1])
  expect(await page.locator('.notice').count()).toBe(0)
  expect(world.faults).toEqual([])
})

/** @returns the id of the user */
async function aUser(apiKey: string): Promise<string> {
  const { auth } = createClient({ url: world.emulator.url, apiKey })
  await auth.signUp({ email: 'ada@example.com', password: 'Correct4Horse' })
  return (await auth.me()).id
}
