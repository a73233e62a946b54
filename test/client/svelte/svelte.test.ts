/** The stores and runes in a small app, compiled by Svelte, against the emulator. */

import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, expect, expectTypeOf, it } from 'vitest'
import { WebSocket } from 'ws'
import { type Client, createClient, type Document } from '../../../client/index.js'
import { readInitialData } from '../../../client/server.js'
import { createHooks } from '../../../client/svelte/index.js'
import type { TestEmulator, TestProject } from '../../../emulator/testing/index.js'
import { aPlace, defineElements } from '../../fixtures/dom.js'
import { bundleSvelte } from '../../fixtures/packages/svelte-app.js'
import { openSharedEmulator } from '../../fixtures/shared-emulator.js'

interface Post {
  title: string
  status: 'open' | 'done'
}
type Schema = { posts: Post }

const root = fileURLToPath(new URL('../../../', import.meta.url))

let emulator: TestEmulator
let project: TestProject<Schema>
let svc: Client<Schema>
let place: HTMLElement
let folder: string
let close: () => Promise<unknown> = async () => undefined

beforeAll(async () => {
  defineElements()
  emulator = await openSharedEmulator()
  // Inside the tree, so that Svelte is found.
  folder = await mkdtemp(join(root, 'test/.docs-svelte-'))
})
afterAll(async () => {
  await rm(folder, { recursive: true })
})

beforeEach(async () => {
  project = await emulator.project<Schema>()
  const schema = { title: { type: 'string', required: true } } as const
  await project.client.collections.create({ name: 'posts', schema })
  svc = createClient<Schema>({ url: project.url, apiKey: project.apiKey, transport: 'ws', WebSocket })
  place = aPlace()
})
afterEach(async () => {
  await close()
  close = async () => undefined
})

async function mount(source: string, props: object = {}) {
  const { start } = await bundleSvelte(source, folder)
  close = start(place, { svc, ...props })
}

const script = `
  import { createHooks } from '${root}client/svelte/index.ts'
  const { provideClient, useAuth, useDocument, useLive, useMutation, usePage } = createHooks()`
const shows = (expected: string) => expect.poll(() => place.textContent?.trim()).toBe(expected)
const posts = () => project.client.collection('posts')
const connections = async () => {
  const answer = await project.control.connections?.list?.({ project: project.id })
  return (answer as { connections: object[] }).connections
}

it('shows a list by runes, and closes it when the app is unmounted', async () => {
  const first = await posts().create({ title: 'A', status: 'open' })
  let choose: (status: string) => void = () => undefined
  await mount(
    `<script>${script}
  const { svc, onReady } = $props()
  provideClient(svc)
  let status = $state('open')
  onReady((next) => { status = next })
  const posts = useLive('posts', () => ({ where: { status }, sort: 'title' }))
</script>
{#if posts.isLoading}loading{:else}{#each posts.items as post (post.id)}{post.data.title}{/each} of {posts.total}{/if}`,
    {
      onReady(given: typeof choose) {
        choose = given
      },
    },
  )
  await shows('A of 1')
  await posts().create({ title: 'B', status: 'open' })
  await shows('AB of 2')
  await posts().update(first.id, { status: 'done' })
  await shows('B of 1')

  choose('done')
  await shows('A of 1')

  await close()
  close = async () => undefined
  await expect.poll(connections).toEqual([])
})

it('turns pages, starts again with another query, and reads again on demand', async () => {
  await posts().createMany(['A', 'B', 'C'].map((title) => ({ title, status: 'open' as const })))
  let calls: { next(): void; reload(): void; choose(sort: string): void } | undefined
  await mount(
    `<script>${script}
  const { svc, onReady } = $props()
  provideClient(svc)
  let sort = $state('title')
  const posts = usePage('posts', () => ({ sort, limit: 2 }))
  onReady({ next: posts.next, reload: posts.reload, choose: (next) => { sort = next } })
</script>
{#if posts.isLoading}loading{:else}{#each posts.items as post (post.id)}{post.data.title}{/each} {posts.page} of {posts.pageCount}{/if}`,
    {
      onReady(given: typeof calls) {
        calls = given
      },
    },
  )

  await shows('AB 0 of 2')
  calls?.next()
  await shows('C 1 of 2')
  calls?.choose('-title')
  await shows('CB 0 of 2')
  await posts().create({ title: 'D', status: 'open' })
  calls?.reload()
  await shows('DC 0 of 2')
})

it('shows what a server has read without a request, and follows changes', async () => {
  await posts().create({ title: 'A', status: 'open' })
  const query = { sort: 'title', limit: 10 } as const
  const initialData = await readInitialData(project.client, { lists: [{ collection: 'posts', query }] })
  const requests: string[] = []
  const counted: typeof fetch = (input, init) => {
    requests.push(String(input))
    return fetch(input, init)
  }
  svc = createClient<Schema>({ ...project, transport: 'ws', WebSocket, fetch: counted })
  await mount(
    `<script>${script}
  const { svc, initialData, query } = $props()
  provideClient(svc, { initialData })
  const posts = useLive('posts', query)
</script>
{#if posts.isLoading}loading{:else}{#each posts.items as post (post.id)}{post.data.title}{/each} {posts.status}{/if}`,
    { initialData, query },
  )
  const atOnce = place.textContent?.trim()
  await shows('A open')
  const requestsBefore = requests.length
  await posts().create({ title: 'B', status: 'open' })
  await shows('AB open')

  expect(atOnce).toBe('A connecting')
  expect(requestsBefore).toBe(0)
})

it('shows a list as a store, writes at once, and says why a write was refused', async () => {
  await posts().createMany([
    { title: 'A', status: 'open' },
    { title: 'C', status: 'open' },
  ])
  let writes: ReturnType<ReturnType<typeof createHooks<Schema>>['useMutation']> | undefined
  await mount(
    `<script>${script}
  const { svc, onReady } = $props()
  provideClient(svc)
  const posts = useLive('posts', { sort: 'title' })
  const writes = useMutation('posts')
  onReady(writes)
</script>
{#each $posts.items as post (post.id)}{post.data.title}{/each}{writes.isPending ? ' …' : ''}{$writes.error?.code ?? ''}`,
    {
      onReady(given: typeof writes) {
        writes = given
      },
    },
  )
  await shows('AC')
  await project.faults.add({ kind: 'latency', milliseconds: 300, method: 'POST' })

  const created = writes?.create({ title: 'B', status: 'open' })
  await shows('ABC …')
  await created
  await shows('ABC')
  await expect(writes?.update('none', { title: 'Z' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  await shows('ABCNOT_FOUND')
})

it('follows a document, and who is signed in', async () => {
  const ada = await project.users.create({ roles: ['admin'] })
  await project.secretClient.collections.update('posts', { permissions: { read: ['admin'] } })
  const { id } = await project.secretClient.collection('posts').create({ title: 'A', status: 'open' })
  await mount(
    `<script>${script}
  const { svc, id } = $props()
  provideClient(svc)
  const session = useAuth()
  const post = useDocument('posts', () => id)
</script>
{session.user?.email ?? 'nobody'}: {post.error?.code ?? post.document?.data.title}`,
    { id },
  )
  await shows('nobody: UNAUTHORIZED')
  await svc.auth.logIn(ada.credentials)
  await shows(`${ada.email}: A`)
  await project.secretClient.collection('posts').update(id, { title: 'B' })
  await shows(`${ada.email}: B`)
  await svc.auth.logOut()
  await shows('nobody: UNAUTHORIZED')
})

it('needs a client', async () => {
  const without = mount(`<script>${script}
  useLive('posts')
</script>`)

  await expect(without).rejects.toThrow('Call provideClient(svc) in a component above.')
})

it('knows the documents by their types', () => {
  const { useLive, useMutation } = createHooks<Schema>()
  const typed = () => {
    const posts = useLive('posts', { where: { status: 'open' } })
    expectTypeOf(posts.items).items.toExtend<Document<Post>>()
    posts.subscribe(({ items }) => expectTypeOf(items).items.toExtend<Document<Post>>())
    // @ts-expect-error: no such collection
    useLive('pots')
    // @ts-expect-error: no such value
    useLive('posts', () => ({ where: { status: 'lost' } }))
    // @ts-expect-error: no such field
    void useMutation('posts').update('1', { titel: 'A' })
  }
  expect(typed).toBeTypeOf('function')
})
