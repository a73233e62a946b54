/** Tests authorization headers on routes that need none. Spec, "Other authentication operations". */
import { expect, test } from 'vitest'
import { aTown } from '../../fixtures/accounts.js'
import { mailTo, tokenIn } from '../../fixtures/mail/mails.js'
import { aPerson, callbackUrl, choose, providerKeys } from '../../fixtures/providers/provider.js'
import { send } from '../../fixtures/requests/http.js'
import { apiOf, changeSettings, type Headers, service } from '../../fixtures/service.js'
import { expectFailure, expectStatus, inDialects, type Wire } from '../../fixtures/wires.js'

const basic = { authorization: 'Basic c3RhZ2luZzpzZWNyZXQ=' }

/** A user with the two tokens of the mails, and credentials that are good no more, or never were. */
async function aUserWhoLoggedOut(wire: Wire) {
  const { anAccount, api, logIn } = await aTown(wire)
  const { email, token, api: own } = await anAccount()
  await own.post('/auth/request-verification', {})
  const first = await mailTo(email)
  await api.post('/auth/request-password-reset', { email })
  const second = await mailTo(email, first.id)
  expectStatus(200, await own.post('/auth-collections/logout', {}))
  const bad: readonly Headers[] = [
    { authorization: `Bearer ${token}` },
    { authorization: `Bearer ${token}`, 'x-api-key': 'svc_key_revoked' },
    { 'x-api-key': 'svc_key_revoked' },
    basic,
  ]
  return { email, logIn, bad, verification: tokenIn(first), reset: tokenIn(second) }
}

inDialects('Credentials that are not good, where none are taken', (wire) => {
  const nobody = apiOf({}, wire.name)

  test.each([0, 1, 2, 3])('USR-20, USR-24 are passed over: the token of the mail decides (%i)', async (which) => {
    const { email, logIn, bad, verification, reset } = await aUserWhoLoggedOut(wire)
    const headers = bad[which]

    const verified = await nobody.post('/auth/verify-email', { token: verification }, headers)
    const weak = await nobody.post('/auth/reset-password', { token: reset, newPassword: 'weak' }, headers)
    const changed = await nobody.post('/auth/reset-password', { token: reset, newPassword: 'New4Horses' }, headers)
    const again = await nobody.post('/auth/reset-password', { token: reset, newPassword: 'New5Horses' }, headers)

    expectStatus(200, verified)
    expectFailure(weak, 422, 'VALIDATION_ERROR')
    expectStatus(200, changed)
    expectFailure(again, 401, 'INVALID_TOKEN')
    expectStatus(200, await logIn(email, 'New4Horses'))
  })

  test('contract 6.8 the pages of mails open behind a proxy that asks for a password', async () => {
    for (const page of ['verify-email', 'reset-password']) {
      const opened = await send(service.url, { method: 'GET', path: `/auth/pages/${page}?token=x`, headers: basic })

      expect(opened).toMatchObject({ status: 200, text: expect.stringContaining('<form') })
    }
  })

  test.each([
    ['a proxy’s password', basic],
    ['an ended token', { authorization: 'Bearer ey.old.token' }],
  ])('IDP-04 a browser that sends %s is sent on to the app', async (_what, headers) => {
    const { api, project } = await aTown(wire)
    await changeSettings(project, { idp: providerKeys(project.id) })
    const asked = await api.get('/auth-collections/login-idp', { origin: 'http://localhost:5173' })
    const { url } = wire.record(expectStatus(200, asked)) as { url: string }
    const open = (address: string, more: Headers = {}) =>
      send(service.url, { method: 'GET', path: address.slice(service.url.length), headers: { ...headers, ...more } })

    const left = expectStatus(302, await open(url))
    const back = await choose(String(left.headers.location), await aPerson())
    const cookie = String(left.headers['set-cookie']).replace(/;.*/, '')
    const ended = expectStatus(302, await open(back, { cookie }))
    const unknown = expectStatus(302, await open(`${callbackUrl(project.id)}?code=x&state=unknown`))
    const posted = await send(service.url, {
      ...{ method: 'POST', path: callbackUrl(project.id).slice(service.url.length), body: 'code=x&state=y' },
      headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
    })

    expect(ended.headers.location).toContain('svc-super-token=')
    expect(unknown.headers.location).toContain('svc-error=authentication_failed')
    expect(posted.status).toBe(303)
  })
})
