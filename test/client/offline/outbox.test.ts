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

it('tells of a queue that is sent once per frame, and keeps the last 100 saved writes', async () => {
  const { project, posts } = await openProject()
  const device = openDevice()
  const { store, outbox, crash } = device.openTab(project)
  device.isOffline = true
  const writing = Array.from({ length: 110 }, (_, number) => store.mutations('posts').create({ number }))
  await expect.poll(() => outbox.get().waiting?.code).toBe('NETWORK')
  let [told, frames] = [0, 0]
  // Timers of the same length fire in turns, however busy the machine is.
  const timer = setInterval(() => frames++, 16)
  outbox.subscribe(() => told++)

  device.isOffline = false
  await Promise.all(writing)
  clearInterval(timer)

  expect(await posts.count()).toBe(110)
  expect(told).toBeGreaterThan(0)
  expect(told).toBeLessThanOrEqual(frames + 1)
  expect(((await device.stored('saved')) as { turn: number }[]).map(({ turn }) => turn)).toEqual(
    Array.from({ length: 100 }, (_, at) => at + 11),
  )
  crash()
})

it('says that a list is offline that was never read, and shows the writes to it', async () => {
  const { project } = await openProject()
  const device = openDevice()
  device.isOffline = true
  const tab = device.openTab(project)
  const list = tab.store.live('posts')
  const leave = list.subscribe(() => {})

  await expect.poll(() => list.get().status, { timeout: 10_000 }).toBe('offline')
  void tab.store.mutations('posts').create({ title: 'mine' })
  const { isLoading, total, items } = list.get()
  device.isOffline = false

  expect([isLoading, total, items.map(({ data }) => data.title)]).toEqual([false, null, ['mine']])
  await expect.poll(() => list.get(), { timeout: 10_000 }).toMatchObject({ status: 'open', total: 1, isLoading: false })
  leave()
  tab.crash()
})

it('sends a write whose tab ended before it knew that the write is kept', async () => {
  const { project, posts } = await openProject()
  let closing: Tab | undefined
  const device = openDevice({
    onTransaction(_, stores, tab) {
      // The browser commits it all the same.
      if (tab === closing && stores.includes('outbox')) queueMicrotask(tab.crash)
    },
  })
  const sending = device.openTab(project)
  await expect.poll(() => sending.outbox.get().storage).toBe('ready')
  await sending.store.mutations('posts').create({ title: 'first' })
  closing = device.openTab(project)
  await expect.poll(() => closing?.outbox.get().storage).toBe('ready')

  void closing.store.mutations('posts').create({ title: 'last' })

  await expect.poll(() => posts.count(), { timeout: 10_000 }).toBe(2)
  sending.crash()
})

it('ends a write that another tab sent, if that tab crashed before it told', async () => {
  const { project, posts } = await openProject()
  let sending: Tab | undefined
  const device = openDevice({
    onTransaction(transaction, stores, tab) {
      // It keeps the id of a saved document.
      if (tab === sending && stores.includes('ids') && stores.includes('outbox'))
        transaction.addEventListener('complete', tab.crash)
    },
  })
  const idle = device.openTab(project)
  await expect.poll(() => idle.outbox.get().storage).toBe('ready')
  idle.crash()
  sending = device.openTab(project)
  await expect.poll(() => sending?.outbox.get().storage).toBe('ready')
  const other = device.openTab(project)
  device.isOffline = true
  const creating = other.store.mutations('posts').create({ title: 'once' })
  await expect.poll(() => other.outbox.get().pending.length).toBe(1)

  device.isOffline = false
  await creating

  await expect.poll(() => other.outbox.get(), { timeout: 10_000 }).toEqual({ ...nothing, storage: 'ready' })
  expect(await posts.count()).toBe(1)
  other.crash()
})

it('never sends what is left after a sign-out, says what it was, and sends it once the same user is back', async () => {
  const { project } = await openProject()
  const posts = project.secretClient.collection('posts')
  const [ada, eve] = [await project.users.create(), await project.users.create()]
  let isHeld = true
  const senders: (string | undefined)[] = []
  const device = openDevice({
    before({ body, headers }) {
      if (!String(body).includes('of Ada')) return
      if (isHeld) throw new TypeError('held')
      const token = new Headers(headers).get('authorization')?.split('.')[1]
      senders.push(token && JSON.parse(Buffer.from(token, 'base64url').toString()).sub)
    },
  })
  const left: unknown[] = []
  const { client, store, outbox, crash } = device.openTab(project, {
    onUnsent: (writes, user) => left.push([user, writes.map(({ body, kind }) => [kind, body])]),
  })
  const list = store.live('posts')
  list.subscribe(() => {})
  const shown = () => list.get().items.map(({ data }) => data.title)
  await client.auth.logIn(ada.credentials)
  await expect.poll(() => list.get().status).toBe('open')
  const creating = store.mutations('posts').create({ title: 'of Ada' })
  const refused = expect(creating).rejects.toThrow('It is closed.')
  await expect.poll(() => outbox.get().waiting?.code).toBe('NETWORK')

  await client.auth.logOut()
  await refused
  isHeld = false
  const out = [outbox.get().pending, shown()]
  await client.auth.logIn(eve.credentials)
  await store.mutations('posts').create({ title: 'of Eve' })
  await expect.poll(shown).toEqual(['of Eve'])

  expect(left).toEqual([[ada.id, [['create', { title: 'of Ada' }]]]])
  expect(out).toEqual([[], []])
  expect(outbox.get().pending).toEqual([])
  expect(senders).toEqual([])
  expect(await posts.count()).toBe(1)

  await client.auth.logIn(ada.credentials)
  await expect.poll(() => posts.count()).toBe(2)
  expect(senders).toEqual([ada.id])
  crash()
})

it('keeps a write of a user whose login is refused, and sends it once the service accepts the login', async () => {
  const { project, posts } = await openProject()
  let isRefused = false
  const refusing: typeof fetch = async (url, init) => {
    if (!isRefused || init?.method !== 'POST') return fetch(url, init)
    return Response.json({ error: { code: 'UNAUTHORIZED', message: 'Log in again.' } }, { status: 401 })
  }
  const { client, store, outbox, crash } = openDevice().openTab({ ...project, fetch: refusing })
  await client.auth.logIn((await project.users.create()).credentials)

  isRefused = true
  const creating = store.mutations('posts').create({ title: 'kept' })
  await expect.poll(() => outbox.get().waiting?.code, { timeout: 10_000 }).toBe('UNAUTHORIZED')
  const { conflicts } = outbox.get()
  isRefused = false
  await creating

  expect(conflicts).toEqual([])
  expect(await posts.count()).toBe(1)
  crash()
})

it('keeps what is written under `svc faults preset offline`, and sends it afterwards', async () => {
  const { project } = await openProject()
  const posts = project.secretClient.collection('posts')
  const { store, outbox, crash } = openDevice().openTab(project)
  const list = store.live('posts')
  list.subscribe(() => {})
  await expect.poll(() => list.get().status).toBe('open')

  await project.faults.preset('offline')
  const creating = store.mutations('posts').create({ title: 'kept' })
  await expect.poll(() => [list.get().status, outbox.get().waiting?.code]).toEqual(['reconnecting', 'NETWORK'])
  expect(list.get().items).toMatchObject([{ data: { title: 'kept' } }])
  await project.faults.clear()
  await creating

  expect(await posts.count()).toBe(1)
  crash()
})
