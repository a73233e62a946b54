/** The client against a running service. Nothing here needs Node, so that a browser runs it too. */
import { type ClientOptions, createClient, type Link, SvcError } from '../../client/index.js'

interface Author {
  name: string
}
interface Post {
  title: string
  views?: number
  tags?: string[]
  featured?: boolean
  author?: Link<'authors'>
}

/** One case: its title, and what must be true. A failure is a thrown error. */
export type Cases = Readonly<Record<string, (world: World) => Promise<void>>>

export type World = Awaited<ReturnType<typeof openWorld>>

/** A client of a project of its own, with its two collections. */
export async function openWorld(service: ClientOptions) {
  const svc = createClient<{ posts: Post; authors: Author }>(service)
  await svc.collections.create({ name: 'posts' })
  await svc.collections.create({ name: 'authors' })
  return { svc, posts: svc.collection('posts'), authors: svc.collection('authors'), service }
}

export const liveCases: Cases = {
  'creates, reads, changes, replaces and deletes a document': async ({ posts }) => {
    const created = await posts.create({ title: 'Tea', views: 1 })
    same(created.version, 1)
    const changed = await posts.update(created.id, { views: 2 })
    same(changed.data, { title: 'Tea', views: 2 })
    same((await posts.get(created.id)).version, 2)
    same((await posts.replace(created.id, { title: 'Milk', views: 3 })).data, { title: 'Milk', views: 3 })
    same(await posts.delete(created.id), { id: created.id })
    same(await codeOf(posts.get(created.id)), 'NOT_FOUND')
  },

  'lists with filters, order, page and total': async ({ posts }) => {
    await posts.createMany(
      Array.from({ length: 30 }, (_, n) => ({ title: `Post ${n}`, views: n, featured: n % 2 === 0 })),
    )

    const page = await posts.list({
      where: { views: { gte: 10 }, featured: true },
      sort: '-views',
      limit: 3,
      offset: 1,
    })

    same(
      page.items.map(({ data }) => data.views),
      [26, 24, 22],
    )
    same([page.total, page.limit, page.offset], [10, 3, 1])
    same((await posts.list({ limit: 2, count: false })).total, null)
    same(await posts.count({ where: { or: [{ views: 3 }, { views: { gt: 27 } }] } }), 3)
    same(await posts.count({ where: { or: [{ views: { lt: 5 }, featured: true }, { title: 'Post 7' }] } }), 4)
  },

  'writes many without having them sent back': async ({ posts }) => {
    const none = await posts.createMany([{ title: 'One' }, { title: 'Two' }], { returning: false })
    const { items } = await posts.list({ sort: 'createdAt' })
    const updates = Object.fromEntries(items.map(({ id }) => [id, { views: 7 }]))

    same([none, await posts.updateMany(updates, { returning: false })], [[], []])
    same(await posts.count({ where: { views: 7 } }), 2)
  },

  'finds texts with every character that a query marks itself with': async ({ posts }) => {
    const title = 'a&b=c+d%20e,f\\g [or]h ü🎈'
    await posts.createMany([{ title }, { title: 'other' }])

    same(await posts.count({ where: { title } }), 1)
    same(await posts.count({ where: { title: { in: [title, 'x'] } } }), 1)
  },

  'iterates over everything once, while others write': async ({ posts }) => {
    const made = await posts.createMany(Array.from({ length: 250 }, (_, n) => ({ title: `Post ${n}` })))
    const seen: string[] = []

    for await (const { id } of posts.iterate()) {
      seen.push(id)
      if (seen.length === 120) await posts.delete(made[0]?.id ?? '')
    }

    same(
      seen,
      made.map(({ id }) => id),
    )
  },

  'iterates in an order of its own, and through a filter': async ({ posts }) => {
    await posts.createMany(Array.from({ length: 130 }, (_, n) => ({ title: 'x', views: (n * 7) % 130 })))
    const views: (number | undefined)[] = []

    for await (const { data } of posts.iterate({ where: { views: { lt: 120 } }, sort: 'views' })) views.push(data.views)

    same(
      views,
      Array.from({ length: 120 }, (_, n) => n),
    )
  },

  'puts linked documents in the place of ids': async ({ posts, authors }) => {
    const ada = await authors.create({ name: 'Ada' })
    const post = await posts.create({ title: 'Tea', author: ada.id })
    await posts.create({ title: 'Lost', author: '01890000-0000-7000-8000-000000000000' })

    const { data } = await posts.get(post.id, { populate: ['author'] })
    const page = await posts.list({ populate: ['author'], sort: 'title' })

    same(typeof data.author === 'object' && data.author.data, { name: 'Ada' })
    same(
      page.items.map(({ data: { author } }) => typeof author),
      ['string', 'object'],
    )
  },

  'adds and removes items of an array, whoever else does': async ({ posts }) => {
    const { id } = await posts.create({ title: 'Tea', tags: ['a'] })

    await Promise.all(['b', 'c', 'd', 'e'].map((tag) => posts.append(id, { tags: tag })))
    await posts.remove(id, { tags: ['a', 'c'] })

    same([...((await posts.get(id)).data.tags ?? [])].sort(), ['b', 'd', 'e'])
  },

  'writes many at once, all or none': async ({ posts }) => {
    const [one, two] = await posts.createMany([{ title: '1' }, { title: '2' }])
    const ids = [one?.id ?? '', two?.id ?? '']

    const updated = await posts.updateMany({
      [ids[0] ?? '']: { views: 1 },
      [ids[1] ?? '']: { views: 2, $append: { tags: 'x' } },
    })
    same(
      updated.map(({ data }) => data.views),
      [1, 2],
    )
    same(await codeOf(posts.updateMany({ [ids[0] ?? '']: { views: 9 }, nowhere: { views: 9 } })), 'NOT_FOUND')
    same((await posts.get(ids[0] ?? '')).data.views, 1)
    same((await posts.deleteMany(ids)).ids.length, 2)
    same(await posts.count(), 0)
  },

  'refuses to write over a version it has not seen': async ({ posts }) => {
    const { id, version } = await posts.create({ title: 'Tea' })
    await posts.update(id, { views: 1 }, { ifMatch: version })

    same(await codeOf(posts.update(id, { views: 2 }, { ifMatch: version })), 'CONFLICT')
    same(await codeOf(posts.delete(id, { ifMatch: version })), 'CONFLICT')
  },

  'creates once for one idempotency key': async ({ posts }) => {
    const create = () => posts.create({ title: 'Tea' }, { idempotencyKey: 'k1' })

    const made = await Promise.all([create(), create(), create()])

    same(new Set(made.map(({ id }) => id)).size, 1)
    same(await posts.count(), 1)
  },

  'manages collections': async ({ svc }) => {
    const schema = { text: { type: 'string', required: true } } as const
    await svc.collections.create({ name: 'notes', schema })
    same((await svc.collections.get('notes')).schema, schema)
    same(
      (await svc.collections.list()).map(({ name }) => name),
      ['posts', 'authors', 'notes'],
    )
    same((await svc.collections.rename('notes', 'remarks')).name, 'remarks')
    same(await codeOf(svc.collections.create({ name: 'posts' })), 'COLLECTION_EXISTS')
    await svc.collections.delete('remarks')
    same(await codeOf(svc.collections.get('remarks')), 'NOT_FOUND')
  },

  'hears of changes as they happen, over a WebSocket': (world) => hears(world, 'ws'),
  'hears of changes as they happen, over Server-Sent Events': (world) => hears(world, 'sse'),

  'hears only of what matches, and of what leaves it': async ({ posts }) => {
    const told: string[] = []
    const subscription = posts.subscribe({
      where: { views: { gte: 10 }, or: [{ title: { startswith: 'T' } }, { title: 'Milk' }] },
      live: true,
      onChange: ({ kind, document }) => told.push(`${kind} ${document.data.title}`),
    })
    const isSpoken = await subscription.ready.then(
      () => true,
      (error: unknown) => !(error instanceof SvcError && error.code === 'INVALID_FILTER'),
    )
    // One family of suffixes cannot ask for a beginning.
    if (!isSpoken) return

    const { id } = await posts.create({ title: 'Tea', views: 1 })
    await posts.create({ title: 'Coffee', views: 20 })
    await posts.update(id, { views: 10 })
    await posts.update(id, { views: 2 })
    await posts.create({ title: 'Milk', views: 30 })
    await until(() => told.length === 3)
    subscription.close()

    same(told, ['created Tea', 'deleted Tea', 'created Milk'])
  },

  'goes on behind a change it names': async ({ posts }) => {
    const subscription = posts.subscribe()
    await subscription.ready
    await posts.createMany([{ title: 'one' }, { title: 'two' }, { title: 'three' }])
    let seq = 0
    for await (const change of subscription) {
      seq = change.seq
      break
    }
    const titles: string[] = []
    for await (const { document } of posts.subscribe({ since: seq })) if (titles.push(document.data.title) === 2) break

    same(titles, ['two', 'three'])
  },

  'keeps a list current': async ({ posts }) => {
    await posts.createMany([1, 2, 3].map((views) => ({ title: `${views}`, views })))
    const pages: string[] = []
    const list = posts.live({
      where: { views: { gt: 0 } },
      sort: '-views',
      limit: 2,
      onPage: ({ items }) => pages.push(items.map(({ data }) => data.title).join()),
    })
    await until(() => pages.at(-1) === '3,2')
    const { id } = await posts.create({ title: '5', views: 5 })
    await until(() => pages.at(-1) === '5,3')
    await posts.update(id, { views: 0 })
    await until(() => pages.at(-1) === '3,2')
    same(list.page?.total, 3)
    list.close()
  },

  'says why it cannot listen': async ({ svc }) => {
    const { ready } = svc.collection('nowhere' as 'posts').subscribe()

    same(await codeOf(ready), 'INVALID_COLLECTION')
  },

  'says what is wrong with which field': async ({ svc, service }) => {
    await svc.collections.create({ name: 'strict', schema: { age: { type: 'integer', required: true } } })
    const strict = createClient(service).collection('strict')

    const error = await strict.create({ age: 'old' }).catch((error: unknown) => error)

    same(error instanceof SvcError && [error.code, error.status, error.issues[0]?.path], [
      'VALIDATION_ERROR',
      422,
      ['age'],
    ])
  },
}

async function hears({ service }: World, transport: 'ws' | 'sse') {
  const posts = createClient<{ posts: Post }>({ ...service, transport }).collection('posts')
  const subscription = posts.subscribe()
  await subscription.ready
  const { id } = await posts.create({ title: 'Tea', views: 1, tags: ['a'] })
  await posts.update(id, { views: 2 })
  await posts.delete(id)

  const told: unknown[] = []
  const places: number[] = []
  for await (const { kind, document, seq } of subscription) {
    told.push([kind, document.id === id, document.collection, document.data])
    if (places.push(seq) === 3) break
  }

  same(told, [
    ['created', true, 'posts', { title: 'Tea', views: 1, tags: ['a'] }],
    ['updated', true, 'posts', { title: 'Tea', views: 2, tags: ['a'] }],
    ['deleted', true, 'posts', { title: 'Tea', views: 2, tags: ['a'] }],
  ])
  same(
    places.map((place) => place - (places[0] ?? 0)),
    [0, 1, 2],
  )
  same(subscription.status, 'closed')
}

/** Waits for what comes by itself; the test's own time limit is the end of patience. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5))
}

export async function codeOf(call: Promise<unknown>): Promise<string | undefined> {
  return call.then(
    () => undefined,
    (error: unknown) => (error instanceof SvcError ? error.code : String(error)),
  )
}

/** Equality as JSON says it, whatever the order of keys. */
export function same(actual: unknown, expected: unknown): void {
  const [one, other] = [actual, expected].map((value) => JSON.stringify(sorted(value)))
  if (one !== other) throw new Error(`expected ${other}, got ${one}`)
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, member]) => [key, sorted(member)]),
  )
}
