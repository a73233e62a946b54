import { beforeEach, expect, it } from 'vitest'
import { type DashboardWorld, worldsOfFile } from './world.js'

const openWorld = worldsOfFile({ isShared: true })
let world: DashboardWorld

beforeEach(async () => {
  world = await openWorld()
  await world.client.collections.create({ name: 'posts', schema: { salary: { type: 'number' } } })
})

const toggle = (who: string, kind: string) => world.page.getByRole('switch', { name: `${who}: ${kind}`, exact: true })
const button = (name: string | RegExp) => world.page.getByRole('button', { name, exact: true })
const permissions = async () => (await world.client.collections.get('posts')).permissions

it('never opens an action by switching its last toggle off, and says what is public', async () => {
  const { page, goTo } = world
  await goTo('data/posts')
  await page.getByRole('link', { name: 'Permissions', exact: true }).click()
  await page.getByText(/^Anyone with a key can create, read, update and delete documents\./).waitFor()

  await toggle('Anyone with a key', 'create').press('Space')
  await toggle('authenticated', 'create').press('Space')
  await toggle('authenticated', 'create').press('Space')
  await toggle('Anyone with a key', 'update').click()
  await toggle('owner', 'update').click()
  await page.getByText(/^Anyone with a key can read and delete documents\./).waitFor()
  expect(await page.locator('.bottom code').textContent()).toBe(
    'svc collections permissions posts --create none --update owner',
  )
  await page.keyboard.press('ControlOrMeta+S')
  await expect.poll(permissions).toMatchObject({ create: ['none'], update: ['owner'] })

  await toggle('Anyone with a key', 'read').click()
  await toggle('authenticated', 'read').click()
  expect(await toggle('owner', 'read').getAttribute('aria-disabled')).toBe('true')
  await button(/^Save/).click()
  await expect.poll(permissions).toMatchObject({ create: ['none'], read: ['authenticated'], update: ['owner'] })
  await world.expectAccessible()
  expect(world.faults).toEqual([])
})

it('shows what each caller would get before it is saved', async () => {
  const { page, goTo } = world
  await goTo('data/posts/permissions')
  const side = page.getByRole('complementary', { name: 'Effective permissions', exact: true })
  const statuses = (who: string) =>
    side.locator('.asked-who').filter({ hasText: who }).locator('.status').allTextContents()
  await expect.poll(() => statuses('authenticated')).toEqual(['201', '200', '200', '200', '200'])

  await toggle('Anyone with a key', 'delete').click()

  await expect.poll(() => statuses('authenticated')).toEqual(['201', '200', '200', '200', '403'])
  await side.getByText(/rules not saved yet/).waitFor()
  expect((await permissions())?.delete ?? []).toEqual([])
})

it('does not replace what was changed elsewhere meanwhile without a word', async () => {
  const { page, client, goTo } = world
  await client.collections.update('posts', { permissions: { create: ['author'], read: ['reader'] } })
  await goTo('data/posts/permissions')
  await toggle('authenticated', 'create').click()
  await page.getByLabel('Field of a new rule', { exact: true }).fill('salary')
  await button('Add rule').click()
  await page.getByRole('switch', { name: 'salary hidden', exact: true }).click()
  const elsewhere = { create: ['author'], read: ['editor'] }
  await client.collections.update('posts', { permissions: elsewhere })

  await page.keyboard.press('ControlOrMeta+S')
  await page
    .getByRole('alert')
    .getByText(/^Changed elsewhere while this was open\./)
    .waitFor()
  expect(await permissions()).toMatchObject(elsewhere)
  await toggle('editor', 'read').waitFor()
  await page.keyboard.press('ControlOrMeta+S')

  await expect.poll(permissions).toMatchObject({
    ...{ create: ['author', 'authenticated'], read: ['editor'], hidden: { salary: [] } },
  })
})
