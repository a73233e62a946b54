import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestEmulator, type TestEmulator } from '../../../emulator/testing.js'
import { openDevice } from './device.js'

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

const nothing = { problem: undefined, pending: [], sending: undefined, conflicts: [], waiting: undefined }

it('sends writes in order, and gives later ones the id of a new document', async () => {
  const { project, posts } = await openProject()
  const { store, outbox, crash } = openDevice().openTab(project)
  const { create, update } = store.mutations('posts')

  const creating = create({ title: 'one' })
  const [first] = store.outbox().get()
  const newId = first?.id ?? ''
  const [made, , linked] = await Promise.all([
    creating,
    update(newId, { title: 'two' }),
    create({ title: 'linked', to: newId }),
  ])

  expect(made?.id).toMatch(/^[0-9a-f-]{36}$/)
  expect((await posts.get(made.id)).data).toEqual({ title: 'two' })
  expect(linked?.data).toEqual({ title: 'linked', to: made?.id })
  expect(await posts.count()).toBe(2)
  expect(outbox.get()).toEqual({ ...nothing, storage: 'ready' })
  crash()
})

it('sends what was written offline after a reload, once', async () => {
  const { project, posts } = await openProject()
  const device = openDevice()
  const before = device.openTab(project)
  device.isOffline = true
  void before.store.mutations('posts').create({ title: 'offline' })
  await expect.poll(() => before.outbox.get().waiting?.code).toBe('NETWORK')
  before.crash()

  device.isOffline = false
  const after = device.openTab(project)

  await expect.poll(() => posts.count()).toBe(1)
  await expect.poll(() => after.outbox.get()).toEqual({ ...nothing, storage: 'ready' })
  after.crash()
})
