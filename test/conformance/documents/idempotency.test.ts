import { expect, test } from 'vitest'
import { type Account, anEmail, aTown, goodPassword } from '../../fixtures/accounts.js'
import { aProject, apiOf } from '../../fixtures/service.js'
import { expectFailure, expectStatus, inDialects, someDocuments } from '../../fixtures/wires.js'

const key = { 'idempotency-key': 'order-1' }

inDialects('Idempotency', (wire, { once, inTurn }) => {
  test.each(inTurn(['/collections/posts', '/collections/posts/documents']))(
    'contract 3.9 the same key on POST %s answers the first answer again and creates nothing',
    async (path) => {
      const { api, posts } = await someDocuments(wire)

      const first = await api.post(path, { title: 'Tea' }, key)
      const second = await api.post(path, { title: 'Tea' }, key)

      expectStatus(201, first)
      expect({ status: second.status, text: second.text, etag: second.headers.etag }).toEqual({
        status: 201,
        text: first.text,
        etag: first.headers.etag,
      })
      expect((await posts.list()).total).toBe(1)
    },
  )

  once('contract 3.9 a batch and a collection are created once too', async () => {
    const { api, posts } = await someDocuments(wire)
    const documents = [{ a: 1 }, { a: 2 }]

    const batches = [1, 2].map(() => api.post('/collections/posts/batch', { documents }, key))
    const [one, two] = await Promise.all(batches)
    const collections = [
      await api.post('/collections', { name: 'others' }, key),
      await api.post('/collections', { name: 'others' }, key),
    ]

    expect(one?.text).toBe(two?.text)
    expect((await posts.list()).total).toBe(2)
    expect(collections.map(({ status }) => status)).toEqual([201, 201])
    expect(collections[0]?.text).toBe(collections[1]?.text)
  })

  once('contract 3.9 the order of fields and the spaces between them make no other body', async () => {
    const { api, posts } = await someDocuments(wire)

    const first = await api.post('/collections/posts', { a: 1, b: { c: 2, d: [{ e: 3, f: 4 }] } }, key)
    const second = await api.post('/collections/posts', { b: { d: [{ f: 4, e: 3 }], c: 2 }, a: 1 }, key)

    expect(second.text).toBe(first.text)
    expect((await posts.list()).total).toBe(1)
  })

  test('contract 3.9 the same key with another body is 422', async () => {
    const { api, posts } = await someDocuments(wire)

    await api.post('/collections/posts', { title: 'Tea' }, key)

    expectFailure(await api.post('/collections/posts', { title: 'Coffee' }, key), 422, 'IDEMPOTENCY_MISMATCH')
    expect((await posts.list()).total).toBe(1)
  })

  once('contract 3.9 of ten duplicates at once one creates, the others answer the same', async () => {
    const { api, posts } = await someDocuments(wire)

    const answers = await Promise.all(
      Array.from({ length: 10 }, () => api.post('/collections/posts', { title: 'Tea' }, key)),
    )

    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(201))
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect((await posts.list()).total).toBe(1)
  })

  once('contract 3.9 a key belongs to its project, caller, method and path', async () => {
    const { api, owner, posts, collection } = await someDocuments(wire)
    const others = await collection('others')
    const stranger = await someDocuments(wire)

    for (const [who, path] of [
      [api, '/collections/posts'],
      [owner, '/collections/posts'],
      [api, '/collections/others'],
      [stranger.api, '/collections/posts'],
    ] as const) {
      expectStatus(201, await who.post(path, { title: path }, key))
    }

    expect([(await posts.list()).total, (await others.list()).total, (await stranger.posts.list()).total]).toEqual([
      2, 1, 1,
    ])
  })

  once(
    'contract 3.9 the first answer is shown to no other user, and no other body of theirs is a mismatch',
    async () => {
      const town = await aTown(wire)
      const posts = await town.collection('posts')
      const [ada, bob] = [await town.anAccount(), await town.anAccount()]
      const create = async ({ api }: Account, title: string) =>
        wire.row(wire.record(expectStatus(201, await api.post('/collections/posts', { title }, key))))

      const [first, other, different] = [await create(ada, 'Tea'), await create(bob, 'Tea'), await create(ada, 'Tea')]

      expect(other.id).not.toBe(first.id)
      expect(different.id).toBe(first.id)
      expectFailure(await ada.api.post('/collections/posts', { title: 'Milk' }, key), 422, 'IDEMPOTENCY_MISMATCH')
      expect((await posts.list()).total).toBe(2)
    },
  )

  once('contract 3.9 sign-up and login keep no answer: each is done anew, with another body too', async () => {
    const { api, anAccount } = await aTown(wire)
    const [ada, bob] = [await anAccount(), await anAccount()]
    const logIn = ({ email, password }: Account) => api.post('/auth-collections/login', { email, password }, key)
    const signup = { email: anEmail(), password: goodPassword }

    const tokens = [await logIn(ada), await logIn(ada), await logIn(bob)].map((answer) => {
      return (wire.record(expectStatus(200, answer)) as { access_token: string }).access_token
    })
    expectStatus(wire.statuses.signUp, await api.post('/auth-collections/signup', signup, key))
    const again = await api.post('/auth-collections/signup', signup, key)

    expect(new Set(tokens).size).toBe(3)
    expect(again.status).toBe(409)
    expectStatus(wire.statuses.signUp, await api.post('/auth-collections/signup', { ...signup, email: anEmail() }, key))
  })

  once('contract 3.9 a failure is not kept: the key may be used again', async () => {
    const { api, collection } = await someDocuments(wire)

    expectFailure(await api.post('/collections/later', { title: 'Tea' }, key), 404, 'NOT_FOUND')
    await collection('later', { schema: { n: { type: 'number' } } })
    expectFailure(await api.post('/collections/later', { n: 'text' }, key), 422, 'VALIDATION_ERROR')

    expectStatus(201, await api.post('/collections/later', { n: 5 }, key))
  })

  once('contract 3.9 a key has 1 to 255 characters', async () => {
    const { api, posts } = await someDocuments(wire)
    const create = (text: string) => api.post('/collections/posts', { a: 1 }, { 'idempotency-key': text })

    for (const text of ['', 'k'.repeat(256), 'k'.repeat(10_000)]) {
      expectFailure(await create(text), 422, 'VALIDATION_ERROR')
    }
    for (const text of ['k', 'k'.repeat(255), '"quoted"']) {
      const first = expectStatus(201, await create(text))
      expect(expectStatus(201, await create(text)).text).toBe(first.text)
    }
    expect((await posts.list()).total).toBe(3)
  })
})

test('contract 3.9 the kept answer is the first one, whatever dialect asks again', async () => {
  const { apiKey } = await aProject()
  const [a, c] = ['a', 'c'].map((dialect) => apiOf({ 'x-api-key': apiKey }, dialect))
  await a?.post('/collections', { name: 'posts' })

  const first = await a?.post('/collections/posts', { title: 'Tea' }, key)
  const second = await c?.send('POST', '/collections/posts', { ...key, 'svc-dialect': 'a' }, { title: 'Tea' })

  expect(second?.text).toBe(first?.text)
})
