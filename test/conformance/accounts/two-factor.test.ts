import { generate } from 'otplib'
import { expect, test } from 'vitest'
import { type Account, anEmail, aTown, goodPassword, type Town, userOf } from '../../fixtures/accounts.js'
import { countMails, mailTo } from '../../fixtures/mail/mails.js'
import { textOfQrPng } from '../../fixtures/qr-codes.js'
import { changeSettings } from '../../fixtures/service.js'
import { expectFailure, expectStatus, inDialects, type Wire } from '../../fixtures/wires.js'

/** The TOTP code, some time steps of 30 seconds from now. */
function codeOf(secret: string, steps = 0): Promise<string> {
  return generate({ secret, epoch: Math.floor(Date.now() / 1_000) + 30 * steps })
}

/** Six digits that are not the code of any of these time steps. */
async function wrongCode(secret: string): Promise<string> {
  const near = await Promise.all([-2, -1, 0, 1, 2].map((steps) => codeOf(secret, steps)))
  return ['000000', '111111', '222222', '333333', '444444', '555555'].find((code) => !near.includes(code)) ?? ''
}

/** A user with an authenticator. */
async function enrolled(wire: Wire, town: Town): Promise<Account & { secret: string; recoveryCodes: string[] }> {
  const account = await town.anAccount()
  const { secret } = wire.record(expectStatus(200, await account.api.post('/auth/2fa/enable', {}))) as {
    secret: string
  }
  const answer = expectStatus(200, await account.api.post('/auth/2fa/verify', { code: await codeOf(secret) }))
  const { recovery_codes: recoveryCodes } = wire.record(answer) as { recovery_codes: string[] }
  return { ...account, secret, recoveryCodes }
}

function finish(town: Town, email: string, code: string) {
  return town.api.post('/auth-collections/verify-2fa-login', { email, code })
}

inDialects('Two-factor login', (wire, { once }) => {
  once('USR-21 enable delivers a secret, its URL and a QR code, and is pending until a code is verified', async () => {
    const town = await aTown(wire)
    const { api, email, password } = await town.anAccount()

    const body = wire.record(expectStatus(200, await api.post('/auth/2fa/enable', {}))) as Record<string, string>

    expect(body).toEqual({
      secret: expect.stringMatching(/^[A-Z2-7]{16,}$/),
      otpauth_url: expect.stringContaining('otpauth://totp/'),
      qr_code: expect.stringMatching(/^data:image\/png;base64,/),
    })
    expect(textOfQrPng(body.qr_code ?? '')).toBe(body.otpauth_url)
    expect(new URL(body.otpauth_url ?? '').searchParams.get('secret')).toBe(body.secret)
    expect(decodeURIComponent(body.otpauth_url ?? '')).toContain(email)
    expect(wire.record(await town.logIn(email, password))).toHaveProperty('access_token')
    expectFailure(
      await api.post('/auth/2fa/verify', { code: await wrongCode(body.secret ?? '') }),
      401,
      'INVALID_CREDENTIALS',
    )
    const verified = await api.post('/auth/2fa/verify', { code: await codeOf(body.secret ?? '') })
    const { recovery_codes: codes } = wire.record(expectStatus(200, verified)) as { recovery_codes: string[] }
    expect(new Set(codes).size).toBe(10)
  })

  test('USR-27 USR-07 with an authenticator, a login without a code is what the dialect says', async () => {
    const town = await aTown(wire)
    const { email, password } = await enrolled(wire, town)

    const answer = await town.logIn(email, password)

    if (wire.like === 'c') expectFailure(answer, 403, '2FA_REQUIRED')
    else {
      const message = expect.stringContaining('your authenticator app')
      expect(wire.record(expectStatus(200, answer))).toEqual({ requires_2fa: true, message })
    }
  })

  test('USR-08 a code after the password completes the login, and answers as login does', async () => {
    const town = await aTown(wire)
    const { email, password, secret, id } = await enrolled(wire, town)

    expectFailure(await finish(town, email, await codeOf(secret)), 401, 'INVALID_CREDENTIALS')
    await town.logIn(email, password)
    const answer = expectStatus(200, await finish(town, email, await codeOf(secret)))

    const { access_token: token, user } = wire.record(answer) as { access_token: string; user: unknown }
    expect(userOf(wire, user).id).toBe(id)
    expectStatus(200, await town.as(token).get('/auth-collections/me'))
  })

  once('contract 6.7 a code works once, in the step before or after too, and of ten at once one gets in', async () => {
    const town = await aTown(wire)
    const { email, password, secret } = await enrolled(wire, town)
    await town.logIn(email, password)
    const code = await codeOf(secret)

    const answers = await Promise.all(Array.from({ length: 4 }, () => finish(town, email, code)))
    await town.logIn(email, password)

    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401])
    expectFailure(await finish(town, email, code), 401, 'INVALID_CREDENTIALS')
    expectStatus(200, await finish(town, email, await codeOf(secret, 1)))
    await town.logIn(email, password)
    expectFailure(await finish(town, email, await codeOf(secret, 3)), 401, 'INVALID_CREDENTIALS')
  })

  once('contract 6.7 each recovery code works once in place of a code', async () => {
    const town = await aTown(wire)
    const { email, password, recoveryCodes } = await enrolled(wire, town)
    const [first = '', second = ''] = recoveryCodes

    for (const [code, status] of [
      [first, 200],
      [first, 401],
      [` ${second.toUpperCase()} `, 200],
    ] as const) {
      await town.logIn(email, password)
      expectStatus(status, await finish(town, email, code))
    }
  })

  test('contract 6.7 a code is accepted with the space that authenticator apps show in it', async () => {
    const town = await aTown(wire)
    const { api, email, password } = await town.anAccount()
    const spaced = async (secret: string, steps = 0) => (await codeOf(secret, steps)).replace(/^.../, '$& ')
    const { secret } = wire.record(await api.post('/auth/2fa/enable', {})) as { secret: string }

    expectStatus(200, await api.post('/auth/2fa/verify', { code: await spaced(secret) }))
    await town.logIn(email, password)
    expectStatus(200, await finish(town, email, await spaced(secret)))
    expectStatus(200, await api.post('/auth/2fa/disable', { code: await spaced(secret, 1) }))
  })

  once('contract 6.7 the fifth wrong code ends the attempt', async () => {
    const town = await aTown(wire)
    const { email, password, secret } = await enrolled(wire, town)
    const wrong = await wrongCode(secret)
    await town.logIn(email, password)

    for (let tries = 1; tries <= 4; tries++) {
      expectFailure(await finish(town, email, wrong), 401, 'INVALID_CREDENTIALS')
    }
    expectFailure(await finish(town, email, wrong), 429, 'RATE_LIMITED')
    expectFailure(await finish(town, email, await codeOf(secret)), 401, 'INVALID_CREDENTIALS')
    await town.logIn(email, password)
    expectStatus(200, await finish(town, email, await codeOf(secret)))
  })

  once('USR-22 disable takes a code, and then the password is enough again', async () => {
    const town = await aTown(wire)
    const { api, email, password, secret } = await enrolled(wire, town)

    expectFailure(await api.post('/auth/2fa/disable', { code: await wrongCode(secret) }), 401, 'INVALID_CREDENTIALS')
    expectStatus(200, await api.post('/auth/2fa/disable', { code: await codeOf(secret) }))

    expect(wire.record(await town.logIn(email, password))).toHaveProperty('access_token')
    expectFailure(await api.post('/auth/2fa/disable', { code: await codeOf(secret, 1) }), 401, 'INVALID_CREDENTIALS')
  })

  once(
    'contract 6.7 while it is on, it is not enabled anew: a stolen session cannot replace the authenticator',
    async () => {
      const town = await aTown(wire)
      const { api, secret } = await enrolled(wire, town)

      expectFailure(await api.post('/auth/2fa/enable', {}), 403, 'FORBIDDEN')
      expectFailure(await api.post('/auth/2fa/verify', { code: await codeOf(secret) }), 401, 'INVALID_CREDENTIALS')
    },
  )

  once('USR-02 neither secret nor recovery codes ever show again', async () => {
    const town = await aTown(wire)
    const { api, secret, recoveryCodes, id } = await enrolled(wire, town)

    const answers = [
      await api.get('/auth-collections/me'),
      await town.api.get(`/auth-collections/users/${id}`),
      await town.api.get('/auth-collections/users?totp_secret__isnull=false'.replace('__', wire.mark)),
    ]

    for (const { text } of answers) {
      expect(text).not.toContain(secret)
      for (const code of recoveryCodes) expect(text).not.toContain(code)
    }
  })
})

inDialects('Codes that nothing waits for', (wire) => {
  test('contract 6.7 verify before enable says what to do first, and so does disable', async () => {
    const { api } = await (await aTown(wire)).anAccount()

    const verified = await api.post('/auth/2fa/verify', { code: '123456' })
    const disabled = await api.post('/auth/2fa/disable', { code: '123456' })

    expectFailure(verified, 401, 'INVALID_CREDENTIALS')
    expect(verified.text).toContain('POST /auth/2fa/enable')
    expectFailure(disabled, 401, 'INVALID_CREDENTIALS')
    expect(disabled.text).toContain('already off')
  })
})

inDialects('A code of nobody', (wire) => {
  test.each(['nobody@example.com', 'nobody'])('contract 6.7 for %j is as wrong as any other', async (email) => {
    const town = await aTown(wire)

    const answer = await finish(town, email, '123456')

    expectFailure(answer, 401, 'INVALID_CREDENTIALS')
  })
})

inDialects('Sign-up where everybody needs a second factor', (wire, { once }) => {
  test('contract 1 USR-05 answers 201 with requires_2fa and a message, and the mailed code finishes it', async () => {
    const town = await aTown(wire, { require2fa: true })
    const email = anEmail()

    const signedUp = await town.api.post('/auth-collections/signup', { email, password: goodPassword })
    const { codes } = await mailTo(email)

    const message = expect.stringContaining('mailed to you')
    expect(wire.record(expectStatus(wire.statuses.signUp, signedUp))).toEqual({ requires_2fa: true, message })
    const login = wire.record(expectStatus(200, await finish(town, email, codes[0] ?? '')))
    expect(login).toMatchObject({ access_token: expect.any(String), user: { email } })
  })

  once('contract 6.7 who has an authenticator is mailed no code', async () => {
    const town = await aTown(wire)
    const { email, password, secret } = await enrolled(wire, town)
    await changeSettings(town.project, { require2fa: true })

    await town.logIn(email, password)

    expectStatus(200, await finish(town, email, await codeOf(secret)))
    expect(await countMails(email)).toBe(0)
  })
})
