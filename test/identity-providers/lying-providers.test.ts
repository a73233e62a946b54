import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { LoginFailure } from '../../client/protocol/model/provider-login.js'
import { type Emulator, startEmulator } from '../../emulator/assembly/dev.js'
import { control, ending as endingOf, leave as leaveTo } from '../fixtures/providers/lying-logins.js'
import {
  broken,
  byOtherKey,
  bySecret,
  cut,
  failing,
  flood,
  html,
  type Lies,
  type LyingProvider,
  serveLyingProvider,
  silence,
  trickle,
  unsigned,
} from '../fixtures/providers/lying-provider.js'

// Providers that are slow, down, or lie: whatever they do, the browser is sent to the app with a reason.

let emulator: Emulator
let patient: Emulator
let impatient: Emulator

beforeAll(async () => {
  ;[patient, impatient] = await Promise.all([
    startEmulator({ memory: true }),
    startEmulator({ memory: true, providerTimeout: 1_500 }),
  ])
})
beforeEach(() => {
  emulator = patient
})
afterAll(() => Promise.all([patient.close(), impatient.close()]))

/** A service with a short time-out, only for providers that hang. */
function beImpatientWith(lies: Lies): void {
  if (Object.values(lies).some((lie) => lie === silence || lie === trickle)) emulator = impatient
}

const leave = (provider: LyingProvider, more?: Record<string, string>) => leaveTo(emulator, provider, more)

function ending(lies: Lies, more?: (url: string) => Record<string, string>): Promise<string> {
  beImpatientWith(lies)
  return endingOf(emulator, lies, more)
}

test('IDP-04 an honest one logs in', async () => {
  expect(await ending({})).toBe('a token')
})

describe('With OpenID Connect', () => {
  const hour = 3_600
  const now = () => Math.floor(Date.now() / 1_000)
  const cases: readonly (readonly [what: string, lies: () => Lies, ends: LoginFailure])[] = [
    ['the code is refused', () => ({ token: (res) => refuse(res, 'invalid_grant') }), 'invalid_authorization_code'],
    ['the client is refused', () => ({ token: (res) => refuse(res, 'invalid_client') }), 'authentication_failed'],
    ['the code’s exchange never answers', () => ({ token: silence }), 'authentication_failed'],
    ['the code’s exchange never ends', () => ({ token: trickle }), 'authentication_failed'],
    ['the code’s exchange is cut', () => ({ token: cut }), 'authentication_failed'],
    ['the code’s exchange fails', () => ({ token: failing }), 'authentication_failed'],
    ['the code’s exchange answers a page', () => ({ token: html }), 'authentication_failed'],
    ['the code’s exchange answers half of something', () => ({ token: broken }), 'authentication_failed'],
    ['the code’s exchange answers too much', () => ({ token: flood }), 'authentication_failed'],
    ['the code’s exchange leads elsewhere', () => ({ token: elsewhere }), 'authentication_failed'],
    ['there is no ID token', () => ({ token: { id_token: undefined } }), 'authentication_failed'],
    ['the ID token is for somebody else', () => ({ claims: { aud: 'another' } }), 'authentication_failed'],
    ['the ID token is by somebody else', () => ({ claims: { iss: 'https://evil.example' } }), 'authentication_failed'],
    ['the ID token is of another login', () => ({ claims: { nonce: 'another' } }), 'authentication_failed'],
    ['the ID token is of no login', () => ({ claims: { nonce: undefined } }), 'authentication_failed'],
    ['the ID token is over', () => ({ claims: { exp: now() - hour, iat: now() - 2 * hour } }), 'authentication_failed'],
    ['the ID token names nobody', () => ({ claims: { sub: undefined } }), 'authentication_failed'],
    ['the ID token is signed with another key', () => ({ sign: byOtherKey }), 'authentication_failed'],
    ['the ID token is signed with the client’s secret', () => ({ sign: bySecret }), 'authentication_failed'],
    ['the ID token is not signed', () => ({ sign: unsigned }), 'authentication_failed'],
    ['the ID token is no token', () => ({ sign: () => 'nothing' }), 'authentication_failed'],
    ['there are no keys', () => ({ keys: { keys: [] } }), 'authentication_failed'],
    ['the keys never come', () => ({ keys: silence }), 'authentication_failed'],
    ['the profile is somebody else’s', () => ({ profile: { sub: 'eve' } }), 'failed_to_get_user_info'],
    ['the profile never comes', () => ({ profile: silence }), 'failed_to_get_user_info'],
    ['the profile never ends', () => ({ profile: trickle }), 'failed_to_get_user_info'],
    ['the profile is cut', () => ({ profile: cut }), 'failed_to_get_user_info'],
    ['the profile fails', () => ({ profile: failing }), 'failed_to_get_user_info'],
    ['the profile is a page', () => ({ profile: html }), 'failed_to_get_user_info'],
    ['the profile is too much', () => ({ profile: flood }), 'failed_to_get_user_info'],
    ['the email is unverified', () => ({ profile: { email_verified: false } }), 'no_email_provided'],
    [
      'nobody says whether the email is verified',
      () => ({ profile: { email_verified: undefined } }),
      'no_email_provided',
    ],
    [
      'something else is verified',
      () => ({ profile: { email_verified: undefined, verified: true } }),
      'no_email_provided',
    ],
    ['the email is no email', () => ({ profile: { email: 'ada' } }), 'no_email_provided'],
    ['the email is no text', () => ({ profile: { email: { at: 'example.com' } } }), 'no_email_provided'],
    [
      'the ID token vouches for another email than the profile’s',
      () => ({ profile: { email_verified: undefined }, claims: { email: 'eve@example.com', email_verified: true } }),
      'no_email_provided',
    ],
  ]

  test.each(cases)('IDP-11 where %s, the app gets the reason', async (_what, lies, ends) => {
    expect(await ending(lies())).toBe(ends)
  })

  test('IDP-12 a name that no database keeps is mended, and one that is no text is not taken', async () => {
    expect(await ending({ profile: { name: 'A\0da\ud800' } })).toBe('a token')
    expect(await ending({ profile: { name: { first: 'Ada' } } })).toBe('a token')
  })

  test('a provider that does not say how to log in is named, with 503', async () => {
    for (const discovery of [silence, cut, failing, html, { issuer: 'https://evil.example' }]) {
      beImpatientWith({ discovery })
      const provider = await serveLyingProvider({ discovery })
      const { answer } = await leave(provider)
      await provider.close()
      expect(answer.status).toBe(503)
      expect(answer.headers.get('svc-error-code')).toBe('UNAVAILABLE')
      expect(answer.headers.get('retry-after')).toBe('5')
      expect(await answer.text()).toContain(`\\"${provider.url}\\"`)
    }
  })

  test('IDP-01 a provider outside this machine is not asked without encryption', async () => {
    const provider = await serveLyingProvider({})
    const { answer } = await leave(provider, { IDP_ISSUER: 'http://provider.example' })
    await provider.close()
    expect(answer.status).toBe(503)
  })
})

describe('A login that takes its time', () => {
  test('contract 7.3 is over after ten minutes by the service’s clock, whatever time it is for the provider', async () => {
    const provider = await serveLyingProvider({})
    const back = async (milliseconds: number) => {
      const { answer, callback } = await leave(provider)
      const { searchParams } = new URL(((await answer.json()) as { url: string }).url)
      provider.nonce = searchParams.get('nonce') ?? ''
      await control(emulator, 'PATCH', '/clock', { advance: milliseconds })
      const query = new URLSearchParams({ code: 'good', state: searchParams.get('state') ?? '' })
      const { headers } = await fetch(`${callback}?${query}`, { redirect: 'manual' })
      return new URL(String(headers.get('location'))).searchParams.get('svc-error')
    }

    // Eight days ahead, the provider's tokens would have expired.
    await control(emulator, 'PATCH', '/clock', { advance: 8 * 86_400_000 })
    const outcomes = [await back(9 * 60_000), await back(10 * 60_000)]
    await control(emulator, 'DELETE', '/clock', {})
    await provider.close()

    expect(outcomes).toEqual([null, 'authentication_failed'])
  })
})

describe('A provider that names itself beside the code', () => {
  const discovery = { authorization_response_iss_parameter_supported: true }

  test('contract 7.3 has to do so in the browser, and may be left out by an app that hands the code on', async () => {
    expect(await ending({ discovery })).toBe('authentication_failed')

    const provider = await serveLyingProvider({ discovery })
    const { apiKey } = await leave(provider)
    const post = async (path: string, body: object) => {
      const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' }
      const answer = await fetch(`${emulator.url}/auth/oauth/idp/${path}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      })
      return { status: answer.status, body: (await answer.json()) as { url: string; state: string } }
    }
    const logIn = async (more: object) => {
      const { url, state } = (await post('url', { redirectUrl: 'http://localhost:5173/' })).body
      provider.nonce = new URL(url).searchParams.get('nonce') ?? ''
      return (await post('callback', { code: 'good', state, ...more })).status
    }
    const statuses = [await logIn({}), await logIn({ iss: provider.url }), await logIn({ iss: 'https://evil.example' })]
    await provider.close()

    expect(statuses).toEqual([200, 200, 401])
  })
})

describe('With OAuth 2 alone', () => {
  const addresses = (url: string) => ({
    IDP_AUTHORIZATION_URL: `${url}/authorize`,
    IDP_TOKEN_URL: `${url}/token`,
    IDP_USERINFO_URL: `${url}/profile`,
  })
  const withEmails = (url: string) => ({ ...addresses(url), IDP_EMAILS_URL: `${url}/emails` })
  const emails = (list: object[]): Lies => ({
    profile: { sub: undefined, id: 42, email: null, email_verified: undefined },
    emails: list as unknown as Record<string, unknown>,
  })
  const ada = { email: 'ada@example.com', verified: true, primary: true }

  test('contract 7.1 three addresses are enough; what an ID token says is then not believed', async () => {
    expect(await ending({ sign: unsigned, claims: { sub: 'eve' } }, addresses)).toBe('a token')
  })

  test('contract 7.1 a number may be the subject, and the addresses may be listed apart', async () => {
    expect(await ending(emails([{ email: 'x@example.com', verified: true }, ada]), withEmails)).toBe('a token')
    expect(await ending(emails([{ ...ada, verified: false }]), withEmails)).toBe('no_email_provided')
    expect(await ending({ ...emails([]), emails: failing }, withEmails)).toBe('failed_to_get_user_info')
  })

  test('IDP-06 a code that is refused with 200 is refused', async () => {
    expect(await ending({ token: { access_token: undefined, error: 'bad_verification_code' } }, addresses)).toBe(
      'invalid_authorization_code',
    )
  })

  test('IDP-07 a profile that names nobody is none', async () => {
    expect(await ending({ profile: { sub: undefined } }, addresses)).toBe('failed_to_get_user_info')
    expect(await ending({ profile: broken }, addresses)).toBe('failed_to_get_user_info')
  })
})

function refuse(res: ServerResponse, error: string): void {
  res.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ error }))
}

function elsewhere(res: ServerResponse): void {
  res.writeHead(307, { location: `${emulator.url}/openapi.json` }).end()
}
