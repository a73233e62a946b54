import { beforeAll, describe, expect, test } from 'vitest'
import { ending, leave, logInWithToken } from '../fixtures/providers/lying-logins.js'
import { bySecret, serveLyingProvider } from '../fixtures/providers/lying-provider.js'
import { newSharedProject, type SharedProject } from '../fixtures/shared-emulator.js'

let emulator: SharedProject

beforeAll(async () => {
  emulator = await newSharedProject('here')
})

test('IDP-16 an ID token signed with the client’s secret is refused', async () => {
  const provider = await serveLyingProvider({})
  const { apiKey } = await leave(emulator, provider)
  const now = Math.floor(Date.now() / 1_000)
  const claims = { iss: provider.url, aud: provider.clientId, sub: 'ada', iat: now, exp: now + 60 }
  const forged = await bySecret({ ...claims, email: 'ada@example.com', email_verified: true }, provider.clientSecret)

  const answer = await logInWithToken(emulator, apiKey, forged)

  await provider.close()
  expect(answer.status).toBe(401)
})

describe('An ID token for several audiences', () => {
  const cases = [
    ['by the party that asks', { aud: ['app', 'another'], azp: 'app' }, 200],
    ['by another party', { aud: ['app', 'another'], azp: 'another' }, 401],
    ['by nobody in particular', { aud: ['app', 'another'] }, 401],
    ['that do not include this one', { aud: ['one', 'another'], azp: 'app' }, 401],
    ['that is one', { aud: ['app'] }, 200],
  ] as const

  test.each(cases)('contract 7.6 %s', async (_what, said, status) => {
    const provider = await serveLyingProvider({})
    const { apiKey } = await leave(emulator, provider)
    const now = Math.floor(Date.now() / 1_000)
    const person = { sub: 'ada', email: 'ada@example.com', email_verified: true }
    const idToken = await provider.sign({ iss: provider.url, iat: now, exp: now + 60, ...person, ...said })

    const answer = await logInWithToken(emulator, apiKey, idToken)

    await provider.close()
    expect(answer.status).toBe(status)
  })

  test('contract 7.6 is not taken from a redirect either, where another party asked for it', async () => {
    expect(await ending(emulator, { claims: { aud: ['app', 'another'], azp: 'another' } })).toBe(
      'authentication_failed',
    )
    expect(await ending(emulator, { claims: { aud: ['app', 'another'], azp: 'app' } })).toBe('a token')
  })
})
