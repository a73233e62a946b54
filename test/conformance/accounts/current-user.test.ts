import { expect, test } from 'vitest'
import { anEmail, aTown, goodPassword, userOf } from '../../fixtures/accounts.js'
import { mailTo, tokenIn } from '../../fixtures/mail/mails.js'
import { expectFailure, expectStatus, inDialects } from '../../fixtures/wires.js'

inDialects('The current user', (wire, { once }) => {
  once('USR-09 me is the user of the token', async () => {
    const { anAccount } = await aTown(wire)
    const [ada, bob] = [await anAccount(), await anAccount()]

    for (const { api, id } of [ada, bob]) {
      const answer = expectStatus(200, await api.get('/auth-collections/me'))
      expect(userOf(wire, wire.record(answer)).id).toBe(id)
    }
  })

  once(
    'USR-04 followers_ids and following_ids hold arrays of user ids, and are answered as they were written',
    async () => {
      const { anAccount } = await aTown(wire)
      const [bob, eve] = [await anAccount(), await anAccount()]
      const ada = await anAccount({ data: { followers_ids: [eve.id, bob.id, 'gone'], following_ids: [bob.id] } })

      const plain = await ada.api.get('/auth-collections/user')

      const { data } = userOf(wire, wire.record(expectStatus(200, plain)))
      expect(data.followers_ids).toEqual([eve.id, bob.id, 'gone'])
      expect(data.following_ids).toEqual([bob.id])
      expect(data).toEqual(ada.data)
    },
  )

  test('USR-10 fields that hold ids of users or documents are resolved by populate', async () => {
    const { anAccount, collection } = await aTown(wire)
    const posts = await collection('posts')
    const post = await posts.create({ title: 'Tea' })
    const [bob, eve] = [await anAccount({ data: { username: 'bob' } }), await anAccount()]
    const ada = await anAccount({
      data: { followers_ids: [eve.id, bob.id, 'gone'], following_ids: [bob.id], best: post.id },
    })

    const answer = await ada.api.get('/auth-collections/user?populate=followers_ids&populate=best')

    const { data } = userOf(wire, wire.record(expectStatus(200, answer)))
    const [first, second, third] = data.followers_ids as unknown[]
    expect([userOf(wire, first).id, userOf(wire, second).data, third]).toEqual([eve.id, { username: 'bob' }, 'gone'])
    expect(data.following_ids).toEqual([bob.id])
    expect(wire.link(data.best).fields).toEqual({ title: 'Tea' })
  })

  once('USR-11 PATCH merges data, with array operators as on documents', async () => {
    const { anAccount } = await aTown(wire)
    const { api } = await anAccount({ data: { bio: 'Hi', tags: ['a', 'b'], nested: { x: 1 } } })

    const merged = await api.patch('/auth-collections/user', { data: { bio: 'Ho', nested: { y: 2 } } })
    const operated = await api.patch('/auth-collections/user', {
      data: { $append: { tags: ['c', 'a'] } },
      $append: { tags: 'd' },
      $remove: { tags: 'b' },
    })

    expect(userOf(wire, wire.record(expectStatus(200, merged))).data).toEqual({
      bio: 'Ho',
      tags: ['a', 'b'],
      nested: { y: 2 },
    })
    expect(userOf(wire, wire.record(expectStatus(200, operated))).data.tags).toEqual(['a', 'd', 'c'])
  })

  once('DOC-07 100 concurrent appends to a user’s data leave all 100', async () => {
    const { anAccount } = await aTown(wire)
    const { api } = await anAccount()
    const all = Array.from({ length: 100 }, (_, at) => at)

    await Promise.all(all.map((at) => api.patch('/auth-collections/user', { $append: { seen: at } })))

    const { data } = userOf(wire, wire.record(await api.get('/auth-collections/me')))
    expect((data.seen as number[]).sort((one, other) => one - other)).toEqual(all)
  })

  once('USR-11 a new email is unverified, and 409 if it is somebody’s', async () => {
    const { anAccount, logIn } = await aTown(wire)
    const [ada, bob] = [await anAccount(), await anAccount()]
    const email = anEmail('new')

    const moved = await ada.api.patch('/auth-collections/user', { email })

    expect(userOf(wire, wire.record(expectStatus(200, moved)))).toMatchObject({ email, email_verified: false })
    expectStatus(200, await logIn(email, ada.password))
    expectFailure(await logIn(ada.email, ada.password), 401, 'INVALID_CREDENTIALS')
    expectFailure(
      await ada.api.patch('/auth-collections/user', { email: bob.email.toUpperCase() }),
      409,
      'EMAIL_ALREADY_EXISTS',
    )
    expectFailure(await ada.api.patch('/auth-collections/user', { email: 'none' }), 422, 'VALIDATION_ERROR')
  })

  once(
    'USR-11 an address in another case is the same address: it stays verified, and what was mailed to it works',
    async () => {
      const { anAccount, api } = await aTown(wire)
      const ada = await anAccount()
      const shout = ada.email.toUpperCase()
      const patch = async (email: string) =>
        userOf(wire, wire.record(expectStatus(200, await ada.api.patch('/auth-collections/user', { email }))))
      await ada.api.post('/auth/request-verification', {})
      const verification = await mailTo(ada.email)
      await api.post('/auth/request-password-reset', { email: ada.email })
      const reset = await mailTo(ada.email, verification.id)

      expect(await patch(shout)).toMatchObject({ email: shout, email_verified: false })
      expectStatus(200, await api.post('/auth/verify-email', { token: tokenIn(verification) }))
      expect(await patch(ada.email)).toMatchObject({ email: ada.email, email_verified: true })
      await patch(shout)
      const body = { token: tokenIn(reset), newPassword: 'New4Horses' }
      expectStatus(200, await api.post('/auth/reset-password', body))
    },
  )

  once('USR-11 a new password takes the current one or a fresh login, and ends every other session', async () => {
    const { anAccount, logIn, as } = await aTown(wire)
    const ada = await anAccount()
    const { access_token: token } = wire.record(await logIn(ada.email, ada.password)) as { access_token: string }
    const patch = (body: object) => ada.api.patch('/auth-collections/user', body)

    expectFailure(await patch({ password: 'New4Horses', currentPassword: 'Wrong4Horse' }), 401, 'INVALID_CREDENTIALS')
    expectFailure(await patch({ password: 'weak', currentPassword: ada.password }), 422, 'VALIDATION_ERROR')
    expectStatus(200, await patch({ password: 'New4Horses', currentPassword: ada.password }))
    expectStatus(200, await patch({ password: 'Newer4Horses' }))

    expectFailure(await as(token).get('/auth-collections/me'), 401, 'INVALID_TOKEN')
    expectStatus(200, await ada.api.get('/auth-collections/me'))
    expectFailure(await logIn(ada.email, ada.password), 401, 'INVALID_CREDENTIALS')
    expectStatus(200, await logIn(ada.email, 'Newer4Horses'))
  })

  once('contract 6.3 what belongs to the service is never set by the user', async () => {
    const { anAccount } = await aTown(wire)
    const { api, id } = await anAccount()

    for (const body of [
      { id: 'mine' },
      { roles: ['admin'] },
      { oauth_id: 'x' },
      { email_verified: true },
      { data: [] },
      { data: { $append: { tags: 'x' } }, nonsense: 1 },
    ]) {
      expectFailure(await api.patch('/auth-collections/user', body), 422, 'VALIDATION_ERROR')
    }
    expect(userOf(wire, wire.record(await api.get('/auth-collections/me')))).toMatchObject({ id, roles: [] })
  })

  once('contract 6.2 where data.role is trusted, users cannot give it to themselves', async () => {
    const { api, anAccount } = await aTown(wire, { trustDataRole: true })
    const body = { email: anEmail(), password: goodPassword, data: { role: 'admin' } }

    expectFailure(await api.post('/auth-collections/signup', body), 403, 'FORBIDDEN')
    const { api: ada } = await anAccount({ data: { bio: 'Hi' } })
    expectFailure(await ada.patch('/auth-collections/user', { data: { role: 'admin' } }), 403, 'FORBIDDEN')
    expectStatus(200, await ada.patch('/auth-collections/user', { data: { bio: 'Ho' } }))
  })
})
