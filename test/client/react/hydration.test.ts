/** A page that a server has rendered with data. */
import { createElement, type FunctionComponent } from 'react'
import { hydrateRoot, type Root } from 'react-dom/client'
import { renderToString } from 'react-dom/server'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { type Client, createClient } from '../../../client/index.js'
import type { InitialData } from '../../../client/react/index.js'
import { startTestEmulator, type TestEmulator, type TestProject } from '../../../emulator/testing.js'
import { aPlace } from '../../fixtures/dom.js'
import { hooks, type Schema, titles } from './stage.js'

let emulator: TestEmulator
let project: TestProject<Schema>
let svc: Client<Schema>
let asked: string[]
let root: Root | undefined

beforeAll(async () => {
  emulator = await startTestEmulator()
})
afterAll(() => emulator.close())

beforeEach(async () => {
  project = await emulator.project<Schema>()
  await project.client.collections.create({ name: 'posts' })
  asked = []
  const counted: typeof fetch = (input, init) => {
    asked.push(new URL(String(input)).pathname)
    return fetch(input, init)
  }
  svc = createClient<Schema>({ ...project, transport: 'ws', WebSocket, fetch: counted })
})
afterEach(() => root?.unmount())

const query = { sort: 'title', limit: 10 } as const
const List = () => titles(hooks.useLive('posts', query).items)
const tree = (component: FunctionComponent, initialData?: InitialData) =>
  createElement(hooks.SvcProvider, { client: svc, initialData }, createElement(component))

/** Reads the list as a server does, and passes it on as the text in a page. */
async function readInitialData(): Promise<InitialData> {
  const { items, total } = await project.client.collection('posts').list(query)
  return JSON.parse(JSON.stringify({ lists: [{ collection: 'posts', query, items, total }] }))
}

it('shows its list in the HTML, hydrates without a mismatch or a loading state, and follows changes', async () => {
  await project.client.collection('posts').create({ title: 'A' })
  const initialData = await readInitialData()
  const place = aPlace()
  place.innerHTML = renderToString(tree(List, initialData))
  const problems: unknown[] = []
  const shown = new Set<string | null>()
  const Watched = () => {
    const text = List()
    shown.add(text)
    return text
  }

  const html = place.textContent
  root = hydrateRoot(place, tree(Watched, initialData), { onRecoverableError: (error) => problems.push(error) })
  await expect.poll(() => asked).toContain('/collections/posts')
  await project.client.collection('posts').create({ title: 'B' })
  await expect.poll(() => place.textContent).toBe('A,B')

  expect(html).toBe('A')
  expect([...shown]).toEqual(['A', 'A,B'])
  expect(problems).toEqual([])
})

it('shows each visitor what was read for them, though a server renders with one client', async () => {
  const initialData = await readInitialData()
  const document = { id: 'x', data: { title: 'Secret' }, createdAt: '', updatedAt: '' }
  const secret = { lists: [{ collection: 'posts', query, items: [document], total: 1 }] }

  const [one, other, without] = [secret, initialData, undefined].map((data) => renderToString(tree(List, data)))

  expect([one, other, without]).toEqual(['Secret', '', ''])
})

it('shows a document that the server has read', async () => {
  const document = await project.client.collection('posts').create({ title: 'A' })
  const One = () => hooks.useDocument('posts', document.id).document?.data.title ?? 'none'

  expect(renderToString(tree(One, { documents: [{ collection: 'posts', document }] }))).toBe('A')
  expect(renderToString(tree(One))).toBe('none')
})

it('forgets it when another user signs in', async () => {
  await project.client.collection('posts').create({ title: 'A' })
  const initialData = await readInitialData()
  await project.secretClient.collections.update('posts', { permissions: { read: ['editor'] } })
  const place = aPlace()
  place.innerHTML = renderToString(tree(List, initialData))
  root = hydrateRoot(place, tree(List, initialData))

  await svc.auth.signUp({ email: 'bob@example.com', password: 'Correct4Horse' })

  await expect.poll(() => place.textContent).toBe('')
})
