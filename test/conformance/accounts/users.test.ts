import { expect } from 'vitest'
import { type Account, aTown, userOf, usersOf } from '../../fixtures/accounts.js'
import { expectFailure, expectStatus, inDialects } from '../../fixtures/wires.js'

inDialects('Users', (wire, { once }) => {
  once('contract 6.10 users are listed by key, filtered and sorted like documents', async () => {
    const { api, anAccount } = await aTown(wire)
    const many: Account[] = []
    for (const age of [30, 10, 20]) many.push(await anAccount({ data: { age, username: `user ${age}` } }))
    const [, ten] = many
    const list = async (query: string) =>
      usersOf(wire, expectStatus(200, await api.get(`/auth-collections/users${query}`)))

    expect((await list('')).users.map(({ data }) => data.age)).toEqual([20, 10, 30])
    expect((await list('')).total).toBe(3)
    expect((await list('?count=false&limit=1')).total).toBeNull()
    expect((await list('?orderBy=age&order=asc&limit=2&offset=1')).users.map(({ data }) => data.age)).toEqual([20, 30])
    expect((await list(`?age${wire.mark}gte=20`)).total).toBe(2)
    expect((await list(`?email=${ten?.email}`)).users.map(({ id }) => id)).toEqual([ten?.id])
    expect((await list(`?id=${ten?.id}`)).users.map(({ id }) => id)).toEqual([ten?.id])
    expect((await list('?orderBy=email&order=desc')).users.map(({ email }) => email)).toEqual(
      many
        .map(({ email }) => email)
        .sort()
        .reverse(),
    )
    expect(await list('?username=nobody')).toEqual({ users: [], total: 0 })
  })

  once('contract 6.10 a list of users is for holders of a key', async () => {
    const { anAccount } = await aTown(wire)
    const { api, id } = await anAccount()

    expectFailure(await api.get('/auth-collections/users'), 401, 'UNAUTHORIZED')
    expectFailure(await api.get(`/auth-collections/users/${id}`), 401, 'UNAUTHORIZED')
  })

  once('USR-17 an unknown user is 404', async () => {
    const { api, anAccount } = await aTown(wire)
    const { id } = await anAccount()
    const stranger = await (await aTown(wire)).anAccount()

    expect(userOf(wire, wire.record(await api.get(`/auth-collections/users/${id}`))).id).toBe(id)
    for (const other of ['nobody', id.replace(/.$/, (end) => (end === '0' ? '1' : '0')), stranger.id, '%00']) {
      const answer = await api.get(`/auth-collections/users/${other}`)
      expectFailure(answer, 404, other === '%00' ? 'NOT_FOUND' : 'USER_NOT_FOUND')
    }
  })

  once('LST-18 LST-05 documents reach the users they link to, with populate and by filters', async () => {
    const { collection, anAccount } = await aTown(wire)
    const posts = await collection('posts')
    const [ada, bob] = [await anAccount({ data: { role: 'admin' } }), await anAccount({ data: { role: 'guest' } })]
    await posts.fill([
      { name: 'one', author: ada.id },
      { name: 'two', author: bob.id },
      { name: 'three', author: 'x' },
    ])

    const page = await posts.list(`populate=author&name=one`)

    expect(userOf(wire, page.rows[0]?.fields.author)).toMatchObject({ id: ada.id, data: { role: 'admin' } })
    expect(await posts.names('populate=author&author.role=guest')).toEqual(['two'])
    expect(await posts.names(`populate=author&author.email=${ada.email}`)).toEqual(['one'])
    expect(await posts.names('populate=author&author.password_hash__isnull=false'.replaceAll('__', wire.mark))).toEqual(
      [],
    )
  })
})
