import { createHmac } from 'node:crypto'
import { decodeJwt, decodeProtectedHeader, SignJWT } from 'jose'
import { expect, test } from 'vitest'
import { aTown, userOf } from '../../fixtures/accounts.js'
import { apiOf } from '../../fixtures/service.js'
import { expectFailure, expectStatus, inDialects } from '../../fixtures/wires.js'

const weekSeconds = 7 * 86_400

inDialects('User tokens', (wire, { once }) => {
  once('AUT-02 a token is a JWT, HS256, with the claims sub, pid, sid, iat and exp', async () => {
    const { anAccount, project } = await aTown(wire)
    const { token, id } = await anAccount()

    const { sub, pid, sid, iat = 0, exp = 0 } = decodeJwt(token)

    expect(decodeProtectedHeader(token).alg).toBe('HS256')
    expect({ sub, pid }).toEqual({ sub: id, pid: project.id })
    expect(sid).toBeTypeOf('string')
    expect(exp - iat).toBe(weekSeconds)
  })

  test('AUT-02 endpoints of the current user demand a user token', async () => {
    const { api, anAccount } = await aTown(wire)
    const { token } = await anAccount()
    const both = apiOf({ 'x-api-key': (await aTown(wire)).project.apiKey, authorization: `Bearer ${token}` }, wire.name)
    const asked = [
      ['GET', '/auth-collections/me'],
      ['GET', '/auth-collections/user'],
      ['PATCH', '/auth-collections/user'],
      ['POST', '/auth-collections/logout'],
      ['POST', '/auth-collections/refresh'],
      ['POST', '/auth/change-password'],
      ['POST', '/auth/2fa/enable'],
      ['POST', '/auth/2fa/verify'],
      ['POST', '/auth/2fa/disable'],
      ['POST', '/auth/request-verification'],
      ['POST', '/auth/resend-verification'],
    ] as const

    for (const [method, path] of asked) {
      const body = method === 'GET' ? undefined : {}
      expectFailure(await api.send(method, path, {}, body), 401, 'UNAUTHORIZED')
      expectFailure(await apiOf({}, wire.name).send(method, path, {}, body), 401, 'UNAUTHORIZED')
      expectFailure(await both.send(method, path, {}, body), 401, 'UNAUTHORIZED')
    }
  })

  once('AUT-02 a token that is altered, unsigned, foreign or expired is 401', async () => {
    const { anAccount, as, project } = await aTown(wire)
    const { token, id } = await anAccount()
    const stranger = await (await aTown(wire)).anAccount()
    const short = await (await aTown(wire, { tokenTtl: 1 })).anAccount()
    const [header = '', payload = '', signature = ''] = token.split('.')
    const claims = decodeJwt(token)
    const json = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const resigned = (claims: object) =>
      new SignJWT(claims as never)
        .setProtectedHeader({ alg: 'HS256' })
        .sign(Buffer.from('guessed-secret-of-32-bytes-length'))
    const wrong = [
      `${header}.${json({ ...claims, sub: stranger.id })}.${signature}`,
      `${header}.${json({ ...claims, exp: 4_000_000_000 })}.${signature}`,
      `${header}.${payload}.${signature.slice(0, -2)}`,
      `${header}.${payload}.`,
      `${json({ alg: 'none' })}.${payload}.`,
      `${json({ alg: 'none', typ: 'JWT' })}.${payload}.${signature}`,
      `${json({ alg: 'HS512' })}.${payload}.${createHmac('sha512', '').update('x').digest('base64url')}`,
      await resigned(claims),
      await resigned({ ...claims, pid: 'nowhere' }),
      await resigned({ sub: id }),
      await resigned({ ...claims, sid: 'no uuid' }),
      stranger.token.replace(/\.[^.]+$/, `.${signature}`),
      `${json({ alg: 'HS256' })}.${Buffer.from('no json').toString('base64url')}.${signature}`,
      `a.b.c`,
      `${header}.${'A'.repeat(5_000)}.${signature}`,
    ]

    for (const other of wrong) expectFailure(await as(other).get('/auth-collections/me'), 401, 'INVALID_TOKEN')
    expect(decodeJwt(stranger.token).pid).not.toBe(project.id)
    await expect.poll(async () => (await short.api.get('/auth-collections/me')).status).toBe(401)
    expectFailure(await short.api.get('/auth-collections/me'), 401, 'INVALID_TOKEN')
  })

  test('contract 6.5 a key and a token may come together, of one project, and both have to be good', async () => {
    const { anAccount, project, collection } = await aTown(wire)
    await collection('posts')
    const { token } = await anAccount()
    const other = await aTown(wire)
    const get = (headers: Record<string, string>) => apiOf(headers, wire.name).get(wire.listPath('posts'))
    const bearer = { authorization: `Bearer ${token}` }

    expectStatus(200, await get(bearer))
    expectStatus(200, await get({ ...bearer, 'x-api-key': project.apiKey }))
    expectFailure(await get({ ...bearer, 'x-api-key': `${project.apiKey}x` }), 401, 'UNAUTHORIZED')
    expectFailure(await get({ ...bearer, 'x-api-key': other.project.apiKey }), 401, 'UNAUTHORIZED')
    expectFailure(await get({ authorization: 'Bearer a.b.c', 'x-api-key': project.apiKey }), 401, 'INVALID_TOKEN')
    expectFailure(await get({ authorization: 'Bearer x', 'x-api-key': project.apiKey }), 401, 'UNAUTHORIZED')
    expectFailure(await get({ 'x-api-key': token }), 401, 'UNAUTHORIZED')
  })

  once('USR-13 logout ends the session, and no other', async () => {
    const { anAccount, logIn, as } = await aTown(wire)
    const { api, email, password, token } = await anAccount()
    const second = wire.record(await logIn(email, password)) as { access_token: string }
    const refreshed = wire.record(await api.post('/auth-collections/refresh', {})) as { token: string }

    const answer = expectStatus(200, await api.post('/auth-collections/logout', {}))

    expect(wire.record(answer)).toEqual({ message: expect.any(String) })
    for (const ended of [token, refreshed.token]) {
      expectFailure(await as(ended).get('/auth-collections/me'), 401, 'INVALID_TOKEN')
    }
    expectStatus(200, await as(second.access_token).get('/auth-collections/me'))
  })

  test('contract 6.4 refresh answers a new token of the same session', async () => {
    const { anAccount, as } = await aTown(wire)
    const { api, token, id } = await anAccount()

    const body = wire.record(expectStatus(200, await api.post('/auth-collections/refresh', {}))) as { token: string }

    expect(body.token).not.toBe(token)
    expect(decodeJwt(body.token).sid).toBe(decodeJwt(token).sid)
    for (const good of [token, body.token]) {
      expect(userOf(wire, wire.record(await as(good).get('/auth-collections/me'))).id).toBe(id)
    }
  })

  once('USR-18 changing the password takes the old one, and ends every other session', async () => {
    const { anAccount, logIn, as } = await aTown(wire)
    const { api, email, password } = await anAccount()
    const { access_token: token } = wire.record(await logIn(email, password)) as { access_token: string }
    const change = (oldPassword: string, newPassword: string) =>
      api.post('/auth/change-password', { oldPassword, newPassword })

    expectFailure(await change('Wrong4Horse', 'New4Horses'), 401, 'INVALID_CREDENTIALS')
    expectFailure(await change(password, 'weak'), 422, 'VALIDATION_ERROR')
    expectStatus(200, await change(password, 'New4Horses'))

    expectFailure(await as(token).get('/auth-collections/me'), 401, 'INVALID_TOKEN')
    expectStatus(200, await api.get('/auth-collections/me'))
    expectFailure(await logIn(email, password), 401, 'INVALID_CREDENTIALS')
    expectStatus(200, await logIn(email, 'New4Horses'))
  })
})
