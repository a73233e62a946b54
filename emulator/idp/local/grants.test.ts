import { expect, test } from 'vitest'
import { type Grant, matchesChallenge, openGrants } from './grants.js'

const grant: Grant = {
  client: 'app',
  redirectUrl: 'http://localhost/back',
  scopes: ['openid'],
  nonce: undefined,
  challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  account: 'ada',
  fault: undefined,
}

test('a code works for a minute, once', () => {
  let now = 0
  const grants = openGrants(() => now)
  const [early, late] = [grants.newCode(grant), grants.newCode(grant)]

  now = 59_999
  expect(grants.takeCode(early)).toEqual(grant)
  expect(grants.takeCode(early)).toBeUndefined()
  now = 60_000
  expect(grants.takeCode(late)).toBeUndefined()
})

test('an access token works for an hour, unless its code is used again', () => {
  let now = 0
  const grants = openGrants(() => now)
  const [one, two] = [grants.newToken('one', grant), grants.newToken('two', grant)]

  grants.takeCode('one')
  expect(grants.findGrant(one)).toBeUndefined()
  now = 3_599_999
  expect(grants.findGrant(two)).toEqual(grant)
  now = 3_600_000
  expect(grants.findGrant(two)).toBeUndefined()
})

test('keeps only the newest codes', () => {
  const grants = openGrants(() => 0)
  const first = grants.newCode(grant)
  const rest = Array.from({ length: 10_000 }, () => grants.newCode(grant))

  expect(grants.takeCode(first)).toBeUndefined()
  expect(grants.takeCode(String(rest[0]))).toEqual(grant)
})

// RFC 7636, appendix B.
test('accepts only the verifier that the challenge was made from', () => {
  expect(matchesChallenge(grant.challenge, 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk')).toBe(true)
  expect(matchesChallenge(grant.challenge, 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXl')).toBe(false)
  expect(matchesChallenge(grant.challenge, grant.challenge)).toBe(false)
})
