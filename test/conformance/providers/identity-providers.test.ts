import { expect, test } from 'vitest'
import { type ProviderFault, providerFaults } from '../../../client/protocol/model/provider-login.js'
import { anEmail, aTown, goodPassword, userOf } from '../../fixtures/accounts.js'
import { countMails, mailTo } from '../../fixtures/mail/mails.js'
import {
  aPerson,
  callbackUrl,
  choose,
  comeBack,
  completeUrl,
  logInThrough,
  loginUrl,
  providerKeys,
} from '../../fixtures/providers/provider.js'
import { changeSettings } from '../../fixtures/service.js'
import { aWorld, expectFailure, expectStatus, inDialects } from '../../fixtures/wires.js'

inDialects('Login through a provider', (wire, { once }) => {
  test('IDP-03 both paths answer the address at the provider', async () => {
    const { api } = await aWorld(wire)

    for (const path of ['/auth-collections/login-idp', '/login-idp']) {
      const { url } = wire.record(expectStatus(200, await api.get(path))) as { url: string }
      expect(Object.fromEntries(new URL(url).searchParams)).toMatchObject({
        response_type: 'code',
        code_challenge_method: 'S256',
        state: expect.stringMatching(/^[\w.-]{60,}$/),
      })
    }
  })

  test('IDP-04 a code becomes a user and a token, at the page that the settings name', async () => {
    const { as, api, project } = await aTown(wire)
    await changeSettings(project, { idp: providerKeys(project.id) })
    const { email, id } = await aPerson({ email: anEmail() })

    const { page, token, failure } = await logInThrough(wire, { api }, { id })

    expect({ page, failure }).toEqual({ page: completeUrl, failure: null })
    const me = userOf(wire, wire.record(expectStatus(200, await as(String(token)).get('/auth-collections/me'))))
    expect(me).toMatchObject({ email, oauth_id: id, email_verified: true, roles: [] })
  })

  once('IDP-05 who comes again is the same user, with a new token', async () => {
    const { as, api } = await aTown(wire)
    const person = await aPerson()

    const tokens = [await logInThrough(wire, { api }, person), await logInThrough(wire, { api }, person)]

    expect(new Set(tokens.map(({ token }) => token)).size).toBe(2)
    const users = await Promise.all(tokens.map(({ token }) => as(String(token)).get('/auth-collections/me')))
    expect(new Set(users.map((answer) => (wire.record(answer) as { id: string }).id)).size).toBe(1)
  })

  once('IDP-12 the first login makes a user with the subject, the email, and the name as username', async () => {
    const { as, api } = await aTown(wire)
    const named = await aPerson({ name: 'Grace Hopper' })
    const nameless = await aPerson({ name: '', claims: { preferred_username: '' } })

    const [grace, nobody] = [await logInThrough(wire, { api }, named), await logInThrough(wire, { api }, nameless)]

    const me = async (token: string | null) =>
      userOf(wire, wire.record(expectStatus(200, await as(String(token)).get('/auth-collections/me'))))
    expect(await me(grace.token)).toMatchObject({
      oauth_id: named.id,
      email: named.email,
      data: { username: 'Grace Hopper' },
    })
    const { id, data } = await me(nobody.token)
    expect(data).toEqual({ username: expect.stringMatching(/^[0-9a-f]{8}$/) })
    expect(id.endsWith(String(data.username))).toBe(true)
  })

  once('IDP-12 nameless users who come within a minute have a name each', async () => {
    const { as, api } = await aTown(wire)
    const names: unknown[] = []

    for (let n = 0; n < 3; n++) {
      const { token } = await logInThrough(
        wire,
        { api },
        await aPerson({ name: '', claims: { preferred_username: '' } }),
      )
      const me = wire.record(expectStatus(200, await as(String(token)).get('/auth-collections/me')))
      names.push(userOf(wire, me).data.username)
    }

    expect(new Set(names).size).toBe(3)
  })

  once('IDP-14 a provider’s user has no password: not the email, and none that can be asked for', async () => {
    const { api, logIn } = await aTown(wire)
    const person = await aPerson()
    const email = String(person.email)
    await logInThrough(wire, { api }, person)

    for (const password of [email, person.id, '', goodPassword]) {
      expectFailure(await logIn(email, password), 401, 'INVALID_CREDENTIALS')
    }
    expectFailure(
      await api.post('/auth-collections/signup', { email, password: goodPassword }),
      409,
      'EMAIL_ALREADY_EXISTS',
    )
  })

  once('contract 7.5 who asks to reset the password of a provider’s user brings no mail about', async () => {
    const { api, anAccount } = await aTown(wire)
    const person = await aPerson()
    await logInThrough(wire, { api }, person)
    const { email } = await anAccount()

    for (const address of [String(person.email), email]) {
      expectStatus(200, await api.post('/auth/request-password-reset', { email: address }))
    }

    await mailTo(email)
    expect(await countMails(String(person.email))).toBe(0)
  })

  once('IDP-09 an email of a password user is refused, and IDP-14 the user stays as it is', async () => {
    const { api, anAccount } = await aTown(wire)
    const { email, api: own } = await anAccount()
    const person = await aPerson({ email: email.toUpperCase() })

    const { failure, token } = await logInThrough(wire, { api }, person)

    expect({ failure, token }).toEqual({ failure: 'email_already_registered_with_password', token: null })
    const me = userOf(wire, wire.record(expectStatus(200, await own.get('/auth-collections/me'))))
    expect(me).toMatchObject({ email, oauth_id: null, email_verified: false })
  })
})

inDialects(
  'A login that fails',
  (wire) => {
    const ids: { readonly [Fault in ProviderFault]: string } = {
      'bad-code': 'IDP-06',
      'no-profile': 'IDP-07',
      'no-email': 'IDP-08',
      'unverified-email': 'IDP-13',
      slow: 'IDP-11',
      down: 'IDP-11',
      'wrong-audience': 'IDP-11',
      'wrong-issuer': 'IDP-11',
      'wrong-nonce': 'IDP-11',
      'wrong-key': 'IDP-11',
      cancelled: 'IDP-11',
    }

    test.each(Object.entries(providerFaults))('where the provider has the fault "%s"', async (fault, { endsIn }) => {
      const world = await aWorld(wire)
      const person = await aPerson()

      const failed = await logInThrough(wire, world, person, fault as ProviderFault)
      const next = await logInThrough(wire, world, person)

      expect(failed, ids[fault as ProviderFault]).toMatchObject({ failure: endsIn, token: null })
      expect(next).toMatchObject({ failure: null, token: expect.any(String) })
    })

    test('IDP-06 a code that nobody gave out, and none at all, are bad codes', async () => {
      const world = await aWorld(wire)
      for (const code of ['&code=made-up', '&code=', '']) {
        const state = new URL(await loginUrl(wire, world)).searchParams.get('state')
        const { failure } = await comeBack(`${callbackUrl(world.project.id)}?state=${state}${code}`)
        expect(failure).toBe('invalid_authorization_code')
      }
    })

    test('IDP-07 a profile that does not come is said', async () => {
      const { failure } = await logInThrough(wire, await aWorld(wire), await aPerson(), 'no-profile')
      expect(failure).toBe('failed_to_get_user_info')
    })

    test('IDP-08 an account without an email is refused', async () => {
      const { failure } = await logInThrough(wire, await aWorld(wire), await aPerson({ email: null }))
      expect(failure).toBe('no_email_provided')
    })

    test('IDP-13 an unverified email is no email, also of who has logged in before', async () => {
      const world = await aWorld(wire)
      const person = await aPerson()
      await logInThrough(wire, world, person)

      const again = await logInThrough(wire, world, person, 'unverified-email')
      const other = await logInThrough(wire, world, await aPerson({ emailVerified: false }))

      expect([again.failure, other.failure]).toEqual(['no_email_provided', 'no_email_provided'])
    })

    test('IDP-11 somebody else’s address at the same provider, and a cancelled login, fail', async () => {
      const world = await aWorld(wire)
      const first = await aPerson()
      await logInThrough(wire, world, first)
      const second = await aPerson({ email: first.email })

      const taken = await logInThrough(wire, world, second)
      const cancelled = await comeBack(await choose(await loginUrl(wire, world), undefined))

      expect([taken.failure, cancelled.failure]).toEqual(['authentication_failed', 'authentication_failed'])
    })
  },
  ['a'],
)

inDialects(
  'The state of a login',
  (wire) => {
    test('contract 7.3 works once: of ten browsers that come back with it, one is logged in', async () => {
      const world = await aWorld(wire)
      const back = await choose(await loginUrl(wire, world), await aPerson())

      const endings = await Promise.all(Array.from({ length: 10 }, () => comeBack(back)))

      expect(endings.filter(({ token }) => token !== null)).toHaveLength(1)
      expect(endings.filter(({ failure }) => failure === 'authentication_failed')).toHaveLength(9)
    })

    test('IDP-05 two first logins of one person at the same moment make one user', async () => {
      const world = await aTown(wire)
      const person = await aPerson()
      const ways = await Promise.all(Array.from({ length: 5 }, async () => choose(await loginUrl(wire, world), person)))

      const endings = await Promise.all(ways.map(comeBack))

      const ids = endings.map(async ({ token }) => {
        const answer = await world.as(String(token)).get('/auth-collections/me')
        return (wire.record(expectStatus(200, answer)) as { id: string }).id
      })
      expect(new Set(await Promise.all(ids)).size).toBe(1)
    })

    test('contract 7.3 is of one project and cannot be made up, changed or left out', async () => {
      const [world, other] = [await aWorld(wire), await aWorld(wire)]
      const person = await aPerson()
      const back = new URL(await choose(await loginUrl(wire, world), person))
      const { code = '', state = '' } = Object.fromEntries(back.searchParams)
      const [random = '', signature = ''] = state.split('.')
      const flipped = `${random}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`

      const foreign = await comeBack(`${callbackUrl(other.project.id)}${back.search}`)
      const bad = ['', flipped, random, `${state}A`, 'x'.repeat(2_000), '%F0%9F%98%80']
      const endings = []
      for (const state of bad)
        endings.push(await comeBack(`${callbackUrl(world.project.id)}?code=${code}&state=${state}`))
      endings.push(foreign, await comeBack(`${callbackUrl(world.project.id)}?code=${code}`))

      expect(new Set(endings.map(({ failure, token }) => `${failure} ${token}`))).toEqual(
        new Set(['authentication_failed null']),
      )
      expect((await comeBack(back.href)).token).not.toBeNull()
    })

    test('contract 7.3 the redirect goes to the page of the settings only, whatever the request says', async () => {
      const { project } = await aWorld(wire)
      await changeSettings(project, { idp: providerKeys(project.id) })

      const ending = await comeBack(
        `${callbackUrl(project.id)}?redirect_uri=https://evil.example&IDP_COMPLETE_URL=//evil`,
      )

      expect(ending).toMatchObject({ page: completeUrl, failure: 'authentication_failed' })
    })
  },
  ['a'],
)
