/** What happens to writes where the browser cannot keep them, and what the app is told. */
import { forceCloseDatabase, IDBFactory } from 'fake-indexeddb'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestEmulator, type TestEmulator } from '../../../emulator/testing/index.js'
import { openDevice, type Tab } from './device.js'

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

const storageOf = ({ outbox }: Tab) => [outbox.get().storage, outbox.get().problem?.message]
const titles = async ({ list }: { list: () => Promise<{ items: readonly { data: object }[] }> }) =>
  (await list()).items.map(({ data }) => (data as { title: string }).title)

/** Opens the database of an app as its next version does. */
async function upgrade(indexedDB: IDBFactory) {
  const [{ name = '' } = {}] = await indexedDB.databases()
  const opening = indexedDB.open(name, 3)
  await new Promise((resolve) => {
    opening.onsuccess = resolve
  })
  return opening.result
}

const failing = Object.assign(new IDBFactory(), {
  open() {
    throw new DOMException(
      'A mutation operation was attempted on a database that did not allow it.',
      'InvalidStateError',
    )
  },
})

it.each([
  ['IndexedDB', { indexedDB: undefined }],
  ['Web Locks', { locks: undefined }],
  ['a database that can be opened', { indexedDB: failing as never }],
])('sends writes without %s, and says that they are not kept', async (_, lacking) => {
  const { project, posts } = await openProject()
  const tab = openDevice().openTab(project, {}, lacking)

  await tab.store.mutations('posts').create({ title: 'sent' })

  expect(storageOf(tab)).toEqual(['unavailable', 'Writes are not kept.'])
  expect(await titles(posts)).toEqual(['sent'])
  tab.crash()
})

it('sends writes where a newer version of the app has been, and asks for a reload', async () => {
  const { project, posts } = await openProject()
  const device = openDevice()
  const before = device.openTab(project)
  await expect.poll(() => before.outbox.get().storage).toBe('ready')
  before.crash()
  const newer = await upgrade(device.indexedDB)

  const tab = device.openTab(project)
  await tab.store.mutations('posts').create({ title: 'sent' })

  expect(storageOf(tab)).toEqual(['outdated', 'Reload the page.'])
  expect(await titles(posts)).toEqual(['sent'])
  tab.crash()
  newer.close()
})

/** Puts a database of version 1 in place of that of an app, with a write that was made offline. */
async function downgrade(indexedDB: IDBFactory, entry: object) {
  const [{ name = '' } = {}] = await indexedDB.databases()
  indexedDB.deleteDatabase(name)
  const opening = indexedDB.open(name, 1)
  opening.onupgradeneeded = () => {
    const { result } = opening
    result.createObjectStore('outbox', { keyPath: 'order', autoIncrement: true }).add(entry)
    result.createObjectStore('ids')
    result.createObjectStore('pages', { keyPath: 'key' }).createIndex('at', 'at')
  }
  await new Promise((resolve) => {
    opening.onsuccess = resolve
  })
  opening.result.close()
}

it('sends what version 1 of its database has kept', async () => {
  const { project, posts } = await openProject()
  const device = openDevice()
  const before = device.openTab(project)
  await expect.poll(() => before.outbox.get().storage).toBe('ready')
  before.crash()
  const write = { key: 'one', collection: 'posts', kind: 'create', id: 'new-one', body: { title: 'kept' } }
  await downgrade(device.indexedDB, { ...write, begunAt: new Date().toISOString() })

  const tab = device.openTab(project)
  await expect.poll(() => posts.count()).toBe(1)
  await expect.poll(() => device.stored('saved')).toMatchObject([{ key: 'one', document: { data: { title: 'kept' } } }])

  expect(await titles(posts)).toEqual(['kept'])
  expect([...(await device.storedKeys())]).toEqual([])
  expect(storageOf(tab)).toEqual(['ready', undefined])
  tab.crash()
})

it('leaves what it keeps to a newer version that opens meanwhile, and sends later writes', async () => {
  const { project, posts } = await openProject()
  const device = openDevice()
  const tab = device.openTab(project)
  const { create } = tab.store.mutations('posts')
  device.isOffline = true
  const kept = create({ title: 'kept' })
  await expect.poll(() => tab.outbox.get().waiting?.code).toBe('NETWORK')
  const refused = expect(kept).rejects.toThrow('Reload the page.')
  const [key] = await device.storedKeys()

  const newer = await upgrade(device.indexedDB)
  await refused
  device.isOffline = false
  await create({ title: 'sent' })

  expect(storageOf(tab)).toEqual(['outdated', 'Reload the page.'])
  expect(await titles(posts)).toEqual(['sent'])
  const stored = newer.transaction('outbox').objectStore('outbox').getAll()
  await expect.poll(() => stored.readyState).toBe('done')
  expect(stored.result.map((entry) => entry.key)).toEqual([key])
  tab.crash()
  newer.close()
})

it('sends later writes if the browser deletes its data, and says which are lost', async () => {
  const { project, posts } = await openProject()
  const opened: IDBDatabase[] = []
  const device = openDevice({ onTransaction: ({ db }) => opened.push(db) })
  const tab = device.openTab(project)
  const { create } = tab.store.mutations('posts')
  device.isOffline = true
  const lost = expect(create({ title: 'lost' })).rejects.toThrow('Writes are not kept.')
  await expect.poll(() => tab.outbox.get().waiting?.code).toBe('NETWORK')

  forceCloseDatabase(opened[0] as never)
  await lost
  device.isOffline = false
  await create({ title: 'sent' })

  expect(storageOf(tab)).toEqual(['unavailable', 'Writes are not kept.'])
  expect(await titles(posts)).toEqual(['sent'])
  tab.crash()
})

it('refuses writes while the device is full, and takes them back', async () => {
  const { project, posts } = await openProject()
  let isFull = true
  const device = openDevice({
    onTransaction(transaction, stores) {
      if (!isFull || !stores.includes('outbox')) return
      Object.defineProperty(transaction, 'error', { value: new DOMException('No space.', 'QuotaExceededError') })
      queueMicrotask(() => transaction.abort())
    },
  })
  const tab = device.openTab(project)
  const { create } = tab.store.mutations('posts')

  await expect(create({ title: 'refused' })).rejects.toThrow('This device is full.')
  const full = storageOf(tab)
  const shown = tab.store.outbox().get()
  isFull = false
  await create({ title: 'kept' })

  expect(full).toEqual(['full', 'This device is full.'])
  expect(shown).toEqual([])
  expect(storageOf(tab)).toEqual(['ready', undefined])
  expect(await titles(posts)).toEqual(['kept'])
  tab.crash()
})

it('refuses to keep writes for a service without idempotency keys', async () => {
  const { project, posts } = await openProject()
  const asDeployed: typeof fetch = async (url, init) => {
    const answer = await fetch(url, init)
    const headers = new Headers(answer.headers)
    headers.delete('svc-dialect')
    return new Response(answer.body, { status: answer.status, headers })
  }
  const device = openDevice()
  const tab = device.openTab({ ...project, dialect: 'a', fetch: asDeployed })
  const { create } = tab.store.mutations('posts')

  await expect(create({ title: 'early' })).rejects.toThrow('`persist` needs idempotency keys.')
  await expect(create({ title: 'late' })).rejects.toThrow('`persist` needs idempotency keys.')

  expect(storageOf(tab)).toEqual(['unsupported', '`persist` needs idempotency keys.'])
  expect(await titles(posts)).toEqual([])
  expect([...(await device.storedKeys())]).toEqual([])
  tab.crash()
})
