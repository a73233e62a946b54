/** Writes that the service refuses: each stays listed until it is decided. */
import { beforeAll, expect, it } from 'vitest'
import type { OnConflict } from '../../../client/offline/queue.js'
import type { TestEmulator } from '../../../emulator/testing/index.js'
import { openSharedEmulator } from '../../fixtures/shared-emulator.js'
import { openDevice, type Tab } from './device.js'

let emulator: TestEmulator
beforeAll(async () => {
  emulator = await openSharedEmulator()
})

async function openProject() {
  const project = await emulator.project()
  const schema = { title: { type: 'string' }, views: { type: 'number', min: 0 } } as const
  await project.client.collections.create({ name: 'posts', schema })
  await project.secretClient.collections.create({
    name: 'guarded',
    permissions: { create: ['admin'], delete: ['admin'] },
  })
  return {
    project,
    posts: project.secretClient.collection('posts'),
    guarded: project.secretClient.collection('guarded'),
  }
}
type Opened = Awaited<ReturnType<typeof openProject>>

const conflictsOf = ({ outbox }: Tab) => outbox.get().conflicts
const isDone = (tab: Tab) =>
  expect
    .poll(() => {
      const { pending, sending, conflicts } = tab.outbox.get()
      return [pending.length, sending, conflicts.length]
    })
    .toEqual([0, undefined, 0])
const conflicted = async (tab: Tab) => {
  await expect.poll(() => conflictsOf(tab).length).toBe(1)
  return conflictsOf(tab)[0] as NonNullable<ReturnType<typeof conflictsOf>[0]>
}

/** Makes a write and lets another client interfere before it is sent. */
const refusals: readonly {
  readonly name: string
  readonly code: string
  readonly status: number
  readonly write: (tab: Tab, opened: Opened) => Promise<() => Promise<unknown>>
}[] = [
  {
    name: 'an update of fields that someone else has changed',
    ...{ code: 'CONFLICT', status: 412 },
    async write(tab, { posts }) {
      const { id } = await posts.create({ title: 'before' })
      await shown(tab, 'posts')
      void tab.store.mutations('posts').update(id, { title: 'mine' })
      return () => posts.update(id, { title: 'theirs' })
    },
  },
  {
    name: 'an update of a document that is gone',
    ...{ code: 'NOT_FOUND', status: 404 },
    async write(tab, { posts }) {
      const { id } = await posts.create({ title: 'before' })
      void tab.store.mutations('posts').update(id, { title: 'mine' })
      return () => posts.delete(id)
    },
  },
  {
    name: 'a create in a collection that does not exist',
    ...{ code: 'NOT_FOUND', status: 404 },
    async write(tab) {
      void tab.store.mutations('none').create({ title: 'mine' })
      return async () => {}
    },
  },
  {
    name: 'a create that does not fit the schema',
    ...{ code: 'VALIDATION_ERROR', status: 422 },
    async write(tab) {
      void tab.store.mutations('posts').create({ title: 'mine', views: -1 })
      return async () => {}
    },
  },
  {
    name: 'a create without permission',
    ...{ code: 'FORBIDDEN', status: 403 },
    async write(tab, { project }) {
      await tab.client.auth.logIn((await project.users.create()).credentials)
      void tab.store.mutations('guarded').create({ title: 'mine' })
      return async () => {}
    },
  },
  {
    name: 'a create that needs a user',
    ...{ code: 'UNAUTHORIZED', status: 401 },
    async write(tab) {
      void tab.store.mutations('guarded').create({ title: 'mine' })
      return async () => {}
    },
  },
  {
    name: 'a removal without permission',
    ...{ code: 'FORBIDDEN', status: 403 },
    async write(tab, { project, guarded }) {
      await tab.client.auth.logIn((await project.users.create()).credentials)
      const { id } = await guarded.create({ title: 'before' })
      void tab.store.mutations('guarded').remove(id)
      return async () => {}
    },
  },
  {
    name: 'a document that is too large',
    ...{ code: 'PAYLOAD_TOO_LARGE', status: 413 },
    async write(tab) {
      void tab.store.mutations('posts').create({ title: 'x'.repeat(1_100_000) })
      return async () => {}
    },
  },
]

async function shown(tab: Tab, collection: string) {
  const list = tab.store.live(collection)
  list.subscribe(() => {})
  await expect.poll(() => list.get().items.length).toBeGreaterThan(0)
}

it.each(refusals)('lists $name, and sends what comes after it', async ({ code, status, write }) => {
  const opened = await openProject()
  const device = openDevice()
  const tab = device.openTab(opened.project)
  const settle = await write(tab, opened).then((interfere) => {
    device.isOffline = true
    return interfere
  })
  await settle()
  device.isOffline = false

  const { key, error } = await conflicted(tab)
  const { title } = (await tab.store.mutations('posts').create({ title: 'after' })).data as { title: string }

  expect(error).toMatchObject({ code, status })
  expect(title).toBe('after')
  expect(conflictsOf(tab).map((one) => one.key)).toEqual([key])
  expect(
    tab.store
      .outbox()
      .get()
      .filter(({ state }) => state !== 'saved'),
  ).toEqual([])
  tab.crash()
})

/** A title that two have changed, with a tab that was reloaded since. */
async function openConflict(onConflict?: OnConflict) {
  const { project, posts } = await openProject()
  const { id } = await posts.create({ title: 'before', views: 1 })
  const device = openDevice()
  const before = device.openTab(project)
  await shown(before, 'posts')
  device.isOffline = true
  void before.store.mutations('posts').update(id, { title: 'mine' })
  await expect.poll(() => before.outbox.get().waiting?.code).toBe('NETWORK')
  before.crash()
  await posts.update(id, { title: 'theirs' })
  device.isOffline = false
  const tab = device.openTab(project, { onConflict })
  const title = async () => (await posts.get(id)).data.title
  return { tab, device, project, title, key: (await conflictedOrNone(tab, onConflict))?.key ?? '' }
}
const conflictedOrNone = (tab: Tab, onConflict: OnConflict | undefined) => (onConflict ? undefined : conflicted(tab))

it.each([
  ['retry', 'mine'],
  ['discard', 'theirs'],
  [{ body: { title: 'both' } }, 'both'],
] as const)('does as the app decides with %j', async (decision, expected) => {
  const versions: unknown[] = []
  const { tab, title } = await openConflict((_, { mine, theirs }) => {
    versions.push(mine, theirs?.data)
    return decision
  })

  await expect
    .poll(() => versions)
    .toEqual([
      { title: 'mine', views: 1 },
      { title: 'theirs', views: 1 },
    ])
  await isDone(tab)

  expect(await title()).toBe(expected)
  tab.crash()
})

it('keeps a conflict over a reload, and takes the decision of a tab that does not send', async () => {
  const { tab, device, project, title, key } = await openConflict()
  tab.crash()
  const [sending, other] = [device.openTab(project), device.openTab(project)]
  expect(await conflicted(other)).toMatchObject({ key, theirs: { data: { title: 'theirs' } } })

  other.outbox.edit(key, { title: 'edited' })

  await isDone(other)
  await isDone(sending)
  expect(await title()).toBe('edited')
  sending.crash()
  other.crash()
})

it('decides nothing about a write that waits', async () => {
  const { project, posts } = await openProject()
  const device = openDevice()
  const tab = device.openTab(project)
  device.isOffline = true
  const writing = tab.store.mutations('posts').create({ title: 'waiting' })
  await expect.poll(() => tab.outbox.get().waiting?.code).toBe('NETWORK')
  const [{ key } = { key: '' }] = tab.outbox.get().pending

  tab.outbox.edit(key, { title: 'edited' })
  tab.outbox.discard(key)
  device.isOffline = false
  await writing

  expect((await posts.list()).items.map(({ data }) => data.title)).toEqual(['waiting'])
  tab.crash()
})

it('sends an edited create under another key', async () => {
  const { project, posts } = await openProject()
  const tab = openDevice().openTab(project)
  const creating = tab.store.mutations('posts').create({ title: 'mine', views: -1 })
  const { key } = await conflicted(tab)

  tab.outbox.edit(key, { title: 'mine', views: 1 })

  expect((await creating).data).toEqual({ title: 'mine', views: 1 })
  expect(await posts.count()).toBe(1)
  tab.crash()
})

it('asks an app that always retries once, if the service refuses the write again', async () => {
  const { project } = await openProject()
  const codes: (string | undefined)[] = []
  let attempts = 0
  const device = openDevice({ before: ({ body }) => void (String(body).includes('always') && attempts++) })
  const tab = device.openTab(project, {
    onConflict({ error }) {
      codes.push(error?.code)
      return 'retry'
    },
  })

  void tab.store.mutations('posts').create({ title: 'always', views: -1 })
  await expect.poll(() => attempts).toBe(2)
  await conflicted(tab)
  await tab.store.mutations('posts').create({ title: 'after' })

  expect(codes).toEqual(['VALIDATION_ERROR'])
  expect(attempts).toBe(2)
  tab.crash()
})

it('drops later writes to a new document that is discarded, and lists those that link to it', async () => {
  const { project, posts } = await openProject()
  const device = openDevice()
  const tab = device.openTab(project)
  const { create, update } = tab.store.mutations('posts')
  device.isOffline = true
  const refused = [expect(create({ title: 'new', views: -1 })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })]
  const id = tab.store.outbox().get()[0]?.id ?? ''
  refused.push(expect(update(id, { title: 'newer' })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' }))
  void create({ title: 'linked', to: id })
  await expect.poll(() => tab.outbox.get().waiting?.code).toBe('NETWORK')
  device.isOffline = false
  const { key } = await conflicted(tab)

  tab.outbox.discard(key)
  await Promise.all(refused)

  expect(await conflicted(tab)).toMatchObject({ body: { title: 'linked' }, error: { code: 'VALIDATION_ERROR' } })
  expect(await posts.count()).toBe(0)
  tab.crash()
})

it.each([
  [22, 0],
  [24, 1],
])('sends a create whose response was lost %i hours ago, and asks %i times', async (hours, asked) => {
  const { project, posts } = await openProject()
  let isLost = true
  const device = openDevice({
    after({ method }) {
      if (isLost && method === 'POST') throw new TypeError('lost')
    },
  })
  const before = device.openTab(project)
  void before.store.mutations('posts').create({ title: 'once' })
  await expect.poll(() => posts.count()).toBe(1)
  await expect.poll(() => before.outbox.get().waiting?.code).toBe('NETWORK')
  before.crash()
  await ageWrites(device.indexedDB, hours)
  isLost = false

  const tab = device.openTab(project)
  if (asked) expect(await conflicted(tab)).toMatchObject({ error: { code: 'TIMEOUT', mayBeDone: true } })
  else await isDone(tab)

  expect(await posts.count()).toBe(1)
  tab.crash()
})

/** Moves the first attempt of each write into the past. */
async function ageWrites(indexedDB: IDBFactory, hours: number) {
  const [{ name = '' } = {}] = await indexedDB.databases()
  const opening = indexedDB.open(name)
  await new Promise((resolve) => {
    opening.onsuccess = resolve
  })
  const transaction = opening.result.transaction('outbox', 'readwrite')
  const outbox = transaction.objectStore('outbox')
  const reading = outbox.getAll()
  reading.onsuccess = () => {
    for (const entry of reading.result) outbox.put({ ...entry, sentAt: entry.sentAt - hours * 3_600_000 })
  }
  await new Promise((resolve) => {
    transaction.oncomplete = resolve
  })
  opening.result.close()
}
