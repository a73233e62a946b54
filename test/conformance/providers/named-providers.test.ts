import { expect, test } from 'vitest'
import type { ProviderFault } from '../../../client/protocol/model/provider-login.js'
import { aTown, userOf } from '../../fixtures/accounts.js'
import {
  anIdToken,
  aPerson,
  callbackUrl,
  choose,
  comeBack,
  issuer,
  logInThrough,
  sentWith,
} from '../../fixtures/providers/provider.js'
import { changeSettings } from '../../fixtures/service.js'
import { aWorld, expectFailure, expectStatus, inDialects, type Wire, type World } from '../../fixtures/wires.js'

const page = 'http://localhost:5173/after-login?from=google'

/** The address that an app is to open, and the state that comes back. */
async function leave(wire: Wire, { api }: Pick<World, 'api'>, body: object = { redirectUrl: page }) {
  const answer = expectStatus(200, await api.post('/auth/oauth/google/url', body))
  return wire.record(answer) as { url: string; state: string }
}

inDialects('An app that takes the code itself', (wire, { once }) => {
  test('IDP-15 the url leads to the provider and back to the app, and the code becomes a login', async () => {
    const { api, as } = await aTown(wire)
    const person = await aPerson()

    const { url, state } = await leave(wire, { api }, { redirectUrl: page, scopes: ['address'] })
    const back = await choose(url, person)
    const answer = await api.post('/auth/oauth/google/callback', sentWith(back))

    expect(back.startsWith(`${page}&`)).toBe(true)
    expect(sentWith(back).state).toBe(state)
    expect(new URL(url).searchParams.get('scope')?.split(' ')).toEqual(expect.arrayContaining(['openid', 'address']))
    const login = wire.record(expectStatus(200, answer)) as { access_token: string; user: unknown }
    expect(userOf(wire, login.user)).toMatchObject({ email: person.email, oauth_id: person.id, email_verified: true })
    expectStatus(200, await as(login.access_token).get('/auth-collections/me'))
  })

  once('IDP-15 a code works once, for its own provider, with the state it came with', async () => {
    const { api } = await aWorld(wire)
    const person = await aPerson()
    const use = (provider: string, body: object) => api.post(`/auth/oauth/${provider}/callback`, body)
    const come = async () => sentWith(await choose((await leave(wire, { api })).url, person))

    const [first, second, third] = [await come(), await come(), await come()]

    expectStatus(200, await use('google', first))
    expectFailure(await use('google', first), 401, 'INVALID_CREDENTIALS')
    expectFailure(await use('github', second), 401, 'INVALID_CREDENTIALS')
    expectFailure(await use('google', { code: third.code }), 401, 'INVALID_CREDENTIALS')
    expectFailure(await use('google', { ...third, code: 'made-up' }), 401, 'INVALID_CREDENTIALS')
  })

  test('IDP-16 the name that Apple tells beside the token is that of a new user', async () => {
    const { api, project } = await aWorld(wire)
    const idToken = await anIdToken(await aPerson({ claims: { name: null, preferred_username: null } }), {
      client: `svc-${project.id}`,
    })

    const user = { name: { firstName: 'Grace', lastName: 'Hopper' } }
    const answer = await api.post('/auth-collections/apple-verify', { id_token: idToken, user })

    expect(wire.record(expectStatus(200, answer))).toMatchObject({ user: { data: { username: 'Grace Hopper' } } })
  })

  test('IDP-16 an ID token of each platform logs in the same user', async () => {
    const { api, project } = await aWorld(wire)
    const person = await aPerson()
    const idToken = await anIdToken(person, { client: `svc-${project.id}` })

    const logins = []
    for (const platform of ['web', 'ios', 'android']) {
      const answer = await api.post('/auth/oauth/google/token', { idToken, platform, nonce: 'a-nonce' })
      logins.push(wire.record(expectStatus(200, answer)) as { user: { id: string }; access_token: string })
    }

    expect(new Set(logins.map(({ user }) => user.id)).size).toBe(1)
    expect(new Set(logins.map(({ access_token }) => access_token)).size).toBe(3)
    expect(logins[0]?.user).toMatchObject({ email: person.email, oauth_id: person.id })
  })
})

inDialects(
  'Named providers',
  (wire) => {
    const faults: readonly ProviderFault[] = ['wrong-audience', 'wrong-issuer', 'wrong-key']

    test.each(faults)('IDP-16 an ID token with the fault "%s" is refused', async (fault) => {
      const { api, project } = await aWorld(wire)
      const idToken = await anIdToken(await aPerson(), { client: `svc-${project.id}`, fault })

      expectFailure(await api.post('/auth/oauth/google/token', { idToken, platform: 'ios' }), 401, 'INVALID_TOKEN')
    })

    test('IDP-16 another nonce, another project’s client, no signature, and no token at all are refused', async () => {
      const { api, project } = await aWorld(wire)
      const person = await aPerson()
      const good = await anIdToken(person, { client: `svc-${project.id}` })
      const [head = '', claims = '', signature = ''] = good.split('.')
      const unsigned = Buffer.from('{"alg":"none"}').toString('base64url')
      const bad = [
        { idToken: good, nonce: 'another-nonce' },
        { idToken: await anIdToken(person, { client: 'svc-somebody-else' }) },
        { idToken: `${unsigned}.${claims}.` },
        { idToken: `${head}.${Buffer.from('{"sub":"ada"}').toString('base64url')}.${signature}` },
        { idToken: 'no-token' },
        { idToken: '' },
      ]

      for (const body of bad) {
        expectFailure(await api.post('/auth/oauth/google/token', { platform: 'web', ...body }), 401, 'INVALID_TOKEN')
      }
      expectFailure(
        await api.post('/auth/oauth/google/token', { idToken: good, platform: 'tv' }),
        422,
        'VALIDATION_ERROR',
      )
    })

    test('IDP-16 telephones may have client ids of their own', async () => {
      const { api, project } = await aWorld(wire)
      await changeSettings(project, {
        idp: {
          IDP_GOOGLE_ISSUER: issuer,
          IDP_GOOGLE_CLIENT_ID: 'web',
          IDP_GOOGLE_IOS_CLIENT_ID: 'phone',
        },
      })
      const idToken = await anIdToken(await aPerson(), { client: 'phone' })
      const as = (platform: string) => api.post('/auth/oauth/google/token', { idToken, platform })

      expectStatus(200, await as('ios'))
      expectFailure(await as('web'), 401, 'INVALID_TOKEN')
      expectFailure(await as('android'), 401, 'INVALID_TOKEN')
    })

    test('IDP-13 neither a code nor an ID token of an unverified email logs in', async () => {
      const { api, project } = await aWorld(wire)
      const person = await aPerson({ emailVerified: false })
      const idToken = await anIdToken(person, { client: `svc-${project.id}` })
      const back = sentWith(await choose((await leave(wire, { api })).url, person))

      const token = await api.post('/auth/oauth/google/token', { idToken, platform: 'web' })
      const callback = await api.post('/auth/oauth/google/callback', back)

      expectFailure(token, 403, 'EMAIL_NOT_VERIFIED')
      expectFailure(callback, 403, 'EMAIL_NOT_VERIFIED')
    })

    test.each([
      ['url', { redirectUrl: `${page}?${'x'.repeat(2_000)}` }],
      ['url', { scopes: Array(51).fill('email') }],
      ['url', { scopes: ['x'.repeat(201)] }],
      ['url', { scopes: 'x'.repeat(2_001) }],
      ['callback', { code: 'x'.repeat(4_001), state: 'x' }],
      ['callback', { code: 'x', state: 'x'.repeat(1_001) }],
      ['token', { idToken: 'x'.repeat(16_385) }],
    ])('contract 7.6 %s takes nothing that is far too long (%#)', async (what, body) => {
      const { api } = await aWorld(wire)

      expectFailure(await api.post(`/auth/oauth/google/${what}`, body), 422, 'VALIDATION_ERROR')
    })

    test('IDP-14 neither lets in who has the email of a password user', async () => {
      const { api, anAccount, project } = await aTown(wire)
      const { email } = await anAccount()
      const person = await aPerson({ email })
      const idToken = await anIdToken(person, { client: `svc-${project.id}` })
      const back = sentWith(await choose((await leave(wire, { api })).url, person))

      const token = await api.post('/auth/oauth/google/token', { idToken, platform: 'web' })
      const callback = await api.post('/auth/oauth/google/callback', back)

      expectFailure(token, 409, 'EMAIL_ALREADY_EXISTS')
      expectFailure(callback, 409, 'EMAIL_ALREADY_EXISTS')
    })

    test('contract 7.6 a page of an origin that the project does not allow is no page to come back to', async () => {
      const { api, project } = await aWorld(wire)
      const ask = (redirectUrl: string) => api.post('/auth/oauth/google/url', { redirectUrl })

      for (const url of [
        'https://app.example/a',
        'javascript:alert(1)',
        '//app.example',
        'https://app.example.evil/a',
      ]) {
        expectFailure(await ask(url), 403, 'ORIGIN_NOT_ALLOWED')
      }
      await changeSettings(project, { allowedOrigins: ['https://app.example'] })
      expectStatus(200, await ask('https://app.example/a'))
      expectFailure(await ask('https://app.example.evil/a'), 403, 'ORIGIN_NOT_ALLOWED')
      expectFailure(await ask('https://app.example@evil.example/'), 403, 'ORIGIN_NOT_ALLOWED')
    })

    test('contract 7.1 a named provider has keys of its own, and a page of its own at the end', async () => {
      const { api, project } = await aWorld(wire)
      const own = 'https://app.example/google'
      await changeSettings(project, {
        idp: {
          IDP_GOOGLE_ISSUER: issuer,
          IDP_GOOGLE_CLIENT_ID: 'app',
          IDP_GOOGLE_CLIENT_SECRET: 'secret',
          IDP_GOOGLE_REDIRECT_URL: callbackUrl(project.id),
          IDP_GOOGLE_COMPLETE_URL: own,
        },
      })

      const { url } = await leave(wire, { api }, {})
      const { page, token } = await comeBack(await choose(url, await aPerson()))
      const other = await api.post('/auth/oauth/github/url', { redirectUrl: page })

      expect({ page, token }).toEqual({ page: own, token: expect.any(String) })
      expectFailure(other, 400, 'IDP_NOT_CONFIGURED')
      expect(other.text).toContain('IDP_GITHUB_CLIENT_ID is not set. IDP_GITHUB_CLIENT_SECRET is not set.')
      expectFailure(await api.post('/auth/oauth/Not%20a%20name/url', {}), 404, 'NOT_FOUND')
    })

    test('contract 7.1 the same person at the same provider is one user, by whichever way', async () => {
      const world = await aTown(wire)
      const person = await aPerson()
      const { token } = await logInThrough(wire, world, person)
      const me = wire.record(await world.as(String(token)).get('/auth-collections/me')) as { id: string }

      const back = await choose((await leave(wire, world)).url, person)
      const login = wire.record(await world.api.post('/auth/oauth/google/callback', sentWith(back)))

      expect(login).toMatchObject({ user: { id: me.id } })
    })
  },
  ['a'],
)
