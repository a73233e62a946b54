import PostalMime from 'postal-mime'
import { expect, test } from 'vitest'
import { anEmail, aTown, userOf } from '../../fixtures/accounts.js'
import { countMails, mailTo, tokenIn } from '../../fixtures/mail/mails.js'
import { send } from '../../fixtures/requests/http.js'
import { apiOf, service } from '../../fixtures/service.js'
import { expectFailure, expectStatus, inDialects } from '../../fixtures/wires.js'

inDialects('Email verification', (wire, { once }) => {
  const nobody = apiOf({}, wire.name)

  test('USR-23 a request mails a link with a token, and can be repeated after a minute', async () => {
    const { anAccount } = await aTown(wire)
    const { api, email } = await anAccount()

    expectStatus(200, await api.post('/auth/request-verification', {}))
    const mail = await mailTo(email)
    const again = await api.post('/auth/resend-verification', {})

    expect(mail).toMatchObject({ to: email, subject: expect.stringContaining('Verify') })
    expect(mail.links[0]).toBe(`${service.url}/auth/pages/verify-email?token=${tokenIn(mail)}`)
    expectFailure(again, 429, 'RATE_LIMITED')
    expect(Number(again.headers['retry-after'])).toBeGreaterThan(0)
    expect(await countMails(email)).toBe(1)
  })

  once('contract 6.8 of ten requests at once, one mails a letter', async () => {
    const { anAccount } = await aTown(wire)
    const { api, email } = await anAccount()

    const answers = await Promise.all(
      ['request', 'resend'].flatMap((name) =>
        Array.from({ length: 5 }, () => api.post(`/auth/${name}-verification`, {})),
      ),
    )

    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(429)])
    await mailTo(email)
    expect(await countMails(email)).toBe(1)
  })

  once('contract 6.8 a link that was mailed to one address verifies no other', async () => {
    const { anAccount } = await aTown(wire)
    const { api, email } = await anAccount()
    await api.post('/auth/request-verification', {})
    const token = tokenIn(await mailTo(email))

    expectStatus(200, await api.patch('/auth-collections/user', { email: anEmail('somebody.else') }))
    expectFailure(await nobody.post('/auth/verify-email', { token }), 401, 'INVALID_TOKEN')
    const me = wire.record(expectStatus(200, await api.get('/auth-collections/me')))
    expect(userOf(wire, me).email_verified).toBe(false)
  })

  once('USR-24 the token of the mail verifies the address, without a key, once', async () => {
    const { anAccount } = await aTown(wire, { requireVerifiedEmail: true })
    const { api, email } = await anAccount()
    await api.post('/auth/request-verification', {})
    const token = tokenIn(await mailTo(email))

    const answers = await Promise.all(Array.from({ length: 10 }, () => nobody.post('/auth/verify-email', { token })))

    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(401)])
    expectFailure(await nobody.post('/auth/verify-email', { token }), 401, 'INVALID_TOKEN')
    const me = wire.record(expectStatus(200, await api.get('/auth-collections/me')))
    expect(userOf(wire, me).email_verified).toBe(true)
    expectFailure(await api.post('/collections/none', {}), 404, 'NOT_FOUND')
  })

  once('contract 10.8 a token that is unknown, or of another purpose, is 401', async () => {
    const { anAccount, api: app } = await aTown(wire)
    const { email } = await anAccount()
    await app.post('/auth/request-password-reset', { email })
    const token = tokenIn(await mailTo(email))

    for (const other of [token, 'nothing', '', 'x'.repeat(10_000)]) {
      expectFailure(await nobody.post('/auth/verify-email', { token: other }), 401, 'INVALID_TOKEN')
    }
    expectFailure(await nobody.post('/auth/verify-email', {}), 422, 'VALIDATION_ERROR')
  })

  once('contract 6.8 links point at the app where there is one', async () => {
    const { anAccount, api: app } = await aTown(wire, { appUrl: 'https://app.example/start/' })
    const { api, email } = await anAccount()
    await api.post('/auth/request-verification', {})
    const first = await mailTo(email)
    await app.post('/auth/request-password-reset', { email })
    const second = await mailTo(email, first.id)

    expect(first.links[0]).toBe(`https://app.example/start/verify-email?token=${tokenIn(first)}`)
    expect(second.links[0]).toBe(`https://app.example/start/reset-password?token=${tokenIn(second)}`)
  })
})

inDialects('Password reset', (wire, { once }) => {
  const nobody = apiOf({}, wire.name)

  once('USR-19 a request by key mails a token, and answers the same whether the address exists', async () => {
    const { anAccount, api } = await aTown(wire)
    const { email } = await anAccount()

    const known = await api.post('/auth/request-password-reset', { email: email.toUpperCase() })
    const unknown = await api.post('/auth/request-password-reset', { email: anEmail('nobody') })
    const noEmail = await api.post('/auth/request-password-reset', { email: 'x' })

    for (const answer of [known, unknown, noEmail]) expect(answer).toMatchObject({ status: 200, text: known.text })
    expect(tokenIn(await mailTo(email))).toMatch(/^[\w-]{40,}$/)
    expectFailure(await nobody.post('/auth/request-password-reset', { email }), 401, 'UNAUTHORIZED')
  })

  once('USR-20 the token sets a new password, once, without a key, and ends all sessions', async () => {
    const { anAccount, api, logIn } = await aTown(wire)
    const ada = await anAccount()
    await api.post('/auth/request-password-reset', { email: ada.email })
    const token = tokenIn(await mailTo(ada.email))
    const reset = (newPassword: string) => nobody.post('/auth/reset-password', { token, newPassword })

    expectFailure(await reset('weak'), 422, 'VALIDATION_ERROR')
    const answers = await Promise.all(['New4Horses', 'New5Horses'].map(reset))

    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401])
    expectFailure(await reset('New6Horses'), 401, 'INVALID_TOKEN')
    expectFailure(await ada.api.get('/auth-collections/me'), 401, 'INVALID_TOKEN')
    expectFailure(await logIn(ada.email, ada.password), 401, 'INVALID_CREDENTIALS')
    expectStatus(200, await logIn(ada.email, answers[0]?.status === 200 ? 'New4Horses' : 'New5Horses'))
  })

  test('contract 6.8 a newer token voids the older, and so does another password', async () => {
    const { anAccount, api } = await aTown(wire)
    const ada = await anAccount()
    const request = () => api.post('/auth/request-password-reset', { email: ada.email })
    await request()
    const first = await mailTo(ada.email)
    await request()
    const second = await mailTo(ada.email, first.id)
    const reset = (token: string) => nobody.post('/auth/reset-password', { token, newPassword: 'New4Horses' })

    expectFailure(await reset(tokenIn(first)), 401, 'INVALID_TOKEN')
    await ada.api.post('/auth/change-password', { oldPassword: ada.password, newPassword: 'New5Horses' })
    expectFailure(await reset(tokenIn(second)), 401, 'INVALID_TOKEN')
  })

  once('contract 6.8 whoever changes the password or the address as themselves voids what was mailed', async () => {
    const { anAccount, api } = await aTown(wire)
    const reset = (token: string) => nobody.post('/auth/reset-password', { token, newPassword: 'New4Horses' })

    for (const change of [{ password: 'New5Horses' }, { email: anEmail('moved') }]) {
      const ada = await anAccount()
      await api.post('/auth/request-password-reset', { email: ada.email })
      const token = tokenIn(await mailTo(ada.email))
      expectStatus(200, await ada.api.patch('/auth-collections/user', change))
      expectFailure(await reset(token), 401, 'INVALID_TOKEN')
    }
  })

  once(
    'contract 6.8 a reset and changes of the password at once leave one password, and no request fails',
    async () => {
      const { anAccount, api, logIn } = await aTown(wire)
      const ada = await anAccount()
      await api.post('/auth/request-password-reset', { email: ada.email })
      const token = tokenIn(await mailTo(ada.email))

      const answers = await Promise.all([
        nobody.post('/auth/reset-password', { token, newPassword: 'New4Horses' }),
        ada.api.post('/auth/change-password', { oldPassword: ada.password, newPassword: 'New5Horses' }),
        ada.api.patch('/auth-collections/user', { password: 'New6Horses' }),
      ])

      expect(answers.map(({ status }) => status).filter((status) => status !== 200 && status !== 401)).toEqual([])
      const logins = await Promise.all(
        ['New4Horses', 'New5Horses', 'New6Horses'].map((password) => logIn(ada.email, password)),
      )
      expect(logins.map(({ status }) => status).sort()).toEqual([200, 401, 401])
    },
  )
})

inDialects(
  'Mail',
  (wire) => {
    test('contract 6.8 a mail is a whole message in plain text and HTML, with nothing that was not meant as HTML', async () => {
      const { anAccount } = await aTown(wire)
      const { api, email } = await anAccount({ email: anEmail("o'neill") })
      await api.post('/auth/request-verification', {})
      const mail = await mailTo(email)

      const parsed = await PostalMime.parse(mail.raw)

      expect(parsed).toMatchObject({ subject: mail.subject, to: [{ address: email }] })
      expect(parsed.text?.trim()).toBe(mail.text.trim())
      expect(parsed.html).toContain(tokenIn(mail))
      expect(parsed.from?.address).toBe('no-reply@svc.localhost')
    })

    test('contract 6.8 the service’s own pages verify and reset at the press of a button, and use nothing up when opened', async () => {
      const { anAccount, api: app, logIn } = await aTown(wire)
      const { api, email } = await anAccount()
      await api.post('/auth/request-verification', {})
      const first = await mailTo(email)
      await app.post('/auth/request-password-reset', { email })
      const second = await mailTo(email, first.id)
      const open = (mail: typeof first) => send(service.url, { method: 'GET', path: pathOf(mail) })
      const press = (mail: typeof first, fields: Record<string, string>) =>
        send(service.url, {
          method: 'POST',
          path: pathOf(mail).replace(/\?.*/, ''),
          headers: { 'content-type': 'application/x-www-form-urlencoded', origin: service.url },
          body: String(new URLSearchParams({ token: tokenIn(mail), ...fields })),
        })

      for (const page of [await open(first), await open(first), await open(second)]) {
        expect(page.status).toBe(200)
        expect(page.headers['content-security-policy']).toContain("default-src 'none'")
        expect(page.headers['cache-control']).toBe('no-store')
      }
      expect(await press(first, {})).toMatchObject({ status: 200, text: expect.stringContaining('is verified') })
      expect((await press(first, {})).status).toBe(401)
      expect(await press(second, { newPassword: 'weak' })).toMatchObject({
        status: 422,
        text: expect.stringContaining('8 characters'),
      })
      expect((await press(second, { newPassword: 'New4Horses' })).status).toBe(200)
      expectStatus(200, await logIn(email, 'New4Horses'))
    })
  },
  ['a'],
)

function pathOf({ links: [link = ''] }: { links: readonly string[] }): string {
  return link.slice(service.url.length)
}
