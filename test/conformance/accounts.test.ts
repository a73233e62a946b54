import { expect, test } from 'vitest'
import { type Account, anEmail, aTown, goodPassword, userOf, usersOf } from '../fixtures/accounts.js'
import { apiOf } from '../fixtures/service.js'
import { expectFailure, expectStatus, inDialects } from '../fixtures/wires.js'

inDialects('Sign-up', (wire) => {
  test('USR-01 a record has id, email, data, roles, oauth_id and times in the naming of the dialect', async () => {
    const { anAccount } = await aTown(wire)
    const { api, id, email } = await anAccount({ data: { full_name: 'Ada' } })

    const user = userOf(wire, wire.record(expectStatus(200, await api.get('/auth-collections/me'))))

    expect(user).toEqual({
      id,
      email,
      data: { full_name: 'Ada' },
      roles: [],
      oauth_id: null,
      email_verified: false,
    })
  })

  test('USR-05 sign-up answers the user’s fields and a token, and the same user under "user"', async () => {
    const { api } = await aTown(wire)
    const email = anEmail()

    const answer = await api.post('/auth-collections/signup', { email, password: goodPassword, data: { bio: 'Hi' } })

    const body = wire.record(expectStatus(201, answer))
    expect(body).toMatchObject({ email, data: { bio: 'Hi' }, token: expect.any(String), user: { email } })
    expect(body).toHaveProperty('access_token', (body as { token: string }).token)
  })

  test('USR-06 /auth/register does the same', async () => {
    const { api, logIn } = await aTown(wire)
    const email = anEmail()

    const answer = await api.post('/auth/register', { email, password: goodPassword })

    expect(wire.record(expectStatus(201, answer))).toMatchObject({ email, token: expect.any(String) })
    expectStatus(200, await logIn(email, goodPassword))
  })

  test('USR-03 data is free-form, a role may stand in it and counts for nothing', async () => {
    const { anAccount, collection } = await aTown(wire)
    await collection('secrets', { permissions: { read: ['admin'] } })
    const data = { role: 'admin', username: 'ada', preferences: { theme: 'dark', tags: [1, null] }, __proto: 'x' }

    const { api, data: kept } = await anAccount({ data })

    expect(kept).toEqual(data)
    expectFailure(await api.get(wire.listPath('secrets')), 403, 'FORBIDDEN')
  })

  test('USR-14 a password has 8 characters, an upper, a lower and a digit', async () => {
    const { api } = await aTown(wire)
    const weak = ['Ab1defg', 'abcdefg1', 'ABCDEFG1', 'Abcdefgh', '', `Aa1${'x'.repeat(70)}`]

    for (const password of weak) {
      const answer = await api.post('/auth-collections/signup', { email: anEmail(), password })
      expectFailure(answer, 422, 'VALIDATION_ERROR')
    }
    const longest = { email: anEmail(), password: `Aa1${'x'.repeat(69)}` }
    expectStatus(201, await api.post('/auth-collections/signup', longest))
    expectStatus(200, await api.post('/auth-collections/login', longest))
  })

  test('USR-15 an email in use is 409, whatever its case and the spaces around it', async () => {
    const { api, anAccount } = await aTown(wire)
    const { email } = await anAccount()

    for (const same of [email, email.toUpperCase(), ` ${email} `]) {
      const answer = await api.post('/auth-collections/signup', { email: same, password: goodPassword })
      expectFailure(answer, 409, 'EMAIL_ALREADY_EXISTS')
    }
  })

  test('USR-15 of two sign-ups with one email at the same moment, one is 201 and one 409', async () => {
    const { api } = await aTown(wire)
    const body = { email: anEmail(), password: goodPassword }

    const answers = await Promise.all([1, 2, 3].map(() => api.post('/auth-collections/signup', body)))

    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409])
  })

  test('contract 6.1 what is no email is 422, and so is what a user cannot set', async () => {
    const { api } = await aTown(wire)
    const good = { email: anEmail(), password: goodPassword }
    const bodies = [
      ...['', 'ada', 'ada@', '@example.com', 'a b@example.com', 'a@b..c', 'a\r\nBcc: x@example.com'].map((email) => ({
        ...good,
        email,
      })),
      { ...good, email: 5 },
      { ...good, password: 12345678 },
      { ...good, data: [] },
      { ...good, id: 'mine' },
      { ...good, email_verified: true },
      { ...good, oauth_id: 'x' },
      { password: goodPassword },
      { email: anEmail() },
    ]

    for (const body of bodies) {
      expectFailure(await api.post('/auth-collections/signup', body), 422, 'VALIDATION_ERROR')
    }
  })

  test('contract 6.2 roles are given by the owner, or taken where the project allows it', async () => {
    const { api } = await aTown(wire, { selfRoles: ['seller'] })
    const body = (roles: string[]) => ({ email: anEmail(), password: goodPassword, roles })

    const taken = await api.post('/auth-collections/signup', body(['seller']))

    expect(wire.record(expectStatus(201, taken))).toMatchObject({ roles: ['seller'] })
    expectFailure(await api.post('/auth-collections/signup', body(['seller', 'admin'])), 403, 'FORBIDDEN')
  })

  test('USR-02 no answer about a user holds the password, its hash or a secret', async () => {
    const { api, anAccount, logIn } = await aTown(wire)
    const ada = await anAccount()

    const answers = [
      await logIn(ada.email, ada.password),
      await ada.api.get('/auth-collections/me'),
      await ada.api.get('/auth-collections/user'),
      await ada.api.patch('/auth-collections/user', { data: { a: 1 } }),
      await api.get(`/auth-collections/users/${ada.id}`),
      await api.get('/auth-collections/users'),
      await api.get('/auth-collections/users?password__isnull=false&password_hash__isnull=false'),
    ]

    for (const { text } of answers) expect(text).not.toMatch(/password|\$2[aby]\$|secret|hash/i)
  })
})

inDialects('Login', (wire) => {
  test('USR-07 login answers a token and the user', async () => {
    const { anAccount, logIn, as } = await aTown(wire)
    const { id, email, password } = await anAccount()

    const { token, access_token, user } = wire.record(
      expectStatus(200, await logIn(email.toUpperCase(), password)),
    ) as {
      token: string
      access_token: string
      user: unknown
    }

    expect(userOf(wire, user)).toMatchObject({ id, email })
    expect(access_token).toBe(token)
    expectStatus(200, await as(token).get('/auth-collections/me'))
  })

  test('USR-16 a wrong email and a wrong password are the same 401', async () => {
    const { anAccount, logIn } = await aTown(wire)
    const { email, password } = await anAccount()

    const wrong = [
      await logIn(email, `${password}x`),
      await logIn(anEmail('nobody'), password),
      await logIn('no email at all', password),
      await logIn(email, ''),
      await logIn(email, password.padEnd(100, 'x')),
    ]

    for (const answer of wrong) expectFailure(answer, 401, 'INVALID_CREDENTIALS')
    expect(new Set(wrong.map(({ text }) => text)).size).toBe(1)
  })

  test('contract 6.6 guessing a password slows down, and then the right one has to wait, too', async () => {
    const { anAccount, logIn } = await aTown(wire)
    const { email, password } = await anAccount()
    const other = await anAccount()

    const guesses = await Promise.all(Array.from({ length: 11 }, () => logIn(email, 'Wrong4Guess')))

    expect(new Set(guesses.map(({ status }) => status))).toEqual(new Set([401]))
    const slowed = await logIn(email, password)
    expectFailure(slowed, 429, 'RATE_LIMITED')
    expect(Number(slowed.headers['retry-after'])).toBeGreaterThan(0)
    expectStatus(200, await logIn(other.email, other.password))
  })

  test('AUT-03 sign-up and login demand an API key', async () => {
    const { anAccount, api } = await aTown(wire)
    const { api: ada, email, password } = await anAccount()
    const nobody = apiOf({}, wire.name)

    for (const path of ['/auth-collections/signup', '/auth/register', '/auth-collections/login']) {
      expectFailure(await nobody.post(path, { email, password }), 401, 'UNAUTHORIZED')
      expectFailure(await ada.post(path, { email, password }), 401, 'UNAUTHORIZED')
    }
    expectStatus(200, await api.post('/auth-collections/login', { email, password }))
  })
})

inDialects('The current user', (wire) => {
  test('USR-09 me is the user of the token', async () => {
    const { anAccount } = await aTown(wire)
    const [ada, bob] = [await anAccount(), await anAccount()]

    for (const { api, id } of [ada, bob]) {
      const answer = expectStatus(200, await api.get('/auth-collections/me'))
      expect(userOf(wire, wire.record(answer)).id).toBe(id)
    }
  })

  test('USR-10 USR-04 fields that hold ids of users or documents are resolved by populate', async () => {
    const { anAccount, collection } = await aTown(wire)
    const posts = await collection('posts')
    const post = await posts.create({ title: 'Tea' })
    const [bob, eve] = [await anAccount({ data: { username: 'bob' } }), await anAccount()]
    const ada = await anAccount({
      data: { followers_ids: [eve.id, bob.id, 'gone'], following_ids: [bob.id], best: post.id },
    })

    const plain = await ada.api.get('/auth-collections/user')
    const answer = await ada.api.get('/auth-collections/user?populate=followers_ids&populate=best')

    expect(userOf(wire, wire.record(expectStatus(200, plain))).data).toEqual(ada.data)
    const { data } = userOf(wire, wire.record(expectStatus(200, answer)))
    const [first, second, third] = data.followers_ids as unknown[]
    expect([userOf(wire, first).id, userOf(wire, second).data, third]).toEqual([eve.id, { username: 'bob' }, 'gone'])
    expect(data.following_ids).toEqual([bob.id])
    expect(wire.row(data.best).fields).toEqual({ title: 'Tea' })
  })

  test('USR-11 PATCH merges data, with array operators as on documents', async () => {
    const { anAccount } = await aTown(wire)
    const { api } = await anAccount({ data: { bio: 'Hi', tags: ['a', 'b'], nested: { x: 1 } } })

    const merged = await api.patch('/auth-collections/user', { data: { bio: 'Ho', nested: { y: 2 } } })
    const operated = await api.patch('/auth-collections/user', {
      data: { $append: { tags: ['c', 'a'] } },
      $remove: { tags: 'b' },
    })

    expect(userOf(wire, wire.record(expectStatus(200, merged))).data).toEqual({
      bio: 'Ho',
      tags: ['a', 'b'],
      nested: { y: 2 },
    })
    expect(userOf(wire, wire.record(expectStatus(200, operated))).data.tags).toEqual(['a', 'c'])
  })

  test('DOC-07 100 concurrent appends to a user’s data leave all 100', async () => {
    const { anAccount } = await aTown(wire)
    const { api } = await anAccount()
    const all = Array.from({ length: 100 }, (_, at) => at)

    await Promise.all(all.map((at) => api.patch('/auth-collections/user', { $append: { seen: at } })))

    const { data } = userOf(wire, wire.record(await api.get('/auth-collections/me')))
    expect((data.seen as number[]).sort((one, other) => one - other)).toEqual(all)
  })

  test('USR-11 a new email is unverified, and 409 if it is somebody’s', async () => {
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

  test('USR-11 a new password takes the current one or a fresh login, and ends every other session', async () => {
    const { anAccount, logIn, as } = await aTown(wire)
    const ada = await anAccount()
    const { token } = wire.record(await logIn(ada.email, ada.password)) as { token: string }
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

  test('contract 6.3 what belongs to the service is never set by the user', async () => {
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

  test('contract 6.2 where data.role is trusted, users cannot give it to themselves', async () => {
    const { api, anAccount } = await aTown(wire, { trustDataRole: true })
    const body = { email: anEmail(), password: goodPassword, data: { role: 'admin' } }

    expectFailure(await api.post('/auth-collections/signup', body), 403, 'FORBIDDEN')
    const { api: ada } = await anAccount({ data: { bio: 'Hi' } })
    expectFailure(await ada.patch('/auth-collections/user', { data: { role: 'admin' } }), 403, 'FORBIDDEN')
    expectStatus(200, await ada.patch('/auth-collections/user', { data: { bio: 'Ho' } }))
  })
})

inDialects('Users', (wire) => {
  test('contract 6.10 users are listed by key, filtered and sorted like documents', async () => {
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

  test('contract 6.10 a list of users is for holders of a key', async () => {
    const { anAccount } = await aTown(wire)
    const { api, id } = await anAccount()

    expectFailure(await api.get('/auth-collections/users'), 401, 'UNAUTHORIZED')
    expectFailure(await api.get(`/auth-collections/users/${id}`), 401, 'UNAUTHORIZED')
  })

  test('USR-17 an unknown user is 404', async () => {
    const { api, anAccount } = await aTown(wire)
    const { id } = await anAccount()
    const stranger = await (await aTown(wire)).anAccount()

    expect(userOf(wire, wire.record(await api.get(`/auth-collections/users/${id}`))).id).toBe(id)
    for (const other of ['nobody', id.replace(/.$/, (end) => (end === '0' ? '1' : '0')), stranger.id, '%00']) {
      const answer = await api.get(`/auth-collections/users/${other}`)
      expectFailure(answer, 404, other === '%00' ? 'NOT_FOUND' : 'USER_NOT_FOUND')
    }
  })

  test('LST-18 LST-05 documents reach the users they link to, with populate and by filters', async () => {
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
