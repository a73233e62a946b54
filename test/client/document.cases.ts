/** How the client reads and writes documents and collections of a running service. */
import { aggregate, groupBy, upsert } from '../../client/extensions.js'
import { createClient, type Filter, SvcError } from '../../client/index.js'
import { type Cases, codeOf, type Post, same } from './world.js'

export const documentCases: Cases = {
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
    const thirty = Array.from({ length: 30 }, (_, n) => ({ title: `Post ${n}`, views: n, featured: n % 2 === 0 }))
    await posts.createMany(thirty)

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
    const or = [{ views: 3 }, { views: { gt: 27 } }]
    same([await posts.count({ where: { or } }), await posts.count({ where: { or: [] } })], [3, 0])
    same(await posts.count({ where: { or: [{ views: { lt: 5 }, featured: true }, { title: 'Post 7' }] } }), 4)
  },

  'contract 13.7 aggregates and groups what a filter matches': async ({ posts }) => {
    await posts.createMany([
      { title: 'Tea', views: 1, field: 'x' },
      { title: 'Tea', views: 2, field: 'x' },
      { title: 'Milk', views: 6, field: 'y' },
      { title: 'Salt' },
    ] as Post[])
    const all = { count: 'views', sum: 'views', avg: 'views', min: 'views', max: 'views' } as const

    same(await aggregate(posts, all), { count: 3, sum: 9, avg: 3, min: 1, max: 6 })
    same(await aggregate(posts, { sum: 'views', max: 'views' }, { where: { title: 'Salt' } }), { sum: 0, max: null })
    same(await aggregate(posts, { sum: 'views' }, { where: { field: 'x' } as Filter<Post> }), { sum: 3 })
    same(await groupBy(posts, 'title', { where: { views: { gte: 1 } } }), [
      { value: 'Tea', count: 2 },
      { value: 'Milk', count: 1 },
    ])
    same(await groupBy(posts, 'title', { where: { field: 'y' } as Filter<Post> }), [{ value: 'Milk', count: 1 }])
    same(await groupBy(posts, 'views', { where: { title: 'Salt' } }), [])
  },

  'contract 13.8 updates the document that has a value of a unique field, or creates it': async ({ svc, posts }) => {
    await svc.collections.update('posts', { schema: { title: { type: 'string', unique: true } } })
    const tea = await posts.create({ title: 'Tea', views: 1 })

    const changed = await upsert(posts, { title: 'Tea', featured: true }, { by: 'title' })
    const made = await upsert(posts, { title: 'Milk' }, { by: 'title', idempotencyKey: 'milk' })

    same([changed.id, changed.version, made.version], [tea.id, 2, 1])
    same(changed.data, { title: 'Tea', views: 1, featured: true })
    same((await upsert(posts, { title: 'Milk' }, { by: 'title', idempotencyKey: 'milk' })).version, 1)
    same(await codeOf(upsert(posts, { title: 'Tea' }, { by: 'views' })), 'INVALID_QUERY')
    const taken = await posts.create({ title: 'Tea' }).catch((error: SvcError) => error)
    same(taken instanceof SvcError && [taken.code, taken.status], ['DUPLICATE_VALUE', 409])
  },

  'contract 12.1 says nothing of a document that its form does not tell': async ({ posts }) => {
    const { id, version } = await posts.create({ title: 'Tea' })
    const [listed] = (await posts.list()).items
    const got = await posts.get(id)

    same([version, got.version, listed?.version === undefined], [1, 1, true])
    for (const name of ['collection', 'collectionId'] as const) {
      for (const one of [got, listed]) same([name, one?.[name] === ''], [name, false])
    }
  },

  'contract 12.3 says the limit that was used where more was asked for': async ({ svc, posts }) => {
    const most = [100, 500]
    const pages = [
      await posts.list({ limit: 5_000 }),
      await svc.users.list({ limit: 5_000 }),
      await svc.files.list({ limit: 5_000 }),
    ]

    for (const { limit } of pages) same([limit, most.includes(limit ?? 0)], [limit, true])
    same((await posts.list({ limit: 7 })).limit, 7)
  },

  'takes a ready filter, in the form that the protocol has for it': async ({ posts }) => {
    await posts.createMany([{ title: 'Tea', views: 1 }, { title: 'Milk', views: 2 }, { title: 'Salt' }])
    const title = { path: ['title'], operator: 'in', values: ['Milk', 'Salt', 'Tea'] } as const
    const views = { path: ['views'], operator: 'isnull', isNull: false } as const
    const found = await posts.list({
      where: { all: [{ any: [title] }, { any: [views, { path: ['views'], operator: 'gt', value: '9' }] }] },
    })

    same(found.items.map(({ data }) => data.title).sort(), ['Milk', 'Tea'])
  },

  'takes dates in filters': async ({ posts }) => {
    const day = (date: number) => new Date(Date.UTC(2026, 0, date))
    const titles = [1, 2, 3].map((date) => ({ title: day(date).toISOString() }))
    await posts.createMany(titles)

    same(await posts.count({ where: { title: day(2) } }), 1)
    same(await posts.count({ where: { title: { gte: day(2) } } }), 2)
    same(await posts.count({ where: { title: { in: [day(1), day(3), day(4)] } } }), 2)
    same(await posts.count({ where: { createdAt: { gt: day(1) } } }), 3)
    same(await posts.count({ where: { or: [{ title: day(1) }, { title: { gt: day(2) } }] } }), 2)
  },

  '57 finds a part of a text by either word in every dialect': async ({ posts }) => {
    await posts.createMany([{ title: 'Green tea' }, { title: 'Milk', tags: ['tea'] }])

    same(await posts.count({ where: { title: { contains: 'tea' } } }), 1)
    same(await posts.count({ where: { tags: { contains: 'te' } } }), 1)
    same(await posts.count({ where: { title: { icontains: 'green TEA' } } }), 1)
    same(await posts.count({ where: { or: [{ title: { contains: 'il' } }, { title: { icontains: 'GREEN' } }] } }), 2)
  },

  'contract 4.2 finds by fields that are named as a parameter or end like a suffix': async ({ service }) => {
    const posts = createClient(service).collection('posts')
    const names = ['limit', 'offset', 'sort', 'orderBy', 'populate', 'count', 'rank__in', 'checked_in']
    await posts.create(Object.fromEntries(names.map((name) => [name, 'x'])))
    await posts.create({ title: 'Tea' })

    for (const name of names) same([name, await posts.count({ where: { [name]: 'x' } })], [name, 1])
  },

  'contract 10.7 and 10.11 goes on where the first page is as large as a query may be': async ({ posts }) => {
    await posts.createMany(Array.from({ length: 101 }, (_, views) => ({ title: 'Tea', views })))
    const countOf = async (options: Parameters<typeof posts.iterate>[0]) => {
      const seen = new Set<string>()
      for await (const { id } of posts.iterate(options)) seen.add(id)
      return seen.size
    }
    const values = Array.from({ length: 200 }, (_, at) => (at ? `${at}` : 'Tea'))
    const many = values.map((_, at) => ({ path: [`f${at}`], operator: 'isnull', isNull: true }) as const)

    same(await countOf({ where: { title: { in: values } } }), 101)
    same(await codeOf(posts.list({ where: { title: { in: [...values, 'Milk'] } } })), 'INVALID_FILTER')
    // With order, page and count there is no room for as many.
    same(await countOf({ where: { all: many.slice(4).map((test) => ({ any: [test] })) } }), 101)
    for (const sort of [undefined, '-views'] as const) {
      const where = (length: number) => ({ title: { ne: 'x'.repeat(length) } })
      let [served, refused] = [8_000, 8_192]
      while (refused - served > 1) {
        const length = (served + refused) >> 1
        const page = { where: where(length), sort: sort ?? 'id', limit: 100, count: false } as const
        if (await codeOf(posts.list(sort ? { ...page, offset: 0 } : page))) refused = length
        else served = length
      }
      same(await countOf({ where: where(served), sort }), 101)
    }
  },

  'counts what matches in linked documents': async ({ posts, authors }) => {
    const { id } = await authors.create({ name: 'Ada' })
    await posts.createMany([{ title: 'Tea', author: id }, { title: 'Milk' }])

    same(await posts.count({ where: { 'author.name': 'Ada' }, populate: ['author'] }), 1)
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

  'an empty list in a filter matches nothing, and its opposite everything': async ({ svc, posts }) => {
    await posts.createMany([{ title: '', views: 1 }, { title: 'Tea', views: 2 }, { views: 3 } as Post])
    const cases: readonly (readonly [Filter<Post>, number])[] = [
      [{ title: { in: [] } }, 0],
      [{ title: { notin: [] } }, 3],
      [{ title: { in: [] }, views: 1 }, 0],
      [{ title: { notin: [] }, views: 1 }, 1],
      [{ or: [{ title: { in: [] } }, { views: 1 }] }, 1],
      [{ or: [{ title: { in: [] } }, { title: { in: [] } }] }, 0],
      [{ or: [{ title: { in: [] }, views: 1 }, { views: { gt: 1 } }] }, 2],
      [{ or: [{ title: { notin: [] } }, { views: 9 }] }, 3],
      [{ or: [{ or: [{ title: { in: [] } }] }, { views: { in: [1, 2] } }] }, 2],
    ]

    for (const [where, found] of cases) {
      const page = await posts.list({ where })
      same([where, page.items.length, page.total, await posts.count({ where })], [where, found, found, found])
    }
    await svc.auth.signUp({ email: 'a@example.com', password: 'Correct horse 1' })
    same((await svc.users.list({ where: { email: { in: [] } } })).total, 0)
    same((await svc.users.list({ where: { email: { notin: [] } } })).total, 1)
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

  'says where something is wrong by its place in what was handed over': async ({ svc, service }) => {
    const schema = { age: { type: 'integer', required: true }, data: { type: 'string' } } as const
    await svc.collections.create({ name: 'strict', schema })
    const strict = createClient(service).collection('strict')
    const { id } = await strict.create({ age: 1, tags: 'none' })
    const placesOf = async (call: Promise<unknown>) => {
      const error = await call.catch((thrown) => thrown)
      return error instanceof SvcError ? error.issues.map(({ path }) => path.join('.')) : []
    }

    same(await placesOf(strict.create({ age: 1, data: 5 })), ['data'])
    same(await placesOf(strict.update(id, { age: 'x' })), ['age'])
    same(await placesOf(strict.replace(id, { data: 'a', age: 'x' })), ['age'])
    same(await placesOf(strict.append(id, { tags: 'a' })), ['$append.tags'])
    same(await placesOf(strict.create({ age: 'x', cover: new Blob(['x']) })), ['age'])
    same(await placesOf(strict.create({ age: new Blob(['x']), data: 5 })), ['age', 'data'])
    same(await placesOf(strict.createMany([{ age: 'x' }])), ['0.age'])
    same(await placesOf(strict.createMany([{ age: 1 }, { age: 1, data: 5 }])), ['1.data'])
    same(await placesOf(strict.updateMany({ [id]: { age: 'x' } })), [`${id}.age`])
  },
}
