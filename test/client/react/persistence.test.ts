/** Writes under failures: none is lost, doubled, or out of order, and the page shows their state. */
import { createElement, useEffect } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { type Client, createClient, SvcError } from '../../../client/index.js'
import { createHooks, type Mutations } from '../../../client/react/index.js'
import type { TestEmulator, TestProject } from '../../../emulator/testing/index.js'
import { aPlace } from '../../fixtures/dom.js'
import { openSharedEmulator } from '../../fixtures/shared-emulator.js'

interface Post {
  title: string
  views?: number
}
type Schema = { posts: Post }

const { SvcProvider, useLive, useMutation } = createHooks<Schema>()

let emulator: TestEmulator
let project: TestProject<Schema>
let svc: Client<Schema>
let root: Root
let place: HTMLElement
let posts: Mutations<Post>
/** Every list that was shown, one after the other, and whether it showed a pending write. */
let shown: string[]
let saidWaiting: boolean[]
let documents: readonly object[]

beforeAll(async () => {
  emulator = await openSharedEmulator()
})

beforeEach(async () => {
  project = await emulator.project<Schema>()
  await project.client.collections.create({ name: 'posts' })
  svc = createClient<Schema>({ ...project, transport: 'ws', WebSocket, retry: { attempts: 2, delay: 10 } })
  place = aPlace()
  root = createRoot(place)
  shown = []
  saidWaiting = []
  root.render(createElement(SvcProvider, { client: svc }, createElement(Page)))
  await shows('open:')
})
afterEach(() => root.unmount())

function Page() {
  const { items, status } = useLive('posts', { sort: 'title' })
  const mutations = useMutation('posts', { retry: true })
  const list = items.map(({ data }) => [data.title, data.views].filter((value) => value !== undefined).join(' ')).join()
  const { waiting, pendingCount, error } = mutations
  posts = mutations
  documents = items
  useEffect(() => {
    shown.push(list)
    saidWaiting.push(waiting !== undefined)
  })
  return `${[status, ...(waiting ? [`waiting ${pendingCount}`] : []), ...(error ? [error.code] : [])].join()}:${list}`
}

const shows = (expected: string) => expect.poll(() => place.textContent).toBe(expected)
const stored = async () => (await project.secretClient.collection('posts').list()).items.map(({ data }) => data)

it('a write waits for a service that is away, and says so', async () => {
  const away = await project.faults.add({ kind: 'status', status: 503, method: 'POST' })

  const created = posts.create({ title: 'A' })
  await shows('open,waiting 1:A')
  await away.remove()
  await created

  await shows('open:A')
  expect(await stored()).toEqual([{ title: 'A' }])
})

it('a write that waits says so until it is answered, whatever becomes of the others', async () => {
  const { id } = await posts.create({ title: 'B' })
  const away = await project.faults.add({ kind: 'status', status: 503, method: 'POST' })
  const created = posts.create({ title: 'A' })
  await shows('open,waiting 1:A,B')
  saidWaiting = []

  await posts.update(id, { views: 1 })
  await shows('open,waiting 1:A,B 1')
  expect(saidWaiting).not.toContain(false)

  await away.remove()
  await created
  await shows('open:A,B 1')
})

it('a write whose answers are lost is made once, and is never shown twice', async () => {
  await project.faults.add({ kind: 'drop', when: 'after', method: 'POST', times: 3 })

  await posts.create({ title: 'A' })

  await shows('open:A')
  expect(await stored()).toEqual([{ title: 'A' }])
  expect(shown).not.toContain('A,A')
})

it('two equal documents are two', async () => {
  await Promise.all([posts.create({ title: 'A' }), posts.create({ title: 'A' })])

  await shows('open:A,A')
  expect(await stored()).toHaveLength(2)
})

it('a document whose deletion was not answered is deleted', async () => {
  const { id } = await posts.create({ title: 'A' })
  await project.faults.add({ kind: 'drop', when: 'after', method: 'DELETE', times: 1 })

  await posts.remove(id)

  await shows('open:')
  await expect(posts.remove(id)).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

it('writes to a document arrive in the order in which they were begun', async () => {
  const { id } = await posts.create({ title: 'A' })
  await project.faults.add({ kind: 'status', status: 503, method: 'PATCH', times: 1 })

  await Promise.all([posts.update(id, { views: 1 }), posts.update(id, { views: 2 })])

  await shows('open:A 2')
  expect(await stored()).toEqual([{ title: 'A', views: 2 }])
})

it('a refusal is no reason to wait', async () => {
  await expect(posts.update('00000000-0000-4000-8000-000000000000', { views: 1 })).rejects.toMatchObject({
    code: 'NOT_FOUND',
  })

  await shows('open,NOT_FOUND:')
})

it('nothing is sent again in the name of somebody else', async () => {
  const [ada, bob] = [await project.users.create(), await project.users.create()]
  await svc.auth.logIn(ada.credentials)
  const away = await project.faults.add({ kind: 'status', status: 503, method: 'POST', path: '/collections/**' })
  const created = posts.create({ title: 'A' })
  created.catch(() => undefined)
  await shows('open,waiting 1:A')

  await svc.auth.logIn(bob.credentials)
  await expect(created).rejects.toMatchObject({ status: 503 })
  await away.remove()

  expect(await stored()).toEqual([])
  // Its outcome concerns no other user.
  await shows('open:')
})

it('a write that waits for its turn is not sent as the next user', async () => {
  const [ada, bob] = [await project.users.create(), await project.users.create()]
  const { id } = await posts.create({ title: 'A' })
  await svc.auth.logIn(ada.credentials)
  const away = await project.faults.add({ kind: 'status', status: 503, method: 'PATCH' })
  const writes = [posts.update(id, { views: 1 }), posts.update(id, { views: 2 }), posts.remove(id)]
  const ended = Promise.allSettled(writes)
  await shows('open,waiting 3:')

  await svc.auth.logIn(bob.credentials)
  await away.remove()

  expect(await ended).toMatchObject([
    { status: 'rejected', reason: { code: 'UNAVAILABLE' } },
    { status: 'rejected', reason: { code: 'UNAUTHORIZED' } },
    { status: 'rejected', reason: { code: 'UNAUTHORIZED' } },
  ])
  expect((await ended).map((one) => 'reason' in one && one.reason instanceof SvcError)).toEqual([true, true, true])
  expect(await stored()).toEqual([{ title: 'A' }])
})

it('the next user sees neither what the one before has on its way nor what was refused', async () => {
  const [ada, bob] = [await project.users.create(), await project.users.create()]
  const { id } = await posts.create({ title: 'A' })
  await svc.auth.logIn(ada.credentials)
  await expect(posts.update('00000000-0000-4000-8000-000000000000', { views: 1 })).rejects.toMatchObject({
    code: 'NOT_FOUND',
  })
  await shows('open,NOT_FOUND:A')
  const away = await project.faults.add({ kind: 'status', status: 503, method: 'PATCH' })
  const ofAda = posts.update(id, { views: 2 })
  ofAda.catch(() => undefined)
  await shows('open,waiting 1:A 2')
  await svc.auth.logIn(bob.credentials)
  // A page may write at once, before it has rendered.
  const ofBob = posts.create({ title: 'B' })

  await ofBob
  await shows('open:A,B')
  await away.remove()
  await expect(ofAda).rejects.toMatchObject({ status: 503 })
  await shows('open:A,B')
})

it('a change of one document leaves the others the objects that they were', async () => {
  const first = await posts.create({ title: 'A' })
  await posts.create({ title: 'B' })
  await shows('open:A,B')
  await expect.poll(() => documents).toHaveLength(2)
  await expect.poll(async () => (await posts.update(first.id, { views: 1 })).data.views).toBe(1)
  await shows('open:A 1,B')
  const [, before] = documents

  await posts.update(first.id, { views: 2 })

  await shows('open:A 2,B')
  expect(documents[1]).toBe(before)
})
