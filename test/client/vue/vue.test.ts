/** The composables in a small app, against the emulator. */
// First, because Vue looks for the document when it is loaded.
import '../../fixtures/dom.js'

import { afterEach, beforeAll, beforeEach, expect, expectTypeOf, it } from 'vitest'
import { type App, createApp, createSSRApp, defineComponent, effectScope, h, nextTick, ref } from 'vue'
import { renderToString } from 'vue/server-renderer'
import { WebSocket } from 'ws'
import { type Client, createClient, type Document } from '../../../client/index.js'
import { readInitialData } from '../../../client/server.js'
import { createHooks } from '../../../client/vue/index.js'
import type { TestEmulator, TestProject } from '../../../emulator/testing/index.js'
import { aPlace, defineElements } from '../../fixtures/dom.js'
import { openSharedEmulator } from '../../fixtures/shared-emulator.js'

interface Post {
  title: string
  status: 'open' | 'done'
}
type Schema = { posts: Post }

const { SvcPlugin, useAuth, useClient, useDocument, useLive, useMutation, usePage } = createHooks<Schema>()

let emulator: TestEmulator
let project: TestProject<Schema>
let svc: Client<Schema>
let place: HTMLElement
let app: App | undefined

beforeAll(async () => {
  defineElements()
  emulator = await openSharedEmulator()
})

beforeEach(async () => {
  project = await emulator.project<Schema>()
  const schema = { title: { type: 'string', required: true } } as const
  await project.client.collections.create({ name: 'posts', schema })
  svc = createClient<Schema>({ url: project.url, apiKey: project.apiKey, transport: 'ws', WebSocket })
  place = aPlace()
})
afterEach(() => app?.unmount())

const render = (setup: () => () => unknown) => {
  app?.unmount()
  app = createApp(defineComponent({ setup: () => setup() as never }))
  app.use(SvcPlugin, svc).mount(place)
}
const shows = (expected: string) => expect.poll(() => place.textContent).toBe(expected)
const titles = (items: readonly Document<Post>[]) => items.map(({ data }) => data.title).join()
const posts = () => project.client.collection('posts')
const connections = async () => {
  const answer = await project.control.connections?.list?.({ project: project.id })
  return (answer as { connections: object[] }).connections
}

it('shows a list that follows changes and its query, and closes it when the app is unmounted', async () => {
  const first = await posts().create({ title: 'A', status: 'open' })
  const status = ref<Post['status']>('open')
  render(() => {
    const { items, isLoading, total } = useLive('posts', () => ({ where: { status: status.value }, sort: 'title' }))
    return () => (isLoading.value ? 'loading' : `${titles(items.value)} of ${total.value}`)
  })
  expect(place.textContent).toBe('loading')
  await shows('A of 1')

  await posts().create({ title: 'B', status: 'open' })
  await shows('A,B of 2')
  await posts().update(first.id, { status: 'done' })
  await shows('B of 1')
  status.value = 'done'
  await shows('A of 1')

  app?.unmount()
  app = undefined
  await expect.poll(connections).toEqual([])
})

it('shows writes at once, renders the changed row alone, and says why a write was refused', async () => {
  const [first] = await posts().createMany([
    { title: 'A', status: 'open' },
    { title: 'C', status: 'open' },
  ])
  const rendered: string[] = []
  const Row = defineComponent({
    props: { post: { type: Object, required: true } },
    setup: (props) => () => {
      rendered.push((props.post as Document<Post>).data.title)
      return h('li', (props.post as Document<Post>).data.title)
    },
  })
  let writes: ReturnType<typeof useMutation<'posts'>> | undefined
  render(() => {
    const { items } = useLive('posts', { sort: 'title' })
    writes = useMutation('posts')
    const { isPending, error } = writes
    return () => [
      items.value.map((post) => h(Row, { key: post.id, post })),
      `${isPending.value ? ' …' : ''}${error.value?.code ?? ''}`,
    ]
  })
  await shows('AC')
  await project.faults.add({ kind: 'latency', milliseconds: 300, method: 'POST' })
  rendered.length = 0

  const created = writes?.create({ title: 'B', status: 'open' })
  await nextTick()
  expect(place.textContent).toBe('ABC …')
  await created
  await shows('ABC')
  await expect(writes?.update(first?.id ?? '', { title: 7 as never })).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
  })

  await shows('ABCVALIDATION_ERROR')
  expect(new Set(rendered)).toEqual(new Set(['B', 7, 'A']))
})

it('turns pages, starts again with another query, and reads again on demand', async () => {
  await posts().createMany(['A', 'B', 'C'].map((title) => ({ title, status: 'open' as const })))
  const sort = ref<'title' | '-title'>('title')
  let pages: ReturnType<typeof usePage<'posts'>> | undefined
  render(() => {
    const shown = usePage('posts', () => ({ sort: sort.value, limit: 2 }))
    pages = shown
    const { items, page, pageCount, isLoading } = shown
    return () => (isLoading.value ? 'loading' : `${titles(items.value)} ${page.value} of ${pageCount.value}`)
  })

  await shows('A,B 0 of 2')
  pages?.next()
  await shows('C 1 of 2')
  sort.value = '-title'
  await shows('C,B 0 of 2')
  await posts().create({ title: 'D', status: 'open' })
  pages?.reload()
  await shows('D,C 0 of 2')
})

it('shows in the HTML what a server has read, and hydrates without a mismatch or a request', async () => {
  await posts().create({ title: 'A', status: 'open' })
  const query = { sort: 'title', limit: 10 } as const
  const initialData = await readInitialData(project.client, { lists: [{ collection: 'posts', query }] })
  const requests: string[] = []
  const counted: typeof fetch = (input, init) => {
    requests.push(String(input))
    return fetch(input, init)
  }
  const browser = createClient<Schema>({ ...project, transport: 'ws', WebSocket, fetch: counted })
  let status: { readonly value: string } | undefined
  const problems: unknown[] = []
  const open = (client: Client<Schema>) => {
    const setup = () => {
      const list = useLive('posts', query)
      status = list.status
      return () => h('p', list.isLoading.value ? 'loading' : titles(list.items.value))
    }
    const made = createSSRApp(defineComponent({ setup: () => setup() as never }))
    made.config.warnHandler = (warning) => problems.push(warning)
    return made.use(SvcPlugin, client, { initialData })
  }
  place.innerHTML = await renderToString(open(svc))
  const html = place.textContent

  app = open(browser)
  app.mount(place)
  await expect.poll(() => status?.value).toBe('open')
  const requestsBefore = requests.length
  await posts().create({ title: 'B', status: 'open' })
  await shows('A,B')

  expect(html).toBe('A')
  expect(requestsBefore).toBe(0)
  expect(problems).toEqual([])
})

it('follows a document whose id is known later, until it is gone', async () => {
  const { id } = await posts().create({ title: 'A', status: 'open' })
  const chosen = ref<string>()
  render(() => {
    const { document } = useDocument('posts', chosen)
    return () => document.value?.data.title ?? 'none'
  })
  await shows('none')
  chosen.value = id
  await shows('A')
  await posts().update(id, { title: 'B' })
  await shows('B')
  await posts().delete(id)
  await shows('none')
})

it('tells who is signed in, and lists follow', async () => {
  const ada = await project.users.create({ roles: ['admin'] })
  await project.secretClient.collections.update('posts', { permissions: { read: ['admin'] } })
  await project.secretClient.collection('posts').create({ title: 'A', status: 'open' })
  render(() => {
    const { user, isLoading } = useAuth()
    const { items } = useLive('posts')
    return () => (isLoading.value ? 'loading' : `${user.value?.email ?? 'nobody'}: ${titles(items.value)}`)
  })
  await shows('nobody: ')
  await svc.auth.logIn(ada.credentials)
  await shows(`${ada.email}: A`)
  await svc.auth.logOut()
  await shows('nobody: ')
})

it('runs in a scope without a component, which ends it', async () => {
  await posts().create({ title: 'A', status: 'open' })
  const scope = effectScope()
  const outside = createApp({}).use(SvcPlugin, svc)
  const items = outside.runWithContext(() => scope.run(() => useLive('posts').items))

  await expect.poll(() => titles(items?.value ?? [])).toBe('A')
  scope.stop()

  await expect.poll(connections).toEqual([])
})

it('needs the plugin', () => {
  const without = createApp(defineComponent({ setup: () => () => useClient() as never }))
  without.config.warnHandler = () => undefined
  expect(() => without.mount(place)).toThrow('Add the plugin to your app: app.use(SvcPlugin, svc).')
})

it('knows the documents by their types', () => {
  const typed = () => {
    const { items } = useLive('posts', { where: { status: 'open' } })
    expectTypeOf(items.value).items.toExtend<Document<Post>>()
    // @ts-expect-error: no such collection
    useLive('pots')
    // @ts-expect-error: no such value
    useLive('posts', () => ({ where: { status: 'lost' } }))
    // @ts-expect-error: no such field
    void useMutation('posts').update('1', { titel: 'A' })
  }
  expect(typed).toBeTypeOf('function')
})
