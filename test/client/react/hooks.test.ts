import { createElement, type FunctionComponent, StrictMode, Suspense } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { renderToString } from 'react-dom/server'
import { afterEach, beforeAll, beforeEach, describe, expect, expectTypeOf, it } from 'vitest'
import { WebSocket } from 'ws'
import { type Client, createClient, type Document, type Link } from '../../../client/index.js'
import { createHooks } from '../../../client/react/index.js'
import type { TestEmulator, TestProject } from '../../../emulator/testing/index.js'
import { aPlace } from '../../fixtures/dom.js'
import { openSharedEmulator } from '../../fixtures/shared-emulator.js'

interface Author {
  name: string
}
interface Post {
  title: string
  status: 'open' | 'done'
  author?: Link<'authors'>
}
type Schema = { posts: Post; authors: Author }

const { SvcProvider, useAuth, useClient, useDocument, useLive, useMutation, usePage } = createHooks<Schema>()

let emulator: TestEmulator
let project: TestProject<Schema>
let svc: Client<Schema>
let root: Root
let place: HTMLElement

beforeAll(async () => {
  emulator = await openSharedEmulator()
})

beforeEach(async () => {
  project = await emulator.project<Schema>()
  const schema = { title: { type: 'string', required: true } } as const
  await project.client.collections.create({ name: 'posts', schema })
  await project.client.collections.create({ name: 'authors' })
  svc = createClient<Schema>({ url: project.url, apiKey: project.apiKey, transport: 'ws', WebSocket })
  place = aPlace()
  root = createRoot(place)
})
afterEach(() => root.unmount())

const render = (component: FunctionComponent, isStrict = false) => {
  const tree = createElement(SvcProvider, { client: svc }, createElement(component))
  root.render(isStrict ? createElement(StrictMode, null, tree) : tree)
}
const text = () => place.textContent ?? ''
const shows = (expected: string) => expect.poll(text).toBe(expected)
const titles = (items: readonly Document<Post>[]) => items.map(({ data }) => data.title).join(',')
const posts = () => project.client.collection('posts')
const connections = async (): Promise<readonly { subscriptions: object[] }[]> => {
  const answer = await project.control.connections?.list?.({ project: project.id })
  return (answer as { connections: [] }).connections
}

describe('useLive', () => {
  it('shows a list, and what others change in it', async () => {
    const first = await posts().create({ title: 'A', status: 'open' })
    render(() => {
      const { items, isLoading, total } = useLive('posts', { where: { status: 'open' }, sort: 'title' })
      return isLoading ? 'loading' : `${titles(items)} of ${total}`
    })
    await shows('A of 1')

    await posts().create({ title: 'B', status: 'open' })
    await shows('A,B of 2')
    await posts().update(first.id, { status: 'done' })
    await shows('B of 1')
  })

  it('opens one subscription for two components, under StrictMode too, and closes it when they go', async () => {
    await posts().create({ title: 'A', status: 'open' })
    const List = () => titles(useLive('posts', { sort: 'title' }).items)
    render(() => createElement('p', null, createElement(List), '|', createElement(List)), true)
    await shows('A|A')

    // The list is read beside its connection, and may be shown before that is open.
    const subscriptions = async () => (await connections()).flatMap((open) => open.subscriptions)
    await expect.poll(subscriptions).toHaveLength(1)
    root.unmount()
    await expect.poll(connections).toEqual([])
  })

  it('asks anew when the question changes', async () => {
    await posts().createMany([
      { title: 'A', status: 'open' },
      { title: 'B', status: 'done' },
    ])
    let status: Post['status'] = 'open'
    const List = () => titles(useLive('posts', { where: { status } }).items)
    render(List)
    await shows('A')
    status = 'done'
    render(() => createElement(List))
    await shows('B')
  })

  it('says why it ended', async () => {
    await project.secretClient.collections.update('posts', { permissions: { read: ['admin'] } })
    render(() => useLive('posts').error?.code ?? 'none')
    await shows('UNAUTHORIZED')
  })

  it('comes back after a login to a list that may not be read without one', async () => {
    const ada = await project.users.create({ roles: ['admin'] })
    await project.secretClient.collections.update('posts', { permissions: { read: ['admin'] } })
    await project.secretClient.collection('posts').create({ title: 'A', status: 'open' })
    render(() => {
      const { items, error } = useLive('posts')
      return error ? error.code : titles(items)
    })
    await shows('UNAUTHORIZED')
    await svc.auth.logIn(ada.credentials)
    await shows('A')
  })

  it('goes on where a tree goes away and comes back later', async () => {
    await posts().create({ title: 'A', status: 'open' })
    const List = () => titles(useLive('posts', { sort: 'title' }).items)
    render(List)
    await shows('A')
    render(() => 'elsewhere')
    await expect.poll(connections).toEqual([])
    await posts().create({ title: 'B', status: 'open' })
    render(List)
    await shows('A,B')
    await posts().create({ title: 'C', status: 'open' })
    await shows('A,B,C')
  })

  it('waits in a Suspense boundary where it is asked to', async () => {
    await posts().create({ title: 'A', status: 'open' })
    await project.faults.add({ kind: 'latency', milliseconds: 300, method: 'GET' })
    const List = () => titles(useLive('posts', { suspense: true }).items)
    const seen: string[] = []
    const Waiting = () => {
      seen.push('waiting')
      return 'waiting'
    }
    render(() => createElement(Suspense, { fallback: createElement(Waiting) }, createElement(List)))
    await shows('A')
    expect(seen).toContain('waiting')
  })

  it('renders on a server without a request', async () => {
    const List = () => (useLive('posts').isLoading ? 'loading' : 'loaded')
    const fetched: unknown[] = []
    const silent = createClient<Schema>({
      url: project.url,
      apiKey: 'x',
      fetch: async (...given) => Promise.reject(fetched.push(given)),
    })
    expect(renderToString(createElement(SvcProvider, { client: silent }, createElement(List)))).toBe('loading')
    expect(fetched).toEqual([])
  })

  it('goes on after the emulator has closed its connection', async () => {
    const List = () => titles(useLive('posts', { sort: 'title' }).items)
    render(List)
    await posts().create({ title: 'A', status: 'open' })
    await shows('A')
    await project.faults.add({ kind: 'flap', seconds: 0.2, times: 2 })
    await expect.poll(async () => (await project.faults.list())[0]?.hits).toBe(2)
    await posts().create({ title: 'B', status: 'open' })
    await shows('A,B')
  })
})

describe('useDocument', () => {
  it('shows a document as it becomes, with what it links to, until it is gone', async () => {
    const author = await project.client.collection('authors').create({ name: 'Ada' })
    const { id } = await posts().create({ title: 'A', status: 'open', author: author.id })
    render(() => {
      const { document, isLoading } = useDocument('posts', id, { populate: ['author'] })
      if (isLoading) return 'loading'
      const by = document?.data.author
      return document ? `${document.data.title} by ${typeof by === 'object' ? by.data.name : by}` : 'none'
    })
    await shows('A by Ada')
    await posts().update(id, { title: 'B' })
    await shows('B by Ada')
    await posts().delete(id)
    await shows('none')
  })
})

describe('useMutation', () => {
  it('shows a write at once, and keeps it once it is taken', async () => {
    const { id } = await posts().create({ title: 'A', status: 'open' })
    let mutate: ReturnType<typeof useMutation<'posts'>> | undefined
    const seen: string[] = []
    render(() => {
      mutate = useMutation('posts')
      const shown = `${titles(useLive('posts').items)}${mutate.isPending ? ' …' : ''}`
      seen.push(shown)
      return shown
    })
    await shows('A')

    // The answer waits until the list has shown it.
    await project.faults.add({ kind: 'latency', milliseconds: 300, method: 'PATCH' })
    await mutate?.update(id, { title: 'B' })
    await shows('B')
    expect(seen).toContain('B …')
    await mutate?.create({ title: 'C', status: 'open' })
    await shows('C,B')
    await mutate?.remove(id)
    await shows('C')
    expect(seen.join(' ')).not.toContain('C,C')
    expect((await posts().list()).items.map(({ data }) => data.title)).toEqual(['C'])
  })

  it('takes back what is refused, and says why', async () => {
    const { id } = await posts().create({ title: 'A', status: 'open' })
    let mutate: ReturnType<typeof useMutation<'posts'>> | undefined
    const seen: string[] = []
    render(() => {
      mutate = useMutation('posts')
      const shown = `${titles(useLive('posts').items)} ${mutate.error?.code ?? ''}`
      seen.push(shown)
      return shown
    })
    await shows('A ')
    await project.faults.add({ kind: 'latency', milliseconds: 200, method: 'PATCH' })
    await expect(mutate?.update(id, { title: 7 as never })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })
    await shows('A VALIDATION_ERROR')
    expect(seen).toContain('7 ')
    await expect(mutate?.remove('none')).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await shows('A NOT_FOUND')
  })
})

describe('usePage', () => {
  it('turns pages, and begins anew with another question', async () => {
    await posts().createMany(['A', 'B', 'C', 'D', 'E'].map((title) => ({ title, status: 'open' as const })))
    let pages: ReturnType<typeof usePage<'posts'>> | undefined
    let sort: 'title' | '-title' = 'title'
    const List = () => {
      pages = usePage('posts', { sort, limit: 2 })
      return pages.isLoading ? 'loading' : `${titles(pages.items)} ${pages.page + 1}/${pages.pageCount}`
    }
    render(List)
    await shows('A,B 1/3')
    pages?.next()
    await shows('C,D 2/3')
    pages?.previous()
    await shows('A,B 1/3')
    pages?.goTo(2)
    await shows('E 3/3')
    sort = '-title'
    render(() => createElement(List))
    await shows('E,D 1/3')
  })
})

describe('useAuth', () => {
  it('tells who is signed in, and lists follow', async () => {
    const ada = await project.users.create({ roles: ['admin'] })
    await project.secretClient.collections.update('posts', { permissions: { read: ['admin'] } })
    await project.secretClient.collection('posts').create({ title: 'A', status: 'open' })
    const Posts = () => titles(useLive('posts').items)
    render(() => {
      const { user, isLoading } = useAuth()
      if (isLoading) return 'loading'
      return user ? createElement('p', null, `${user.email}: `, createElement(Posts)) : 'nobody'
    })
    await shows('nobody')
    await svc.auth.logIn(ada.credentials)
    await shows(`${ada.email}: A`)
    await svc.auth.logOut()
    await shows('nobody')
  })
})

it('needs a provider', () => {
  expect(() => renderToString(createElement(() => String(useClient())))).toThrow(
    'Render this component inside SvcProvider.',
  )
})

it('knows the documents by their types', () => {
  const typed = () => {
    const { items } = useLive('posts', { where: { status: 'open' }, populate: ['author'] })
    expectTypeOf(items).items.toExtend<Document<{ title: string; status: 'open' | 'done' }>>()
    // @ts-expect-error: no such collection
    useLive('pots')
    // @ts-expect-error: no such value
    useLive('posts', { where: { status: 'lost' } })
    // @ts-expect-error: leads nowhere
    useLive('posts', { populate: ['title'] })
    // @ts-expect-error: no such field
    void useMutation('posts').update('1', { titel: 'A' })
    // @ts-expect-error: a status is missing
    void useMutation('posts').create({ title: 'A' })
  }
  expect(typed).toBeTypeOf('function')
})
