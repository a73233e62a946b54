import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import { defaultSettings } from '../../client/protocol/model/project.js'
import { readProvider } from '../../emulator/core/providers/provider-settings.js'
import { openOidc } from '../../emulator/idp/oidc.js'
import type { ProviderClient } from '../../emulator/idp/provider.js'
import { aBackend } from '../fixtures/stand-ins.js'

// Microsoft's addresses are fixed, so a fake `fetch` answers for them.

const login = 'https://login.microsoftonline.com'
const personal = '9188040d-6c67-4c5b-b112-36a304b66dad'
const company = '11111111-2222-4333-8444-555555555555'
let keys: Awaited<ReturnType<typeof generateKeyPair>>
beforeAll(async () => {
  keys = await generateKeyPair('RS256')
})
afterEach(() => vi.unstubAllGlobals())

function aClient(): ProviderClient {
  const idp = {
    IDP_MICROSOFT_CLIENT_ID: 'app',
    IDP_MICROSOFT_CLIENT_SECRET: 'secret',
    IDP_MICROSOFT_REDIRECT_URL: 'https://svc.example/auth-collections/auth-idp-redirect/p',
    IDP_MICROSOFT_COMPLETE_URL: 'https://app.example/done',
  }
  const backend = aBackend({ url: () => 'https://svc.example' })
  return readProvider({ backend, project: { id: 'p', name: 'p', settings: { ...defaultSettings, idp } } }, 'microsoft')
    .client
}

/** Answers as Microsoft does, with an ID token that says this. */
async function bePlayed(claims: Record<string, unknown>): Promise<string[]> {
  const asked: string[] = []
  const now = Math.floor(Date.now() / 1_000)
  const times = { iat: now, exp: now + 60 }
  const tid = String(claims.tid)
  const idToken = await new SignJWT({
    iss: `${login}/${tid}/v2.0`,
    aud: 'app',
    sub: 'ada',
    nonce: 'n',
    ...times,
    ...claims,
  })
    .setProtectedHeader({ alg: 'RS256', kid: 'one' })
    .sign(keys.privateKey)
  const answers: Record<string, unknown> = {
    '/common/v2.0/.well-known/openid-configuration': {
      issuer: `${login}/{tenantid}/v2.0`,
      authorization_endpoint: `${login}/common/oauth2/v2.0/authorize`,
      token_endpoint: `${login}/common/oauth2/v2.0/token`,
      userinfo_endpoint: 'https://graph.microsoft.com/oidc/userinfo',
      jwks_uri: `${login}/common/discovery/v2.0/keys`,
      token_endpoint_auth_methods_supported: ['client_secret_post'],
    },
    '/common/oauth2/v2.0/token': { access_token: 'opaque', token_type: 'Bearer', id_token: idToken },
    '/common/discovery/v2.0/keys': { keys: [{ ...(await exportJWK(keys.publicKey)), alg: 'RS256', kid: 'one' }] },
  }
  vi.stubGlobal('fetch', async (address: string | URL) => {
    const url = new URL(address)
    asked.push(url.href)
    const answer = url.origin === login ? answers[url.pathname] : undefined
    return Response.json(answer ?? {}, { status: answer === undefined ? 404 : 200 })
  })
  return asked
}

const challenge = {
  state: 's',
  nonce: 'n',
  verifier: 'v'.repeat(43),
  redirectUrl: 'https://svc.example/auth-collections/auth-idp-redirect/p',
}
const cameBack = new URLSearchParams({ code: 'good', state: 's' })
const open = () => openOidc({ timeoutMilliseconds: 5_000 })

test('contract 7.1 the preset sends the browser to the page for accounts of any tenant', async () => {
  await bePlayed({ tid: company })

  const url = new URL(await open().loginUrl(aClient(), challenge))

  expect(url.origin + url.pathname).toBe(`${login}/common/oauth2/v2.0/authorize`)
  expect(url.searchParams.get('nonce')).toBe('n')
})

const email = 'ada@example.com'
const people = [
  ['a personal account', { tid: personal, email }, email],
  ['an account whose domain is verified', { tid: company, email, xms_edov: true }, email],
  ['an account whose domain is verified, in text', { tid: company, email, xms_edov: '1' }, email],
  ['an account with any address', { tid: company, email }, undefined],
  ['an account that vouches for itself', { tid: company, email, email_verified: true }, undefined],
  ['an account whose domain is not verified', { tid: company, email, xms_edov: false }, undefined],
] as const

test.each(people)(
  'IDP-13 the email of %s counts as far as Microsoft vouches for it',
  async (_who, claims, expected) => {
    const asked = await bePlayed({ ...claims, name: 'Ada' })

    const profile = await open().fetchProfile(aClient(), challenge, cameBack)

    expect(profile).toEqual({
      subject: 'ada',
      email: expected,
      name: 'Ada',
      authority: `${login}/${claims.tid}/v2.0`,
    })
    expect(asked.every((address) => address.startsWith(login))).toBe(true)
  },
)

const lies = [
  ['is issued by another tenant than it names', { tid: company, iss: `${login}/${personal}/v2.0` }],
  ['is issued by somebody else', { tid: company, iss: 'https://evil.example' }],
  ['names a tenant that is none', { tid: '../evil', iss: `${login}/../evil/v2.0` }],
  ['is of another login', { tid: company, nonce: 'another' }],
  ['is for somebody else', { tid: company, aud: 'another' }],
  ['is over', { tid: company, iat: 1, exp: 2 }],
] as const

test.each(lies)('IDP-11 an ID token that %s logs nobody in', async (_what, claims) => {
  await bePlayed({ email, ...claims })

  await expect(open().fetchProfile(aClient(), challenge, cameBack)).rejects.toMatchObject({
    reason: 'authentication_failed',
  })
})

test('IDP-16 an ID token that a phone got is checked in the same way', async () => {
  await bePlayed({ tid: personal, email })
  const { origin } = new URL(login)
  const source = await fetch(`${origin}/common/oauth2/v2.0/token`)
  const { id_token: idToken } = (await source.json()) as { id_token: string }

  const profile = await open().readTokenProfile(aClient(), idToken, { audiences: ['app'], nonce: undefined })

  expect(profile).toMatchObject({ subject: 'ada', email, authority: `${login}/${personal}/v2.0` })
})
