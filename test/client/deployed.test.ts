/** The client at a service that is not the emulator: no lost answer makes two documents, and no list is silently short. */
import { afterEach, expect, it } from 'vitest'
import { aggregate, groupBy } from '../../client/extensions.js'
import { createClient } from '../../client/index.js'
import { type DeployedService, openDeployedService } from '../fixtures/requests/deployed-service.js'

let service: DeployedService
afterEach(() => service.close())

const titles = Array.from({ length: 120 }, (_, at) => `Post ${at}`)

async function open(dialect: string, options: Parameters<typeof openDeployedService>[0] = {}) {
  service = await openDeployedService(options)
  const data = titles.map((title, at) => ({
    id: `id-${String((at * 37) % 120).padStart(3, '0')}`,
    collection_id: 'posts',
    data: { title, views: at },
    created_at: new Date(at).toISOString(),
  }))
  service.collections.set('posts', data)
  const { url, apiKey } = service
  return createClient({ url, apiKey, dialect, retry: { delay: 1 } }).collection('posts')
}

type Posts = Awaited<ReturnType<typeof open>>

async function all(posts: Posts, options: { sort?: string } = {}): Promise<string[]> {
  const found: string[] = []
  for await (const { data } of posts.iterate(options)) found.push(String(data.title))
  return found
}

it.each(['a', 'b', 'c'])('creates one document in dialect %s although its answer is lost', async (dialect) => {
  const posts = await open(dialect)
  service.collections.clear()
  service.loseAnswers(1)

  await expect(posts.create({ title: 'Tea' })).rejects.toMatchObject({ status: 502, mayBeDone: true })

  expect(service.collections.get('posts')).toHaveLength(1)
})

it.each([
  ['a', '"list"'],
  ['b', '"filters"'],
  ['c', '"record"'],
  ['b, document=flat', '"document"'],
])('names the axis that is another one where all documents are read in dialect %s: %s', async (dialect, axis) => {
  const posts = await open(`${dialect}, paths=nested`)

  const failure = all(posts)

  await expect(failure).rejects.toMatchObject({ code: 'INVALID_RESPONSE' })
  await expect(failure).rejects.toThrow(axis)
  await expect(failure).rejects.toThrow('svc dialects detect')
})

it.each<[string, (posts: Posts) => Promise<unknown>, string]>([
  ['a sorted list', (posts) => posts.list({ sort: 'title' }), '"filters"'],
  ['a list without a count', (posts) => posts.list({ count: false }), '"filters"'],
  ['a list sorted page by page', (posts) => all(posts, { sort: '-title' }), '"filters"'],
])('does not take %s for empty because a parameter is read as a filter', async (_, ask, axis) => {
  const posts = await open('b')

  await expect(ask(posts)).rejects.toThrow(axis)
})

it('counts at the path for counts where a list has no total', async () => {
  const posts = await open('b')

  expect(await posts.count()).toBe(120)
})

it('aggregates, and says in one sentence that the service does not group', async () => {
  const posts = await open('b')

  const words = { code: 'NOT_FOUND', status: 404, message: 'The service does not support aggregates.' }
  expect(await aggregate(posts, { sum: 'views' })).toEqual({ sum: 0 })
  await expect(groupBy(posts, 'views')).rejects.toMatchObject(words)
})

it.each<[string, { sort?: string }, string]>([
  ['its ids', {}, '"filters"'],
  ['a sort', { sort: 'title' }, '"paging"'],
])('ends where a service that obeys nothing but the limit is read by %s', async (_, options, axis) => {
  const posts = await open('b', { unknown: 'nothing', ignoresOffset: true })

  await expect(all(posts, options)).rejects.toThrow(axis)
})

it('reads an empty collection, and all of a service that tells neither totals nor where it cuts a page', async () => {
  const posts = await open('b', { sorts: true, mostListed: 40 })

  const found = await all(posts)
  service.collections.set('posts', [])
  const none = await all(posts)
  const page = await posts.list()

  expect(found.toSorted()).toEqual(titles.toSorted())
  expect(none).toEqual([])
  expect(page).toMatchObject({ items: [], total: null, limit: undefined })
})
