import { expect, test } from 'vitest'
import { anEmail, aTown, goodPassword, signedUp, userOf } from '../../fixtures/accounts.js'
import { patiently } from '../../fixtures/patience.js'
import { apiOf } from '../../fixtures/service.js'
import { expectFailure, expectStatus, inDialects } from '../../fixtures/wires.js'

inDialects('Sign-up', (wire, { once }) => {
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

    expect(signedUp(wire, answer)).toMatchObject({ email, data: { bio: 'Hi' } })
    expect(wire.record(answer)).toMatchObject({ access_token: expect.any(String), user: { email } })
  })

  test('USR-06 /auth/register does the same', async () => {
    const { api, logIn } = await aTown(wire)
    const email = anEmail()

    const answer = await api.post('/auth/register', { email, password: goodPassword })

    expect(signedUp(wire, answer)).toMatchObject({ email })
    expectStatus(200, await logIn(email, goodPassword))
  })

  once('USR-03 data is free-form, a role may stand in it and counts for nothing', async () => {
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
    expectStatus(wire.statuses.signUp, await api.post('/auth-collections/signup', longest))
    expectStatus(200, await api.post('/auth-collections/login', longest))
  })

  once('USR-15 an email in use is 409, whatever its case and the spaces around it', async () => {
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

    expect(answers.map(({ status }) => status).sort()).toEqual([wire.statuses.signUp, 409, 409])
  })

  once('contract 6.1 what is no email is 422, and so is what a user cannot set', async () => {
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

  once('contract 6.2 roles are given by the owner, or taken where the project allows it', async () => {
    const { api } = await aTown(wire, { selfRoles: ['seller'] })
    const body = (roles: string[]) => ({ email: anEmail(), password: goodPassword, roles })

    const taken = await api.post('/auth-collections/signup', body(['seller']))

    expect(signedUp(wire, taken)).toMatchObject({ roles: ['seller'] })
    expectFailure(await api.post('/auth-collections/signup', body(['seller', 'admin'])), 403, 'FORBIDDEN')
  })

  once('USR-02 no answer about a user holds the password, its hash or a secret', async () => {
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

inDialects('Login', (wire, { once }) => {
  test('USR-07 login answers a token and the user', async () => {
    const { anAccount, logIn, as } = await aTown(wire)
    const { id, email, password } = await anAccount()

    const { user, ...tokens } = wire.record(expectStatus(200, await logIn(email.toUpperCase(), password))) as {
      user: unknown
      access_token: string
    }

    expect(userOf(wire, user)).toMatchObject({ id, email })
    expect(Object.keys(tokens).sort()).toEqual(wire.name === 'd' ? ['access_token'] : ['access_token', 'token'])
    for (const token of Object.values(tokens)) expect(token).toBe(tokens.access_token)
    expectStatus(200, await as(tokens.access_token).get('/auth-collections/me'))
  })

  once('USR-16 a wrong email and a wrong password are the same 401', async () => {
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

  once('contract 6.6 guessing a password slows down, and then the right one has to wait, too', async () => {
    const { anAccount, logIn } = await aTown(wire)
    const other = await anAccount()

    const outcomeOfRightPassword = async () => {
      const { email, password } = await anAccount()
      const guesses = await Promise.all(Array.from({ length: 10 }, () => logIn(email, 'Wrong4Guess')))
      expect(guesses.map(({ status }) => status)).toEqual(Array(10).fill(401))
      const { status, headers } = await logIn(email, password)
      return [status, headers['svc-error-code'], Number(headers['retry-after']) > 0]
    }

    // The first wait is of a second, which is over on a machine that takes longer for one request.
    await expect.poll(outcomeOfRightPassword, patiently).toEqual([429, 'RATE_LIMITED', true])
    expectStatus(200, await logIn(other.email, other.password))
  })

  test('AUT-03 sign-up, login, reset requests and addresses of logins demand an API key', async () => {
    const { anAccount, api } = await aTown(wire)
    const { api: ada, email, password } = await anAccount()
    const nobody = apiOf({}, wire.name)

    for (const path of ['/auth-collections/signup', '/auth/register', '/auth-collections/login']) {
      expectFailure(await nobody.post(path, { email, password }), 401, 'UNAUTHORIZED')
      expectFailure(await ada.post(path, { email, password }), 401, 'UNAUTHORIZED')
    }
    for (const who of [nobody, ada]) {
      expectFailure(await who.post('/auth/request-password-reset', { email }), 401, 'UNAUTHORIZED')
      expectFailure(await who.post('/auth/oauth/google/url', {}), 401, 'UNAUTHORIZED')
      expectFailure(await who.get('/auth-collections/login-idp'), 401, 'UNAUTHORIZED')
      expectFailure(await who.get('/login-idp'), 401, 'UNAUTHORIZED')
    }
    expectStatus(200, await api.post('/auth-collections/login', { email, password }))
  })
})

inDialects('Email addresses', (wire) => {
  test('contract 6.1 are the same whichever way an accent is written, and the composed one is shown', async () => {
    const town = await aTown(wire)
    const composed = anEmail('ren\u00e9')
    const decomposed = composed.replace('\u00e9', 'e\u0301').toUpperCase()

    const user = await town.anAccount({ email: decomposed.toLowerCase() })
    const again = await town.api.post('/auth-collections/signup', { email: composed, password: goodPassword })

    expect(user.email).toBe(composed)
    expectFailure(again, 409, 'EMAIL_ALREADY_EXISTS')
    expectStatus(200, await town.logIn(composed, goodPassword))
    expectStatus(200, await town.logIn(decomposed, goodPassword))
    const other = await town.anAccount()
    const moved = await other.api.patch('/auth-collections/user', { email: decomposed })
    expectFailure(moved, 409, 'EMAIL_ALREADY_EXISTS')
  })
})
