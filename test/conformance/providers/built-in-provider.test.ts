import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { control } from '../../fixtures/mail/mails.js'
import { aCode, anIdToken, aPerson, exchange, logInThrough, type Person } from '../../fixtures/providers/provider.js'
import { type Answer, send } from '../../fixtures/requests/http.js'
import { aProject, service } from '../../fixtures/service.js'
import { aWorld, expectStatus, inDialects } from '../../fixtures/wires.js'

const issuer = `${service.url}/_svc/idp`
const challenge = createHash('sha256').update('v'.repeat(43)).digest('base64url')
const redirectUrl = 'http://localhost:5173/back?keep=this'

const request = {
  client_id: 'an-app',
  redirect_uri: redirectUrl,
  response_type: 'code',
  scope: 'openid email',
  state: 'a state & more',
  code_challenge: challenge,
  code_challenge_method: 'S256',
}

function ask(path: string, headers: Record<string, string> = {}): Promise<Answer> {
  return send(service.url, { method: 'GET', path: `/_svc/idp${path}`, headers })
}

function authorize(changes: Record<string, string> = {}): string {
  const query = new URLSearchParams({ ...request, ...changes })
  for (const [name, value] of Object.entries(changes)) if (value === '') query.delete(name)
  return `/authorize?${query}`
}

function post(path: string, form: Record<string, string>, headers: Record<string, string> = {}): Promise<Answer> {
  const body = String(new URLSearchParams(form))
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  return send(service.url, { method: 'POST', path: `/_svc/idp${path}`, headers: { ...type, ...headers }, body })
}

function profile(token: unknown): Promise<Answer> {
  return ask('/userinfo', { authorization: `Bearer ${token}` })
}

describe('The built-in provider', () => {
  test('contract 10.6 names the request in each answer, as the service does', async () => {
    const paths = ['/.well-known/openid-configuration', '/jwks', '/nowhere', '/authorize', '/userinfo']
    const answers = await Promise.all([...paths.map((path) => ask(path)), post('/token', {})])

    const ids = answers.map(({ headers }) => headers['x-request-id'] ?? '')
    expect(ids.filter((id) => !/^[\da-f-]{36}$/.test(id))).toEqual([])
    expect(new Set(ids).size).toBe(answers.length)
  })

  test('contract 7.2 says what it is, and shows the public half of its keys only', async () => {
    const about = expectStatus(200, await ask('/.well-known/openid-configuration')).body as Record<string, string>
    const keys = expectStatus(200, await ask('/jwks')).body as { keys: object[] }

    expect(about).toMatchObject({ issuer, code_challenge_methods_supported: ['S256'] })
    for (const name of ['authorization_endpoint', 'token_endpoint', 'userinfo_endpoint', 'jwks_uri']) {
      expect(about[name]).toMatch(new RegExp(`^${issuer}/`))
    }
    expect(keys.keys.map((key) => Object.keys(key).sort())).toEqual([['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']])
  })

  test('contract 7.2 gives a code for an account, and tokens and a profile for the code', async () => {
    const person = await aPerson({ claims: { locale: 'en', sub: 'somebody-else' } })

    const tokens = expectStatus(200, await exchange(await aCode(person, { client: 'an-app' })))

    const { access_token, id_token } = tokens.body as Record<string, string>
    expect(tokens.headers['cache-control']).toBe('no-store')
    expect(claimsOf(id_token)).toMatchObject({ iss: issuer, aud: 'an-app', sub: person.id, locale: 'en' })
    expect((await profile(access_token)).body).toEqual({
      sub: person.id,
      name: person.name,
      preferred_username: person.id,
      email: person.email,
      email_verified: true,
      locale: 'en',
    })
    expectStatus(401, await profile('made-up'))
    expectStatus(401, await ask('/userinfo'))
  })

  test('contract 7.2 tells only what the scopes ask for', async () => {
    const { body } = await exchange(await aCode(await aPerson(), { client: 'an-app', scope: 'openid' }))
    expect(Object.keys(claimsOf((body as Record<string, string>).id_token)).sort()).toEqual([
      'aud',
      'exp',
      'iat',
      'iss',
      'sub',
    ])

    const plain = await exchange(await aCode(await aPerson(), { client: 'an-app', scope: 'email' }))
    expect(plain.body).not.toHaveProperty('id_token')
  })

  test('contract 7.3 a code works once, for who asked, with the verifier; a second try ends what the first one got', async () => {
    const person = await aPerson()
    const given = await aCode(person, { client: 'an-app' })
    const { access_token } = (await exchange(given)).body as Record<string, string>
    expectStatus(200, await profile(access_token))

    expect((await exchange(given)).body).toMatchObject({ error: 'invalid_grant' })
    expectStatus(401, await profile(access_token))
    const wrong = [
      { code_verifier: 'w'.repeat(43) },
      { code_verifier: '' },
      { client_id: 'another-app' },
      { redirect_uri: 'http://127.0.0.1:1/other' },
      { code: 'made-up' },
    ]
    for (const change of wrong) {
      const answer = await exchange({ ...(await aCode(person, { client: 'an-app' })), ...change })
      expect(expectStatus(400, answer).body).toMatchObject({ error: 'invalid_grant' })
    }
    expect((await exchange({}, { client_id: 'an-app', grant_type: 'password' })).body).toMatchObject({
      error: 'unsupported_grant_type',
    })
  })

  test('contract 7.3 what it cannot serve goes back to the client with the state', async () => {
    const cases: readonly (readonly [Record<string, string>, string])[] = [
      [{ code_challenge: '' }, 'invalid_request'],
      [{ code_challenge_method: 'plain' }, 'invalid_request'],
      [{ response_type: 'token' }, 'unsupported_response_type'],
      [{ response_mode: 'form_post' }, 'invalid_request'],
      [{ prompt: 'none' }, 'login_required'],
    ]
    for (const [change, error] of cases) {
      const { headers } = expectStatus(303, await ask(authorize(change)))
      const location = new URL(String(headers.location))
      expect(location.href.startsWith('http://localhost:5173/back?keep=this&')).toBe(true)
      expect(Object.fromEntries(location.searchParams)).toMatchObject({ error, state: request.state })
    }
  })

  test('contract 7.3 nobody is sent to an address that no project names', async () => {
    const strangers = [
      'https://evil.example/',
      'javascript:alert(1)',
      '//evil.example',
      'http://localhost.evil.example',
    ]
    for (const redirect_uri of [...strangers, '']) {
      const { headers, text } = expectStatus(400, await ask(authorize({ redirect_uri }), { accept: 'text/html' }))
      expect(headers).not.toHaveProperty('location')
      expect(text).toContain('Something went wrong')
    }
    expectStatus(400, await ask(authorize({ client_id: '' })))
    expectStatus(400, await ask(`${authorize()}&client_id=another`))
  })
})

describe('Its page', () => {
  test('contract 7.2 lists the accounts, the one that is meant first, and shows names as text', async () => {
    const name = '<script>alert("x")</script>'
    const person = await aPerson({ name, claims: { note: '</textarea><b>' } })

    const { text, headers } = expectStatus(200, await ask(authorize({ login_hint: String(person.email) })))

    expect(text).not.toContain('<script')
    expect(text).not.toContain('</textarea><b>')
    expect(text.match(/name="account" value="([^"]+)"/)?.[1]).toBe(person.id)
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/=]+';/)
    const style = text.match(/<style>([\s\S]*?)<\/style>/)?.[1] ?? ''
    expect(headers['content-security-policy']).toContain(createHash('sha256').update(style).digest('base64'))
  })

  test('contract 7.2 adds an account, edits its claims and removes it, in forms of its own only', async () => {
    const email = `new.${Math.random().toString(36).slice(2)}@example.com`
    const [id = ''] = email.split('@')
    const there = async () => ((await control('GET', '/idp/accounts')).body as { accounts: Person[] }).accounts
    const accounts = authorize().replace('/authorize', '/accounts')

    expectStatus(403, await post(accounts, { change: 'add', email }, { origin: 'https://evil.example' }))
    expect((await there()).some((account) => account.email === email)).toBe(false)

    expectStatus(
      303,
      await post(accounts, { change: 'add', name: 'New', email, verified: 'on' }, { origin: service.url }),
    )
    expect(await there()).toContainEqual({ id, name: 'New', email, emailVerified: true, claims: {} })

    const again = await post(accounts, { change: 'add', name: 'New', email })
    expect(expectStatus(422, again).text).toContain('already')
    expectStatus(422, await post(accounts, { change: 'save', id, claims: '[1]' }))

    expectStatus(303, await post(accounts, { change: 'save', id, name: 'Old', email: '', claims: '{"locale":"de"}' }))
    expect(await there()).toContainEqual({
      id,
      name: 'Old',
      email: null,
      emailVerified: false,
      claims: { locale: 'de' },
    })

    expectStatus(303, await post(accounts, { change: 'remove', id }))
    expect((await there()).some((account) => account.id === id)).toBe(false)
  })

  test('contract 7.2 no page of another origin chooses an account, and no stranger’s name reaches it', async () => {
    const { id } = await aPerson()
    expectStatus(403, await post(authorize(), { account: id }, { origin: 'https://evil.example' }))
    expectStatus(403, await post(authorize(), { account: id }, { origin: 'null' }))
    const answer = await ask('/.well-known/openid-configuration', { host: 'evil.example' })
    expect(answer.headers['svc-error-code']).toBe('FORBIDDEN')
  })
})

test('contract 11 the control API refuses what is no account, no fault and no page of this machine', async () => {
  const { id } = await aPerson()
  const project = await aProject()
  const refusals: readonly (readonly [string, string, object | undefined, number])[] = [
    ['POST', '/idp/accounts', { id }, 422],
    ['POST', '/idp/accounts', { id: 'not an id' }, 422],
    ['PATCH', '/idp/accounts/nobody', { name: 'Nobody' }, 404],
    ['PATCH', `/idp/accounts/${id}`, { id: 'another' }, 422],
    ['PATCH', `/idp/accounts/${id}`, { claims: [] }, 422],
    ['DELETE', '/idp/accounts/nobody', undefined, 404],
    ['PUT', '/idp/faults', { fault: 'made-up' }, 422],
    ['PUT', '/idp/faults', { fault: 'slow', times: 0 }, 422],
    ['POST', '/idp/logins', { project: project.id, completeUrl: 'https://evil.example/' }, 422],
    ['POST', '/idp/logins', { project: 'none', completeUrl: 'http://localhost/' }, 404],
  ]
  for (const [method, path, body, status] of refusals) {
    const answer = await control(method, path, body)
    expect({ path, status: answer.status }, answer.text).toEqual({ path, status })
  }
  const path = '/_svc/api/idp/accounts'
  expectStatus(401, await send(service.url, { method: 'GET', path, headers: { 'x-api-key': project.secretKey } }))
})

inDialects(
  'Its faults',
  (wire) => {
    test('contract 7.2 are set for the next login, for some, or until switched off', async () => {
      const world = await aWorld(wire)
      const client = `svc-${world.project.id}`
      const person = await aPerson()
      const set = (body: object) => control('PUT', '/idp/faults', { client, ...body })
      const endings = async (times: number) => {
        const failures = []
        for (let n = 0; n < times; n++) failures.push((await logInThrough(wire, world, person)).failure)
        return failures
      }

      await set({ fault: 'no-email' })
      expect(await endings(2)).toEqual(['no_email_provided', null])
      await set({ fault: 'bad-code', times: 2 })
      expect(await endings(3)).toEqual(['invalid_authorization_code', 'invalid_authorization_code', null])
      await set({ fault: 'no-profile', times: null })
      expect(await endings(3)).toEqual(Array(3).fill('failed_to_get_user_info'))

      const { text } = await ask(authorize({ client_id: client }))
      expect(text).toContain('Until switched off, the provider does not give the profile.')
      await post(authorize({ client_id: client }).replace('/authorize', '/accounts'), { change: 'works' })
      expect(await endings(1)).toEqual([null])
    })

    test('contract 7.2 ID tokens of another project’s client are of no use', async () => {
      const { api } = await aWorld(wire)
      const idToken = await anIdToken(await aPerson(), { client: 'svc-of-another-project' })
      expectStatus(401, await api.post('/auth/oauth/idp/token', { idToken, platform: 'web' }))
    })
  },
  ['a'],
)

function claimsOf(token: string | undefined): Record<string, unknown> {
  return JSON.parse(Buffer.from(token?.split('.')[1] ?? '', 'base64url').toString('utf8'))
}
