/** Subscriptions of the client to a running service. */
import { createClient, type DocumentChange, type Filter } from '../../client/index.js'
import { type Cases, codeOf, type Post, same, until, type World } from './world.js'

export const realtimeCases: Cases = {
  'receives changes as they happen, over a WebSocket': (world) => receives(world, 'ws'),
  'receives changes as they happen, over Server-Sent Events': (world) => receives(world, 'sse'),

  'receives texts with odd ends of lines, over a WebSocket': (world) => receivesOddTexts(world, 'ws'),
  'receives texts with odd ends of lines, over Server-Sent Events': (world) => receivesOddTexts(world, 'sse'),

  'receives a collection by its id, beside others': async ({ svc, posts, authors }) => {
    const { id } = await svc.collections.get('posts')
    const byId = svc.collection(id as 'posts')
    const received: string[] = []
    const pages: number[] = []
    const all = [
      posts.subscribe(),
      byId.subscribe({ onChange: ({ document }) => received.push(document.data.title) }),
      authors.subscribe({ onChange: ({ document }) => received.push(document.data.name) }),
    ]
    await Promise.all(all.map(({ ready }) => ready))
    const list = byId.live({ onPage: ({ items }) => pages.push(items.length) })
    await until(() => pages.at(-1) === 0)

    await posts.create({ title: 'Tea' })
    await authors.create({ name: 'Ada' })
    await until(() => received.length === 2 && pages.at(-1) === 1)

    for (const one of [...all, list]) one.close()
    same(received.sort(), ['Ada', 'Tea'])
  },

  'receives only what matches, and of what leaves it': async ({ posts, service }) => {
    const received: string[] = []
    // The suffixes of variant B have no prefix filter.
    const isTea = service.dialect === 'b' ? { contains: 'Tea' } : { startswith: 'T' }
    const subscription = posts.subscribe({
      where: { views: { gte: 10 }, or: [{ title: isTea }, { title: 'Milk' }] },
      live: true,
      onChange: ({ kind, document }) => received.push(`${kind} ${document.data.title}`),
    })
    await subscription.ready

    const { id } = await posts.create({ title: 'Tea', views: 1 })
    await posts.create({ title: 'Coffee', views: 20 })
    await posts.update(id, { views: 10 })
    await posts.update(id, { views: 2 })
    await posts.create({ title: 'Milk', views: 30 })
    await until(() => received.length === 3)
    subscription.close()

    same(received, ['created Tea', 'deleted Tea', 'created Milk'])
  },

  'an empty list in a filter lets nothing through, and its opposite everything': async ({ posts }) => {
    const received: string[] = []
    const listen = (name: string, where: Filter<Post>) => {
      const onChange = ({ document }: DocumentChange<Post>) => received.push(`${name} ${document.data.title}`)
      return posts.subscribe({ where, onChange })
    }
    const open = [
      listen('in', { title: { in: [] } }),
      listen('or', { or: [{ title: { in: [] } }, { views: 2 }] }),
      listen('notin', { title: { notin: [] } }),
    ]
    const list = posts.live({ where: { title: { in: [] } } })
    await Promise.all(open.map(({ ready }) => ready))

    await posts.createMany([{ title: '', views: 1 }, { title: 'Tea', views: 2 }, { title: 'last' }])
    await until(() => received.includes('notin last') && list.status === 'open' && list.page !== undefined)
    for (const one of [...open, list]) one.close()

    same(received.sort(), ['notin ', 'notin Tea', 'notin last', 'or Tea'])
    same([list.page?.items.length, list.page?.total], [0, 0])
  },

  'receives what a date and a part of a text ask for, and no more than is sent': async ({ posts }) => {
    const received: unknown[][] = []
    const subscription = posts.subscribe({
      where: { createdAt: { gt: new Date(0) }, title: { contains: 'te' } },
      onChange: ({ document: { data, version, collectionId } }) => received.push([data.title, version, collectionId]),
    })
    await subscription.ready

    await posts.create({ title: 'Milk' })
    await posts.create({ title: 'Green tea' })
    await until(() => received.length > 0)
    subscription.close()

    same(
      received.map((parts) => parts.map((part) => part === undefined || part)),
      [['Green tea', true, true]],
    )
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
    for await (const { items } of list) {
      same(items.length, 2)
      break
    }
    await until(() => list.status === 'closed')
  },

  'keeps a list current of a collection that is made later, and made once more': async ({ svc }) => {
    const name = `later${Math.random().toString(36).slice(2)}` as 'posts'
    const later = svc.collection(name)
    const seen: string[] = []
    const list = later.live({
      onPage: ({ items }) => seen.push(items.map(({ data }) => data.title).join() || 'none'),
      onStatus: (status) => seen.push(status),
      onError: ({ code }) => seen.push(code),
    })
    await until(() => seen.includes('waiting'))
    // Longer than between two attempts: the second one is refused like the first.
    await new Promise((resolve) => setTimeout(resolve, 2_500))
    await svc.collections.create({ name })
    await until(() => seen.at(-1) === 'none')
    await later.create({ title: 'Tea' })
    await until(() => seen.at(-1) === 'Tea')
    await svc.collections.delete(name)
    await until(() => seen.at(-1) === 'waiting')
    await svc.collections.create({ name })
    await until(() => seen.at(-1) === 'none')
    list.close()

    same(list.status, 'closed')
    same(
      seen.filter((one) => /^[A-Z_]+$/.test(one)),
      [],
    )
  },

  'keeps a list current whose filter looks into linked documents': async ({ posts, authors }) => {
    const { id: author } = await authors.create({ name: 'Ada' })
    const pages: string[] = []
    const list = posts.live({
      where: { 'author.name': 'Ada' },
      populate: ['author'],
      onPage: ({ items }) => pages.push(items.map(({ data }) => data.title).join()),
    })
    await until(() => pages.length > 0)
    await posts.create({ title: 'Tea', author })
    await until(() => pages.at(-1) === 'Tea')
    list.close()
  },

  'listens as whoever is signed in': async ({ svc, owner, posts }) => {
    const permissions = { create: ['authenticated'], read: ['authenticated'] }
    await owner.collections.create({ name: 'members', permissions })
    const members = svc.collection('members' as 'posts')
    const open = posts.subscribe()
    await open.ready
    const refusal = await codeOf(members.subscribe().ready)
    await svc.auth.signUp({ email: `ada${Math.random()}@example.com`, password: 'Correct4Horse' })

    const subscription = members.subscribe()
    await subscription.ready
    await members.create({ title: 'Tea' })
    for await (const { document } of subscription) {
      same([refusal, document.data.title], ['UNAUTHORIZED', 'Tea'])
      break
    }
    open.close()
  },

  'says why it cannot listen': async ({ svc }) => {
    const nowhere = svc.collection('nowhere' as 'posts')

    same(await codeOf(nowhere.subscribe().ready), 'INVALID_COLLECTION')
  },
}

async function receives({ service }: World, transport: 'ws' | 'sse') {
  const posts = createClient<{ posts: Post }>({ ...service, transport }).collection('posts')
  const subscription = posts.subscribe()
  await subscription.ready
  const { id } = await posts.create({ title: 'Tea', views: 1, tags: ['a'] })
  await posts.update(id, { views: 2 })
  await posts.delete(id)

  const received: unknown[] = []
  const places: number[] = []
  for await (const { kind, document, seq } of subscription) {
    received.push([kind, document.id === id, document.collection, document.data])
    if (places.push(seq) === 3) break
  }

  same(received, [
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

async function receivesOddTexts({ service }: World, transport: 'ws' | 'sse') {
  const posts = createClient<{ posts: Post }>({ ...service, transport }).collection('posts')
  const titles = ['a\u2028b', 'a\u2029data: b', 'a\r\n\r\nb', 'a\n\nid: 5\n\ndata: c', '\u0085\ufeff', 'last']
  const subscription = posts.subscribe()
  await subscription.ready
  for (const title of titles) await posts.create({ title })

  const received: string[] = []
  for await (const { document } of subscription) if (received.push(document.data.title) === titles.length) break

  same(received, titles)
}
