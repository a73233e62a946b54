/** Which passwords, emails, codes and tokens are valid, as tables. Contract 6.1, 6.4, 6.6 and 6.7. */
import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import {
  acceptCode,
  codeAt,
  findStep,
  hashCode,
  newRecoveryCodes,
  newTotpSecret,
  otpauthUrl,
} from '../../../emulator/core/accounts/codes.js'
import { readEmail, requireEmail } from '../../../emulator/core/accounts/emails.js'
import { hashPassword, isPassword, requireStrong } from '../../../emulator/core/accounts/passwords.js'
import type { Backend } from '../../../emulator/core/context.js'
import { badToken, looksLikeToken, readClaims, requireSigned, signToken } from '../../../emulator/core/logins/tokens.js'

const failureOf = (work: () => unknown) => {
  try {
    return work()
  } catch (error) {
    return error
  }
}

describe('Passwords', () => {
  const fits = `Aa1${'x'.repeat(69)}`
  test.each(['Correct4Horse', 'Aa345678', 'ÄÖ\u0661äöüßx', fits])('%j is strong', (password) => {
    expect(failureOf(() => requireStrong(password, 'password'))).toBeUndefined()
  })

  test.each([
    ['Aa34567', ['too_short'], 'A password needs at least 8 characters.'],
    ['Aa3🍵🍵🍵🍵', ['too_short'], 'A password needs at least 8 characters.'],
    ['Aa3e\u0301e\u0301e\u0301e\u0301', ['too_short'], 'A password needs at least 8 characters.'],
    ['aaaaaaa1', ['no_uppercase'], 'A password needs an uppercase letter.'],
    ['AAAAAAA1', ['no_lowercase'], 'A password needs a lowercase letter.'],
    ['aaaaaaaA', ['no_digit'], 'A password needs a digit.'],
    ['aaaaaaaa', ['no_uppercase', 'no_digit'], 'A password needs an uppercase letter and a digit.'],
    [
      '',
      ['too_short', 'no_uppercase', 'no_lowercase', 'no_digit'],
      'A password needs at least 8 characters, an uppercase letter, a lowercase letter and a digit.',
    ],
    [`${fits}x`, ['too_long'], 'A password needs to be at most 72 bytes long.'],
    ['x'.repeat(1_001), ['too_long'], 'A password needs to be at most 72 bytes long.'],
    ['x'.repeat(1_000), ['no_uppercase', 'no_digit', 'too_long'], expect.any(String)],
  ])('%j lacks %j', (password, types, message) => {
    const error = failureOf(() => requireStrong(password, 'newPassword'))

    expect(error).toMatchObject({ code: 'VALIDATION_ERROR', message })
    const { issues } = error as { issues: readonly { type: string; path: unknown; message: string }[] }
    expect(issues.map(({ type }) => type)).toEqual(types)
    expect(issues.every(({ path, message }) => String(path) === 'newPassword' && /^needs /.test(message))).toBe(true)
  })

  /** Records the calls of the passwords port. */
  function asked() {
    const calls: unknown[] = []
    const passwords = {
      hash: async (...args: unknown[]) => String(calls.push(args)),
      matches: async (...args: unknown[]) => calls.push(args) > 0,
    }
    return { calls, ctx: { backend: { passwords } as object as Backend } }
  }

  test('are hashed and compared in one form, by the account and the address', async () => {
    const { calls, ctx } = asked()

    await hashPassword(ctx, 'e\u0301', { account: 'ada', address: '::1' })
    await isPassword(ctx, 'e\u0301', { account: 'ada', hash: 'hash' })

    expect(calls).toEqual([
      ['\u00e9', { account: 'ada', address: '::1' }],
      ['\u00e9', 'hash', { account: 'ada', address: 'account ada' }],
    ])
  })

  test.each([
    ['x'.repeat(72), true],
    ['x'.repeat(73), false],
    ['ä'.repeat(37), false],
    ['', false],
    ['e\u0301'.repeat(500), false],
    ['x'.repeat(1_001), false],
  ])('what cannot be one is compared with nothing, which takes as long: %#', async (password, isPossible) => {
    const { calls, ctx } = asked()

    await isPassword(ctx, password, { account: 'ada', hash: 'hash' })

    expect(calls).toEqual([[isPossible ? password : '', isPossible ? 'hash' : null, expect.anything()]])
  })
})

describe('Emails', () => {
  test.each([
    ['Ada@Example.com', 'Ada@Example.com', 'ada@example.com'],
    ['  a@b\n', 'a@b', 'a@b'],
    ['e\u0301@b.c', '\u00e9@b.c', '\u00e9@b.c'],
    [`${'a'.repeat(64)}@b`, `${'a'.repeat(64)}@b`, `${'a'.repeat(64)}@b`],
  ])('%j is one', (text, shown, key) => {
    expect(readEmail(text)).toEqual({ shown, key })
    expect(requireEmail(text)).toEqual({ shown, key })
  })

  const long = (length: number) => `a@${'b'.repeat(length - 2)}`
  test.each([
    '',
    'a',
    '@b',
    'a@',
    'a@b@c',
    'a b@c',
    'a@b c',
    'a@.b',
    'a@b.',
    'a@b..c',
    'a,b@c',
    'a@b\u0001',
    `${'a'.repeat(65)}@b`,
    long(255),
    `${' '.repeat(1_016)}a@b`,
  ])('%j is none', (text) => {
    expect(readEmail(text)).toBeUndefined()
    expect(failureOf(() => requireEmail(text))).toMatchObject({
      code: 'VALIDATION_ERROR',
      message: `"${text.slice(0, 80)}" is not an email address.`,
      issues: [{ path: ['email'], type: 'email', message: 'is not an email address' }],
    })
  })

  test('the longest has 254 characters, and space around it does not count', () => {
    expect(readEmail(long(254))).toBeDefined()
    expect(readEmail(`${' '.repeat(1_013)}a@b`)).toBeDefined()
  })
})

describe('Codes', () => {
  const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'
  const at = (seconds: number) => new Date(1_800_000_000_000 + seconds * 1_000)
  const step = 1_800_000_000 / 30

  test('count in the step of now and those beside it, once', async () => {
    const code = await codeAt(secret, at(0))

    expect(await findStep(secret, code, at(0))).toBe(step)
    expect(await findStep(secret, code.replace(/^.../, ' $& '), at(0))).toBe(step)
    expect(await findStep(secret, code, at(59.9))).toBe(step)
    expect(await findStep(secret, code, at(-30))).toBe(step)
    expect(await findStep(secret, code, at(60))).toBeUndefined()
    expect(await findStep(secret, code, at(-30.1))).toBeUndefined()
    expect(await findStep(secret, code, at(0), step - 1)).toBe(step)
    expect(await findStep(secret, code, at(0), step)).toBeUndefined()
  })

  test.each(['', '12345', '1234567', 'x123456', '123456x', '12345x'])('%j has not the form of one', async (code) => {
    expect(await findStep(secret, code, at(0))).toBeUndefined()
  })

  test('an accepted code leaves its step, an accepted recovery code the others', async () => {
    const state = { totpSecret: secret, totpLastStep: null, recoveryHashes: ['a', 'b', 'c'].map(hashCode) }
    const code = await codeAt(secret, at(0))

    expect(await acceptCode(state, code, at(0))).toEqual({ totpLastStep: step, recoveryHashes: state.recoveryHashes })
    expect(await acceptCode({ ...state, totpLastStep: step }, code, at(0))).toBeUndefined()
    expect(await acceptCode({ ...state, totpLastStep: 5 }, ' B ', at(0))).toEqual({
      totpLastStep: 5,
      recoveryHashes: ['a', 'c'].map(hashCode),
    })
    expect(await acceptCode(state, 'd', at(0))).toBeUndefined()
    expect(await acceptCode({ ...state, totpSecret: null }, 'a', at(0))).toBeUndefined()
  })

  test('for recovery are ten of 80 bits, whatever case and spaces they are typed with', () => {
    const codes = newRecoveryCodes()

    expect(new Set(codes).size).toBe(10)
    for (const code of codes) expect(code).toMatch(/^[0-9a-f]{5}(-[0-9a-f]{5}){3}$/)
    expect(hashCode(' A b\n')).toBe(hashCode('ab'))
    expect(hashCode('ab')).not.toBe(hashCode('ac'))
  })

  test('an authenticator is set up by a secret of its own', () => {
    const url = new URL(otpauthUrl(secret, { issuer: 'Shop', label: 'ada@example.com' }))

    expect(newTotpSecret()).not.toBe(newTotpSecret())
    expect(url.protocol).toBe('otpauth:')
    expect(url.searchParams.get('secret')).toBe(secret)
    expect(url.searchParams.get('issuer')).toBe('Shop')
    expect(decodeURIComponent(url.pathname)).toContain('ada@example.com')
  })
})

describe('Tokens', () => {
  const id = (end: number) => `01900000-0000-7000-8000-00000000000${end}`
  const claims = { user: id(1), project: 'shop', session: id(2) }
  const times = { issuedAt: 1_800_000_000, expiresAt: 1_800_003_600 }
  const now = (seconds: number) => new Date((times.issuedAt + seconds) * 1_000)
  const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  function made(payload: unknown, header: unknown = { alg: 'HS256' }): string {
    const text = `${base64(header)}.${base64(payload)}`
    return `${text}.${createHmac('sha256', 'secret').update(text).digest('base64url')}`
  }
  const refused = (problem: string) => ({ code: 'INVALID_TOKEN', reason: { kind: 'credentials', problem } })
  const checked = (token: string, secret = 'secret', at = now(0)) =>
    requireSigned(token, secret, at).then(
      () => 'good',
      (error: unknown) => error,
    )

  test('say who they are of, with times and a number of their own', async () => {
    const token = await signToken(claims, 'secret', times)
    const payload = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())

    expect(looksLikeToken(token)).toBe(true)
    expect(readClaims(token)).toEqual(claims)
    expect(payload).toEqual({
      ...{ sub: id(1), pid: 'shop', sid: id(2), iat: times.issuedAt, exp: times.expiresAt },
      jti: expect.any(String),
    })
    expect(JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString())).toEqual({
      alg: 'HS256',
      typ: 'JWT',
    })
    expect(await signToken(claims, 'secret', times)).not.toBe(token)
  })

  test('are good until they expire, with the secret they were signed with', async () => {
    const token = await signToken(claims, 'secret', times)
    const wrong = refused('wrong signature or expired')

    expect(await checked(token)).toBe('good')
    expect(await checked(token, 'secret', now(3_599))).toBe('good')
    expect(await checked(token, 'secret', now(3_600))).toMatchObject(wrong)
    expect(await checked(token, 'another')).toMatchObject(wrong)
    expect(await checked(made({ sub: id(1), exp: times.expiresAt }))).toBe('good')
    expect(await checked(made({ sub: id(1) }))).toMatchObject(wrong)
    expect(await checked(made({ exp: times.expiresAt }, { alg: 'none' }))).toMatchObject(wrong)
    expect(await checked(made({ exp: times.expiresAt }, { alg: 'HS512' }))).toMatchObject(wrong)
  })

  const whole = { sub: id(1), pid: 'shop', sid: id(2) }
  test.each([
    { ...whole, sub: 1 },
    { ...whole, pid: undefined },
    { ...whole, sid: null },
    { ...whole, sub: 'ada' },
    { ...whole, sid: 'one' },
    { ...whole, pid: 'a\0b' },
    { ...whole, sub: undefined, sid: undefined },
  ])('that claim %j are malformed', (payload) => {
    expect(failureOf(() => readClaims(made(payload)))).toMatchObject(refused('malformed token'))
  })

  test.each([
    ['a.b.c', true],
    ['a.b.', true],
    ['a-_1.b.c', true],
    ['.b.c', false],
    ['a..c', false],
    ['a.b', false],
    ['a.b.c.d', false],
    ['a.b.c!', false],
    ['!a.b.c', false],
    ['svc_key_abc', false],
  ])('whether %j looks like one: %s', (text, isToken) => {
    expect(looksLikeToken(text)).toBe(isToken)
  })

  test('what is none is malformed, and every refusal says its problem', () => {
    expect(failureOf(() => readClaims('a.b.c'))).toMatchObject(refused('malformed token'))
    expect(badToken('ended session')).toMatchObject(refused('ended session'))
  })
})
