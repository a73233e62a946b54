/** Writes in lists, over the wire: at once where the service will have them, and without a flicker when it does. */
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { createClient, type Link, type SvcError } from '../../../client/index.js'
import {
  type ListSelection,
  type Live,
  type LiveState,
  type MutationStore,
  openStore,
  type Store,
} from '../../../client/store/index.js'
import type { TestEmulator, TestProject } from '../../../emulator/testing/index.js'
import { openSharedEmulator } from '../../fixtures/shared-emulator.js'

interface Author {
  name: string
}
interface Post {
  title: string
  views: number
  author?: Link<'authors'>
}
type Schema = { posts: Post; authors: Author }

let emulator: TestEmulator
let project: TestProject<Schema>
let store: Store<Schema>
let ids: Record<string, string>
/** Holds requests of the client back: before they are sent, or their answers. */
let held: { readonly method: RegExp; readonly what: 'request' | 'answer'; readonly until: Promise<void> } | undefined

beforeAll(async () => {
  emulator = await openSharedEmulator()
})

beforeEach(async () => {
  held = undefined
  project = await emulator.project<Schema>()
  await project.client.collections.create({ name: 'posts', schema: { views: { type: 'number', min: 0 } } })
  await project.client.collections.create({ name: 'authors' })
  ids = {}
  for (const title of ['A', 'C', 'E', 'G']) {
    const views = title.charCodeAt(0) - 64
    ids[title] = (await project.client.collection('posts').create({ title, views })).id
  }
  const heldFetch: typeof fetch = async (url, init) => {
    const hold = held?.method.test(init?.method ?? 'GET') ? held : undefined
    if (hold?.what === 'request') await hold.until
    const answer = await fetch(url, init)
    if (hold?.what === 'answer') await hold.until
    return answer
  }
  const svc = createClient<Schema>({ ...project, transport: 'ws', WebSocket, fetch: heldFetch })
  store = openStore(svc)
})

function hold(method: RegExp, what: 'request' | 'answer'): () => void {
  let release = () => {}
  const until = new Promise<void>((resolve) => {
    release = resolve
  })
  held = { method, what, until }
  return () => {
    held = undefined
    release()
  }
}

/** Records every state of a list, in short. */
async function follow(list: Live<LiveState<{ readonly data: { readonly title: string } }>>) {
  const seen: string[] = []
  const short = () => {
    const { items, total, isLoading } = list.get()
    return isLoading ? 'loading' : `${items.map(({ data }) => data.title).join('')} of ${total}`
  }
  const leave = list.subscribe(() => {
    if (seen.at(-1) !== short()) seen.push(short())
  })
  await expect.poll(() => list.get().status === 'open' && !list.get().isLoading).toBe(true)
  seen.length = 0
  seen.push(short())
  const shows = (expected: string) => expect.poll(short).toBe(expected)
  return { seen, leave, shows, short }
}

const isSaved = () =>
  expect
    .poll(() =>
      store
        .outbox()
        .get()
        .filter(({ state }) => state !== 'saved'),
    )
    .toEqual([])
/** Lets the list read what the service has by now. */
const isQuiet = async () => {
  await isSaved()
  await new Promise((resolve) => setTimeout(resolve, 300))
}

/** A list, a write to it, and the list right after it, which is that of the service, too. */
const writes: readonly {
  name: string
  query: ListSelection<Post, never, Schema, never>
  before: string
  write: (posts: MutationStore<Post>) => Promise<unknown>
  after: string
}[] = [
  {
    name: 'creates in the order of the list',
    query: { sort: 'title' },
    before: 'ACEG of 4',
    write: (posts) => posts.create({ title: 'D', views: 4 }),
    after: 'ACDEG of 5',
  },
  {
    name: 'creates where nothing is said, newest first',
    query: {},
    before: 'GECA of 4',
    write: (posts) => posts.create({ title: 'D', views: 4 }),
    after: 'DGECA of 5',
  },
  {
    name: 'creates that match the filter',
    query: { where: { views: { gte: 3 } }, sort: '-views' },
    before: 'GEC of 3',
    write: (posts) => posts.create({ title: 'F', views: 6 }),
    after: 'GFEC of 4',
  },
  {
    name: 'creates that push another over the limit',
    query: { sort: 'title', limit: 3 },
    before: 'ACE of 4',
    write: (posts) => posts.create({ title: 'B', views: 2 }),
    after: 'ABC of 5',
  },
  {
    name: 'creates behind the page',
    query: { sort: 'title', limit: 3 },
    before: 'ACE of 4',
    write: (posts) => posts.create({ title: 'F', views: 6 }),
    after: 'ACE of 5',
  },
  {
    name: 'updates where they belong now',
    query: { sort: '-views' },
    before: 'GECA of 4',
    write: (posts) => posts.update(ids.A ?? '', { views: 6 }),
    after: 'GAEC of 4',
  },
  {
    name: 'updates that no longer match',
    query: { where: { views: { gte: 3 } }, sort: 'title' },
    before: 'CEG of 3',
    write: (posts) => posts.update(ids.E ?? '', { views: 2 }),
    after: 'CG of 2',
  },
  {
    name: 'removals',
    query: { sort: 'title' },
    before: 'ACEG of 4',
    write: (posts) => posts.remove(ids.C ?? ''),
    after: 'AEG of 3',
  },
]

describe.each([
  ['before the answer', /POST|PATCH|DELETE/, 'answer'],
  ['after the answer', /GET/, 'request'],
  ['by a read that began before the write', /GET/, 'answer'],
] as const)('A list that has the write %s', (_, method, what) => {
  it.each(writes)('shows once, and keeps, $name', async ({ name, query, before, write, after }) => {
    const list = store.live('posts', query)
    const { seen, shows, leave } = await follow(list)

    const release = hold(method, what)
    // A read of the list is on its way when the write begins.
    if (what === 'answer' && method.test('GET'))
      await project.client.collection('posts').update(ids.C ?? '', { views: 3 })
    const written = write(store.mutations('posts'))
    if (name !== 'creates behind the page') await shows(after)
    await new Promise((resolve) => setTimeout(resolve, 200))
    release()
    await written
    await isQuiet()

    expect(seen).toEqual([before, after])
    leave()
  })

  it('shows two equal documents as two', async () => {
    const list = await follow(store.live('posts', { sort: 'title' }))
    const { create } = store.mutations('posts')

    const release = hold(method, what)
    const written = Promise.all([create({ title: 'D', views: 4 }), create({ title: 'D', views: 4 })])
    await list.shows('ACDDEG of 6')
    await new Promise((resolve) => setTimeout(resolve, 200))
    release()
    await written
    await isQuiet()

    expect(list.seen).toEqual(['ACEG of 4', 'ACDEG of 5', 'ACDDEG of 6'])
    list.leave()
  })
})

it('takes back exactly the write that is refused, and says why', async () => {
  const list = await follow(store.live('posts', { sort: 'title' }))
  const posts = store.mutations('posts')
  const release = hold(/PATCH|POST/, 'request')

  const refused = posts.update(ids.A ?? '', { title: 'Z', views: -1 })
  const kept = posts.create({ title: 'D', views: 4 })
  refused.catch(() => undefined)
  await list.shows('CDEGZ of 5')
  release()

  await expect(refused).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })
  await kept
  await isQuiet()
  expect(list.seen).toEqual(['ACEG of 4', 'CEGZ of 4', 'CDEGZ of 5', 'ACDEG of 5'])
  expect((posts.get().error as SvcError).issues).toMatchObject([{ path: ['views'] }])
  list.leave()
})

it('sends a write that waits behind one that is refused', async () => {
  const posts = store.mutations('posts')

  const refused = posts.update(ids.A ?? '', { views: -1 })
  const kept = posts.update(ids.A ?? '', { title: 'B' })
  kept.catch(() => undefined)

  await expect(refused).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })
  expect((await kept).data).toEqual({ title: 'B', views: 1 })
})

it('a document that begins to match appears, if another list has read it', async () => {
  const many = await follow(store.live('posts', { where: { views: { gte: 5 } }, sort: 'title' }))
  const all = await follow(store.live('posts', { sort: '-title' }))
  const release = hold(/PATCH/, 'request')

  const written = store.mutations('posts').update(ids.A ?? '', { views: 9 })
  await many.shows('AEG of 3')
  release()
  await written
  await isQuiet()

  expect(many.seen).toEqual(['EG of 2', 'AEG of 3'])
  all.leave()
  many.leave()
})

it('an update that is followed by its opposite leaves the list as it was', async () => {
  const list = await follow(store.live('posts', { where: { views: { gte: 5 } }, sort: 'title' }))
  const { update } = store.mutations('posts')
  const release = hold(/PATCH/, 'request')

  const written = Promise.all([update(ids.E ?? '', { views: 1 }), update(ids.E ?? '', { views: 5 })])
  await list.shows('EG of 2')
  release()
  await written
  await isQuiet()

  expect(list.seen[1]).toBe('G of 1')
  expect(list.short()).toBe('EG of 2')
  list.leave()
})

it('a new document is changed and removed before it is saved', async () => {
  const found = store.live('posts', { where: { views: { gte: 3 } }, sort: 'title' })
  const list = await follow(found)
  const posts = store.mutations('posts')
  const release = hold(/POST/, 'request')

  const created = posts.create({ title: 'D', views: 4 })
  await list.shows('CDEG of 4')
  const id = found.get().items[1]?.id ?? ''
  const changed = posts.update(id, { title: 'F' })
  await list.shows('CEFG of 4')
  release()
  expect((await changed).id).toBe((await created).id)
  await isQuiet()
  expect(list.short()).toBe('CEFG of 4')
  await posts.remove(id)
  await isQuiet()

  expect(list.seen).toEqual(['CEG of 3', 'CDEG of 4', 'CEFG of 4', 'CEG of 3'])
  list.leave()
})

it('a new document shows the linked documents that the list knows', async () => {
  const { id: ada } = await project.client.collection('authors').create({ name: 'Ada' })
  const { id: bob } = await project.client.collection('authors').create({ name: 'Bob' })
  await project.client.collection('posts').update(ids.A ?? '', { author: ada })
  const list = store.live('posts', { sort: 'title', populate: ['author'] })
  const leave = list.subscribe(() => undefined)
  const authors = () =>
    list.get().items.map(({ data: { author } }) => (typeof author === 'object' ? author.data.name : author))
  await expect.poll(authors).toEqual(['Ada', undefined, undefined, undefined])
  const release = hold(/POST|PATCH/, 'request')

  const { create, update } = store.mutations('posts')
  const written = [create({ title: 'B', views: 2, author: ada }), update(ids.C ?? '', { author: bob })]
  await expect.poll(authors).toEqual(['Ada', 'Ada', bob, undefined, undefined])
  release()
  await Promise.all(written)

  await expect.poll(authors).toEqual(['Ada', 'Ada', 'Bob', undefined, undefined])
  leave()
})

it('a list that only the service can filter waits for it', async () => {
  const { id: ada } = await project.client.collection('authors').create({ name: 'Ada' })
  await project.client.collection('posts').update(ids.A ?? '', { author: ada })
  const linked = store.live('posts', { where: { 'author.name': 'Ada' }, populate: ['author'], sort: 'title' })
  const selected = store.live('posts', { where: { views: { gte: 5 } }, select: ['title'], sort: 'title' })
  const [links, parts] = [await follow(linked as never), await follow(selected as never)]
  const release = hold(/POST/, 'request')

  const written = store.mutations('posts').create({ title: 'H', views: 8, author: ada })
  await new Promise((resolve) => setTimeout(resolve, 100))
  release()
  await written

  await links.shows('AH of 2')
  await parts.shows('EGH of 3')
  expect([links.seen, parts.seen]).toEqual([
    ['A of 1', 'AH of 2'],
    ['EG of 2', 'EGH of 3'],
  ])
  links.leave()
  parts.leave()
})

it('rows that did not change stay the objects that they were', async () => {
  const list = store.live('posts', { sort: 'title' })
  const { leave } = await follow(list)
  const before = list.get().items

  await store.mutations('posts').update(ids.C ?? '', { views: 9 })
  await isQuiet()

  const after = list.get().items
  expect(after.map((item, at) => item === before[at])).toEqual([true, false, true, true])
  leave()
})
