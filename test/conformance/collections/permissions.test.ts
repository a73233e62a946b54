import { expect, test } from 'vitest'
import type { Answer } from '../../fixtures/requests/http.js'
import { aWorld, expectFailure, expectStatus, type Fields, inDialects, type Wire } from '../../fixtures/wires.js'

inDialects('Permissions', (wire, { once, inTurn }) => {
  /** Requests by the permission they need. */
  const operations = {
    create: [
      ['POST', () => '/collections/posts', {}],
      ['POST', () => '/collections/posts/batch', { documents: [{}] }],
    ],
    read: [
      ['GET', () => wire.listPath('posts')],
      ['GET', (id: string) => `/collections/posts/documents/${id}`],
    ],
    update: [
      ['PATCH', (id: string) => `/collections/posts/${id}`, { a: 2 }],
      ['PUT', (id: string) => `/collections/posts/${id}`, { a: 2 }],
    ],
    delete: [['DELETE', (id: string) => `/collections/posts/${id}`]],
  } as const

  test.each(inTurn(['create', 'read', 'update', 'delete'] as const))(
    'contract 5.3 %s for roles: 401 for a key alone, open to the secret key',
    async (kind) => {
      const { api, owner, posts } = await aGuarded(wire, { [kind]: ['admin'] })

      for (const [method, path, body] of operations[kind]) {
        const { id } = await posts.create({ a: 1 })
        const refused = await api.send(method, path(id), {}, body)
        expectFailure(refused, 401, 'UNAUTHORIZED')
        expect((await owner.send(method, path(id), {}, body)).status).toBeLessThan(300)
      }
    },
  )

  test.each(inTurn(['create', 'read', 'update', 'delete'] as const))(
    'contract 5.3 %s for roles leaves the other operations open',
    async (kind) => {
      const { api, posts } = await aGuarded(wire, { [kind]: ['admin'] })

      for (const other of ['create', 'read', 'update', 'delete'] as const) {
        if (other === kind) continue
        for (const [method, path, body] of operations[other]) {
          const { id } = await posts.create({ a: 1 })
          expect((await api.send(method, path(id), {}, body)).status).toBeLessThan(300)
        }
      }
    },
  )

  once('contract 5.3 authenticated is any user, and a key is none', async () => {
    const { api, owner } = await aGuarded(wire, { read: ['authenticated'] })

    expectFailure(await api.get(wire.listPath('posts')), 401, 'UNAUTHORIZED')
    expectStatus(200, await owner.get(wire.listPath('posts')))
  })

  once('contract 5.3 empty lists are open', async () => {
    const { api } = await aGuarded(wire, { create: [], read: [], update: [], delete: [] })

    expectStatus(201, await api.post('/collections/posts', {}))
    expectStatus(200, await api.get(wire.listPath('posts')))
  })

  test('contract 5.3 managing a collection with permissions takes the secret key', async () => {
    const { api, owner } = await aGuarded(wire, { read: ['admin'] })

    expectFailure(await api.patch('/collections/posts', { name: 'others' }), 403, 'FORBIDDEN')
    expectFailure(await api.patch('/collections/posts', { permissions: {} }), 403, 'FORBIDDEN')
    expectFailure(await api.delete('/collections/posts'), 403, 'FORBIDDEN')
    expectStatus(200, await owner.patch('/collections/posts', { permissions: {} }))
    expectStatus(200, await api.patch('/collections/posts', { name: 'others' }))
    expectStatus(wire.statuses.removedCollection, await api.delete('/collections/others'))
  })

  once('contract 5.3 a key may not close a collection for its owner', async () => {
    const { api, collection } = await aWorld(wire)
    await collection('posts')

    expectFailure(await api.patch('/collections/posts', { permissions: { read: ['admin'] } }), 403, 'FORBIDDEN')
    const guarded = { name: 'others', permissions: { read: ['admin'] } }
    expectFailure(await api.post('/collections', guarded), 403, 'FORBIDDEN')
  })

  test('contract 5.3 populate and related filters obey read', async () => {
    const { api, owner, collection } = await aWorld(wire)
    const people = await collection('people', { permissions: { read: ['admin'] } })
    const posts = await collection('posts')
    const ada = await people.create({ name: 'Ada' })
    await posts.create({ name: 'one', author: ada.id })

    const closed = rowsOf(wire, await api.get(`${wire.listPath('posts')}?populate=author`))
    const open = rowsOf(wire, await owner.get(`${wire.listPath('posts')}?populate=author`))
    const guess = await api.get(`${wire.listPath('posts')}?populate=author&author.name=Ada`)
    const found = await owner.get(`${wire.listPath('posts')}?populate=author&author.name=Ada`)

    expect(closed[0]?.fields.author).toBe(ada.id)
    expect(wire.link(open[0]?.fields.author)).toEqual(ada)
    expect(rowsOf(wire, guess)).toEqual([])
    expect(rowsOf(wire, found)).toHaveLength(1)
    const oppositely = `${wire.listPath('posts')}?populate=author&author.name${wire.mark}ne=Bob`
    expect(rowsOf(wire, await api.get(oppositely))).toEqual(
      rowsOf(wire, await api.get(`${wire.listPath('posts')}?author.name${wire.mark}ne=Bob`)),
    )
  })
})

async function aGuarded(wire: Wire, permissions: Fields) {
  const world = await aWorld(wire)
  return { ...world, posts: await world.collection('posts', { permissions }) }
}

function rowsOf(wire: Wire, answer: Answer) {
  return wire.page(expectStatus(200, answer)).rows
}
