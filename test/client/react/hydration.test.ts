/** A page that a server has rendered with data. */
import { createElement, type FunctionComponent } from 'react'
import { hydrateRoot, type Root } from 'react-dom/client'
import { renderToString } from 'react-dom/server'
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { type Client, createClient } from '../../../client/index.js'
import type { InitialData } from '../../../client/react/index.js'
import { readInitialData } from '../../../client/server.js'
import type { TestEmulator, TestProject } from '../../../emulator/testing/index.js'
import { aPlace } from '../../fixtures/dom.js'
import { openSharedEmulator } from '../../fixtures/shared-emulator.js'
import { hooks, type Schema, titles } from './stage.js'

let emulator: TestEmulator
let project: TestProject<Schema>
let svc: Client<Schema>
let asked: string[]
let root: Root | undefined

beforeAll(async () => {
  emulator = await openSharedEmulator()
})

beforeEach(async () => {
  project = await emulator.project<Schema>()
  await project.client.collections.create({ name: 'posts' })
  // Lists of an earlier test may read once more.
  const own: string[] = []
  asked = own
  const counted: typeof fetch = (input, init) => {
    own.push(`${init?.method} ${new URL(String(input)).pathname}`)
    return fetch(input, init)
  }
  svc = createClient<Schema>({ ...project, transport: 'ws', WebSocket, fetch: counted })
})
afterEach(() => root?.unmount())

const query = { sort: 'title', limit: 10 } as const
const List = () => titles(hooks.useLive('posts', query).items)
const listReads = () => asked.filter((request) => request === 'GET /collections/posts').length
const tree = (component: FunctionComponent, initialData?: InitialData) =>
  createElement(hooks.SvcProvider, { client: svc, initialData }, createElement(component))

/** Reads the list as a server does, and passes it on as the text in a page. */
async function readList(): Promise<InitialData> {
  return JSON.parse(JSON.stringify(await readInitialData(project.client, { lists: [{ collection: 'posts', query }] })))
}

it('shows its list in the HTML, hydrates without a mismatch, a loading state or a request, and follows changes', async () => {
  await project.client.collection('posts').create({ title: 'A' })
  const initialData = await readList()
  const place = aPlace()
  place.innerHTML = renderToString(tree(List, initialData))
  const problems: unknown[] = []
  const shown = new Set<string | null>()
  let status = ''
  const Watched = () => {
    const list = hooks.useLive('posts', query)
    status = list.status
    shown.add(titles(list.items))
    return titles(list.items)
  }

  const html = place.textContent
  root = hydrateRoot(place, tree(Watched, initialData), { onRecoverableError: (error) => problems.push(error) })
  await expect.poll(() => status).toBe('open')
  const readsBefore = listReads()
  await project.client.collection('posts').create({ title: 'B' })
  await expect.poll(() => place.textContent).toBe('A,B')

  expect(html).toBe('A')
  expect(readsBefore).toBe(0)
  expect([...shown]).toEqual(['A', 'A,B'])
  expect(problems).toEqual([])
})

it('shows what has changed since the server read', async () => {
  const initialData = await readList()
  await project.client.collection('posts').create({ title: 'Since' })
  const place = aPlace()
  place.innerHTML = renderToString(tree(List, initialData))

  root = hydrateRoot(place, tree(List, initialData))

  await expect.poll(() => place.textContent).toBe('Since')
})

it('reads the list once more if the service does not number changes', async () => {
  const initialData = await readList()
  const lists = initialData.lists.map(({ seq: _, ...page }) => page)
  const place = aPlace()
  place.innerHTML = renderToString(tree(List, { lists }))

  root = hydrateRoot(place, tree(List, { lists }))

  await expect.poll(listReads).toBeGreaterThan(0)
})

it('shows an optimistic write before its answer, though the list was only read by the server', async () => {
  await project.client.collection('posts').create({ title: 'B' })
  const initialData = await readList()
  let create: ((fields: { title: string }) => Promise<unknown>) | undefined
  const shown: string[] = []
  /** Times that the list had been read when it first showed the write. */
  let readsBefore: number | undefined
  const Watched = () => {
    const text = List()
    create = hooks.useMutation('posts').create
    if (text === 'A,B') readsBefore ??= listReads()
    if (text !== shown.at(-1)) shown.push(text)
    return text
  }
  const place = aPlace()
  place.innerHTML = renderToString(tree(List, initialData))
  root = hydrateRoot(place, tree(Watched, initialData))
  await expect.poll(() => create).toBeDefined()

  const created = create?.({ title: 'A' })

  await expect.poll(() => place.textContent).toBe('A,B')
  await created
  expect(readsBefore).toBe(0)
  expect(shown).toEqual(['B', 'A,B'])
})

it('shows each visitor what was read for them, though a server renders with one client', async () => {
  const initialData = await readList()
  const document = { id: 'x', data: { title: 'Secret' }, createdAt: '', updatedAt: '' }
  const secret = { lists: [{ collection: 'posts', query, items: [document], total: 1 }] }

  const [one, other, without] = [secret, initialData, undefined].map((data) => renderToString(tree(List, data)))

  expect([one, other, without]).toEqual(['Secret', '', ''])
})

it('shows a document that the server has read', async () => {
  const { id } = await project.client.collection('posts').create({ title: 'A' })
  const One = () => hooks.useDocument('posts', id).document?.data.title ?? 'none'
  const initialData = await readInitialData(project.client, { documents: [{ collection: 'posts', id }] })

  expect(renderToString(tree(One, initialData))).toBe('A')
  expect(renderToString(tree(One))).toBe('none')
})

it('forgets it when another user signs in', async () => {
  await project.client.collection('posts').create({ title: 'A' })
  const initialData = await readList()
  await project.secretClient.collections.update('posts', { permissions: { read: ['editor'] } })
  const place = aPlace()
  place.innerHTML = renderToString(tree(List, initialData))
  root = hydrateRoot(place, tree(List, initialData))

  await svc.auth.signUp({ email: 'bob@example.com', password: 'Correct4Horse' })

  await expect.poll(() => place.textContent).toBe('')
})
