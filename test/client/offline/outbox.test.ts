import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestEmulator, type TestEmulator } from '../../../emulator/testing.js'
import { aWrite, openDevice } from './device.js'

let emulator: TestEmulator
beforeAll(async () => {
  emulator = await startTestEmulator()
})
afterAll(() => emulator.close())

async function openProject() {
  const project = await emulator.project()
  await project.client.collections.create({ name: 'posts' })
  return { project, posts: project.client.collection('posts') }
}

it('sends writes in order, and gives later ones the id of a new document', async () => {
  const { project, posts } = await openProject()
  const { outbox } = openDevice().openTab(project)
  const create = aWrite('create', undefined, { title: 'one' })

  const added = [
    outbox.add(create),
    outbox.add(aWrite('update', create.id, { title: 'two' })),
    outbox.add(aWrite('create', undefined, { title: 'linked', to: create.id })),
  ]
  const [made, updated, linked] = await Promise.all(added)

  expect(made?.id).toMatch(/^[0-9a-f-]{36}$/)
  expect(updated).toMatchObject({ id: made?.id, data: { title: 'two' }, version: 2 })
  expect(linked?.data).toEqual({ title: 'linked', to: made?.id })
  expect(await posts.count()).toBe(2)
  expect(outbox.state()).toEqual({ storage: 'ready', problem: undefined, writes: [], waiting: undefined })
  await outbox.close()
})

it('sends what was written offline after a reload, once', async () => {
  const { project, posts } = await openProject()
  const device = openDevice()
  const before = device.openTab(project)
  await before.outbox.ready
  device.isOffline = true
  void before.outbox.add(aWrite('create', undefined, { title: 'offline' }))
  await expect.poll(() => before.outbox.state().waiting?.code).toBe('NETWORK')
  before.crash()

  device.isOffline = false
  const after = device.openTab(project)

  await expect.poll(() => after.settled.length).toBe(1)
  expect((await posts.list()).items.map(({ data }) => data)).toEqual([{ title: 'offline' }])
  await after.outbox.close()
})
