/** Writes that were saved just before the page ended, in the lists that the browser has kept. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Document } from '../../../client/index.js'
import type { MutationStore } from '../../../client/store/index.js'
import { startTestEmulator, type TestEmulator } from '../../../emulator/testing/index.js'
import { openDevice, type Tab } from './device.js'

let emulator: TestEmulator
beforeAll(async () => {
  emulator = await startTestEmulator()
})
afterAll(() => emulator.close())

const byTitle = { sort: 'title' } as const
const titlesOf = (items: readonly Document<object>[]) => items.map(({ data }) => (data as { title: string }).title)

/** Opens the lists of an app, which stay open until the tab ends. */
function openLists({ store }: Tab) {
  const lists = [store.live('posts'), store.live('posts', byTitle)]
  for (const list of lists) list.subscribe(() => {})
  return () => lists.map((list) => titlesOf(list.get().items).join(' '))
}

interface KeptList {
  readonly page: { readonly items: readonly Document[] }
}

/** A device that keeps two lists of posts. */
async function openKept() {
  const project = await emulator.project()
  await project.client.collections.create({ name: 'posts' })
  const posts = project.client.collection('posts')
  const { id } = await posts.create({ title: 'b' })
  await posts.create({ title: 'd' })
  let ending: Tab | undefined
  let isCut = false
  const device = openDevice({
    before({ method = 'GET' }) {
      if (isCut && method === 'GET') throw new TypeError('cut')
      // From the last write on, no list is read.
      isCut = ending !== undefined && method !== 'GET'
    },
    onTransaction(transaction, stores, tab) {
      // After the request, the outbox changes only to remove the saved write.
      if (!isCut || tab !== ending || !stores.includes('outbox')) return
      transaction.addEventListener('complete', () => {
        tab.crash()
        device.isOffline = true
        ending = undefined
        isCut = false
      })
    },
  })
  const tab = device.openTab(project)
  const shown = openLists(tab)
  const kept = async () =>
    ((await device.stored('pages')) as KeptList[]).map(({ page }) => titlesOf(page.items).join(' '))
  await expect.poll(shown).toEqual(['d b', 'b d'])
  await expect.poll(kept).toEqual(expect.arrayContaining(['d b', 'b d']))
  return {
    ...{ project, posts, device, tab, id, kept },
    /** Makes a write, and ends the tab once the browser knows that it is saved. */
    async writeLast(write: (mutations: MutationStore<object>, id: string) => Promise<unknown>) {
      ending = tab
      void write(tab.store.mutations('posts'), id)
      await expect.poll(() => ending).toBe(undefined)
    },
  }
}

const writes: readonly {
  readonly name: string
  readonly write: (mutations: MutationStore<object>, id: string) => Promise<unknown>
  readonly expected: readonly string[]
}[] = [
  { name: 'a create', write: ({ create }) => create({ title: 'c' }), expected: ['c d b', 'b c d'] },
  { name: 'an update', write: ({ update }, id) => update(id, { title: 'e' }), expected: ['d e', 'd e'] },
  { name: 'a removal', write: ({ remove }, id) => remove(id), expected: ['d', 'd'] },
]

it.each(writes)('shows $name offline that was saved just before the page ended', async ({ write, expected }) => {
  const { project, posts, device, writeLast } = await openKept()
  await writeLast(write)
  expect(await device.storedKeys()).toEqual(new Set())
  expect(titlesOf((await posts.list(byTitle)).items).join(' ')).toBe(expected[1])

  const tab = device.openTab(project)

  await expect.poll(openLists(tab)).toEqual(expected)
  tab.crash()
})

it('does not show a saved write again in a list that was kept later', async () => {
  const { project, posts, device, tab, kept } = await openKept()
  const made = await tab.store.mutations('posts').create({ title: 'c' })
  await expect.poll(kept).toEqual(expect.arrayContaining(['c d b', 'b c d']))
  await posts.delete(made.id)
  await expect.poll(kept).toEqual(expect.arrayContaining(['d b', 'b d']))
  device.isOffline = true
  tab.crash()

  const after = device.openTab(project)

  await expect.poll(openLists(after)).toEqual(['d b', 'b d'])
  expect(await device.stored('saved')).toMatchObject([{ id: made.id }])
  after.crash()
})

it('forgets saved writes when the user signs out', async () => {
  const { project, device, tab } = await openKept()
  const user = await project.users.create()
  await tab.client.auth.logIn(user.credentials)
  await tab.store.mutations('posts').create({ title: 'of the user' })
  await expect
    .poll(async () => device.stored('saved'))
    .toMatchObject([{ document: { data: { title: 'of the user' } } }])

  await tab.client.auth.logOut()

  await expect.poll(() => device.stored('saved')).toEqual([])
  tab.crash()
})
