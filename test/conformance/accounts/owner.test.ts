import { expect, test } from 'vitest'
import { aTown, userOf } from '../../fixtures/accounts.js'
import { control, mailTo } from '../../fixtures/mail/mails.js'
import { expectFailure, expectStatus, inDialects } from '../../fixtures/wires.js'

inDialects(
  'The owner',
  (wire) => {
    test('contract 6.11 roles and verification are set by the owner, and count at once', async () => {
      const { anAccount, collection } = await aTown(wire)
      await collection('secrets', { permissions: { read: ['admin'] } })
      const { api, id } = await anAccount({ data: { bio: 'Hi' } })
      expectFailure(await api.get('/collections/secrets'), 403, 'FORBIDDEN')

      const answer = await control('PATCH', `/users/${id}`, { roles: ['admin'], role: 'boss', emailVerified: true })

      expectStatus(200, answer)
      expectStatus(200, await api.get('/collections/secrets'))
      const me = userOf(wire, wire.record(await api.get('/auth-collections/me')))
      expect(me).toMatchObject({ roles: ['admin'], data: { bio: 'Hi', role: 'boss' }, email_verified: true })
    })

    test('contract 11 the owner gets a live code and a token, and turns two-factor login off', async () => {
      const { anAccount, as, logIn, api: app } = await aTown(wire)
      const { api, id, email, password } = await anAccount()
      expectFailure(await control('GET', `/users/${id}/code`), 404, 'NOT_FOUND')
      await api.post('/auth/2fa/enable', {})
      const code = async () => ((await control('GET', `/users/${id}/code`)).body as { code: string }).code

      expectStatus(200, await api.post('/auth/2fa/verify', { code: await code() }))
      expect(wire.record(await logIn(email, password))).toHaveProperty('requires_2fa', true)
      expectStatus(200, await app.post('/auth-collections/verify-2fa-login', { email, code: await code() }))
      expectStatus(200, await control('PATCH', `/users/${id}`, { twoFactor: false }))
      expect(wire.record(await logIn(email, password))).toHaveProperty('token')
      const { token } = (await control('POST', `/users/${id}/token`)).body as { token: string }
      expectStatus(200, await as(token).get('/auth-collections/me'))
    })

    test('AUT-02 a deleted user’s token is 401, and so is one whose sessions were ended', async () => {
      const { anAccount, logIn, api: app } = await aTown(wire)
      const [ada, bob] = [await anAccount(), await anAccount()]

      expectStatus(200, await control('DELETE', `/users/${ada.id}`))
      expectStatus(200, await control('DELETE', `/users/${bob.id}/sessions`))

      for (const { api } of [ada, bob]) expectFailure(await api.get('/auth-collections/me'), 401, 'INVALID_TOKEN')
      expectFailure(await logIn(ada.email, ada.password), 401, 'INVALID_CREDENTIALS')
      expectFailure(await app.get(`/auth-collections/users/${ada.id}`), 404, 'USER_NOT_FOUND')
      expectFailure(await control('DELETE', `/users/${ada.id}`), 404, 'USER_NOT_FOUND')
      expectStatus(200, await logIn(bob.email, bob.password))
    })

    test('contract 6.7 where every login needs a second factor, a code comes by mail', async () => {
      const town = await aTown(wire, { require2fa: true })
      const credentials = { email: `${crypto.randomUUID()}@example.com`, password: 'Correct4Horse' }

      const answer = expectStatus(wire.statuses.signUp, await town.api.post('/auth-collections/signup', credentials))
      const first = await mailTo(credentials.email)
      const finish = (code = '') =>
        town.api.post('/auth-collections/verify-2fa-login', { email: credentials.email, code })

      expect(wire.record(answer)).toEqual({ requires_2fa: true, message: expect.any(String) })
      expectStatus(200, await finish(first.codes[0]))
      expectFailure(await finish(first.codes[0]), 401, 'INVALID_CREDENTIALS')
      await town.logIn(credentials.email, credentials.password)
      const second = await mailTo(credentials.email, first.id)
      const { token } = wire.record(expectStatus(200, await finish(second.codes[0]))) as { token: string }
      expectStatus(200, await town.as(token).get('/auth-collections/me'))
    })
  },
  ['a'],
)
