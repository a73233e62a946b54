import { generate } from 'otplib'
import { describe, expect, test } from 'vitest'
import { aTown } from '../../fixtures/accounts.js'
import { type Answer, send } from '../../fixtures/requests/http.js'
import { apiOf, service } from '../../fixtures/service.js'
import { aWorld, expectFailure, expectStatus, inDialects, someDocuments } from '../../fixtures/wires.js'

const unknownId = '01900000-0000-7000-8000-000000000000'

inDialects(
  'Errors, envelope',
  (wire) => {
    test('ERR-01 a failure is {success: false, error: {code, message}}', async () => {
      const { api } = await aWorld(wire)

      const { body } = await api.get('/collections/nowhere/documents')

      expect(body).toEqual({ success: false, error: { code: 'NOT_FOUND', message: expect.stringMatching(/nowhere/) } })
    })
  },
  ['a', 'c'],
)

inDialects(
  'Errors, detail',
  (wire) => {
    test('ERR-02 a failure is {detail}, and a validation error lists loc, msg and type', async () => {
      const { api } = await someDocuments(wire, [], { schema: { a: { type: 'number' }, b: { type: 'string' } } })

      const { body } = await api.get('/collections/nowhere/documents')
      const invalid = await api.post('/collections/posts', { a: 'x', b: 5 })

      expect(body).toEqual({ detail: expect.stringMatching(/nowhere/) })
      expectFailure(invalid, 422, 'VALIDATION_ERROR')
      expect(invalid.body).toEqual({
        detail: ['a', 'b'].map((field) => ({
          loc: ['body', field],
          msg: expect.stringMatching(/./),
          type: expect.any(String),
        })),
      })
    })

    test('contract 10.8 a list is for VALIDATION_ERROR only', async () => {
      const { api } = await someDocuments(wire)
      await api.post('/collections/posts', {}, { 'idempotency-key': 'k' })

      const mismatch = await api.post('/collections/posts', { a: 1 }, { 'idempotency-key': 'k' })
      const conflict = await api.post('/collections', { name: 'posts' })

      expectFailure(mismatch, 422, 'IDEMPOTENCY_MISMATCH')
      for (const answer of [mismatch, conflict]) expect(answer.body).toEqual({ detail: expect.any(String) })
    })
  },
  ['b'],
)

inDialects('Errors', (wire, { once, inTurn }) => {
  test('ERR-03 each kind of failure has its status and its code', async () => {
    const { api, owner, posts } = await someDocuments(wire)
    const { id } = await posts.create({ a: 1 })
    await owner.post('/collections', { name: 'guarded', permissions: { delete: ['admin'] } })
    const stranger = apiOf({}, wire.name)

    expectStatus(200, await api.get(`/collections/posts/${id}`))
    expectStatus(201, await api.post('/collections/posts', {}))
    expectFailure(await posts.ask('limit=x'), 400, 'INVALID_QUERY')
    expectFailure(await posts.ask(`a${wire.mark}isnull=x`), 400, 'INVALID_FILTER')
    expectFailure(await api.post('/collections/posts', '{'), 400, 'INVALID_BODY')
    expectFailure(await api.post('/collections', { name: 'a b' }), 400, 'INVALID_COLLECTION')
    expectFailure(await stranger.get('/collections'), 401, 'UNAUTHORIZED')
    expectFailure(await api.delete('/collections/guarded'), 403, 'FORBIDDEN')
    expectFailure(await api.get(`/collections/posts/${unknownId}`), 404, 'NOT_FOUND')
    expectFailure(await api.send('DELETE', '/collections'), 405, 'METHOD_NOT_ALLOWED')
    expectFailure(await api.post('/collections', { name: 'posts' }), 409, 'COLLECTION_EXISTS')
    expectFailure(await api.patch(`/collections/posts/${id}`, {}, { 'if-match': '"x"' }), 412, 'CONFLICT')
    expectFailure(await api.post('/collections/posts', { a: 'x'.repeat(2 ** 20) }), 413, 'PAYLOAD_TOO_LARGE')
    expectFailure(
      await api.post('/collections/posts', '<a/>', { 'content-type': 'text/xml' }),
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    )
    expectFailure(await api.post('/collections', {}), 422, 'VALIDATION_ERROR')
  })

  once('ERR-03 too many requests are 429', async () => {
    const { api } = await aWorld(wire, { rateLimit: { day: 1 } })
    const answers = []
    // The first two may be of two days.
    for (let times = 0; times < 3; times++) answers.push(await api.get('/collections'))

    expectStatus(200, answers[0] as Answer)
    expectFailure(answers[2] as Answer, 429, 'RATE_LIMITED')
  })

  test('ERR-04 the codes that the specification names', async () => {
    const { api, owner, anAccount, logIn } = await aTown(wire)
    const stranger = apiOf({}, wire.name)
    const { email, password, api: ada } = await anAccount()
    const { secret } = wire.record(await ada.post('/auth/2fa/enable', {})) as { secret: string }
    expectStatus(200, await ada.post('/auth/2fa/verify', { code: await generate({ secret }) }))

    expectFailure(await api.post('/collections', { name: 'no name' }), 400, 'INVALID_COLLECTION')
    expectFailure(await api.post('/collections/no%20name', {}), 400, 'INVALID_COLLECTION')
    expectFailure(await api.post('/collections', '{'), 400, 'INVALID_BODY')
    expectFailure(await stranger.get('/collections'), 401, 'UNAUTHORIZED')
    expectFailure(await logIn(email, 'Wrong4Guess'), 401, 'INVALID_CREDENTIALS')
    // Its form of the axis two_factor is the one that refuses.
    const inC = { 'svc-dialect': 'c' }
    expectFailure(await api.post('/auth-collections/login', { email, password }, inC), 403, '2FA_REQUIRED')
    expectFailure(await owner.get(`/auth-collections/users/${unknownId}`), 404, 'USER_NOT_FOUND')
    expectFailure(await api.post('/auth-collections/signup', { email, password }), 409, 'EMAIL_ALREADY_EXISTS')
  })

  test('contract 10.4 the header and the body say the same code', async () => {
    const { api } = await aWorld(wire)

    for (const answer of [await api.get('/nowhere'), await api.post('/collections', {})]) {
      const code = answer.headers['svc-error-code']
      expect(['NOT_FOUND', 'VALIDATION_ERROR']).toContain(code)
      if (wire.like !== 'b') expect(answer.body).toMatchObject({ error: { code } })
    }
  })

  test.each(
    inTurn([
      ['/collections', ['PUT', 'PATCH', 'DELETE'], ['GET', 'POST']],
      ['/api/collections', ['PUT', 'PATCH', 'DELETE'], ['GET', 'POST']],
      ['/collections/posts', ['PUT'], ['GET', 'POST', 'PATCH', 'DELETE']],
      ['/collections/posts/documents', ['PUT', 'PATCH', 'DELETE'], ['GET', 'POST']],
      [`/collections/posts/${unknownId}`, ['POST'], ['GET', 'PATCH', 'PUT', 'DELETE']],
      [`/collections/posts/documents/${unknownId}`, ['POST'], ['GET', 'PATCH', 'PUT', 'DELETE']],
      ['/collections/posts/batch/documents/update', ['GET', 'PUT', 'DELETE'], ['POST', 'PATCH']],
      ['/collections/posts/batch/documents/delete', ['GET', 'PUT', 'PATCH'], ['POST', 'DELETE']],
      ['/openapi.json', ['POST', 'DELETE'], ['GET']],
    ] as const),
  )('contract 10.3 %s answers other methods with 405 and Allow', async (path, refused, served) => {
    const { api } = await someDocuments(wire)

    for (const method of refused) {
      const answer = await api.send(method, path, {}, method === 'DELETE' || method === 'GET' ? undefined : {})
      expectFailure(answer, 405, 'METHOD_NOT_ALLOWED')
      const allow = (answer.headers.allow ?? '').split(/, */)
      expect(allow).toEqual(expect.arrayContaining([...served]))
      expect(allow).not.toContain(method)
    }
  })

  test('contract 9 a request for /realtime that opens no WebSocket is 426 and says what to do', async () => {
    const { api } = await someDocuments(wire)

    for (const path of ['/realtime', '/realtime/', '/realtime?dialect=b']) {
      const answer = await api.get(path)
      expectFailure(answer, 426, 'UPGRADE_REQUIRED')
      expect(answer.headers.upgrade).toBe('websocket')
      expect(answer.text).toContain('/realtime/sse/')
    }
    expectFailure(await api.post('/realtime', {}), 405, 'METHOD_NOT_ALLOWED')
  })

  once('contract 10.3 an unknown path is 404, whatever the method', async () => {
    const { api } = await someDocuments(wire)

    for (const path of ['/nowhere', '/collectionss', '/api', '/api/nowhere', '/collections/posts/a/b/c', '/..']) {
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
        expectFailure(await api.send(method, path), 404, 'NOT_FOUND')
      }
    }
  })

  test('contract 2.1 no parameter of a path with U+0000 reaches a statement: it is 404', async () => {
    const nobody = apiOf({}, wire.name)
    const { api } = await someDocuments(wire)

    for (const path of [
      '/auth-collections/auth-idp-redirect/a%00b',
      '/auth-collections/auth-idp-redirect/%00?code=a',
    ]) {
      expectFailure(await nobody.get(path), 404, 'NOT_FOUND')
    }
    for (const path of ['/collections/a%00b', '/collections/posts/%00', '/collections/posts/documents/a%00']) {
      for (const method of ['GET', 'DELETE']) expectFailure(await api.send(method, path), 404, 'NOT_FOUND')
    }
  })

  test('contract 1 trailing slashes are read everywhere', async () => {
    const { api, posts } = await someDocuments(wire)
    const { id } = await posts.create({ a: 1 })

    expectStatus(200, await api.get('/collections/'))
    expectStatus(201, await api.post('/collections/', { name: 'one' }))
    expectStatus(201, await api.post('/api/collections/?a=b', { name: 'two' }))
    expectFailure(await api.post('/collections/', { title: 'Tea' }), 422, 'VALIDATION_ERROR')
    expectStatus(200, await api.get('/api/collections/posts/'))
    expectStatus(201, await api.post('/collections/posts/', {}))
    expectStatus(201, await api.post('/collections/posts/batch/', { documents: [{}] }))
    expectStatus(200, await api.patch(`/collections/posts/${id}/`, {}))
    expectStatus(200, await api.delete(`/collections/posts/documents/${id}/`))
  })

  once('contract 10.6 every answer names its request, failures too, each another', async () => {
    const { api } = await aWorld(wire)

    const answers = [await api.get('/collections'), await api.get('/nowhere'), await api.post('/collections', '{')]

    const ids = answers.map(({ headers }) => headers['x-request-id'])
    expect(new Set(ids).size).toBe(3)
    expect(ids.every((id) => typeof id === 'string' && id.length >= 8)).toBe(true)
  })

  once('contract 10.6 a message tells of what was asked, nothing of what is inside', async () => {
    const { api, project } = await aWorld(wire)

    const answer = await api.get(`/collections/${encodeURIComponent('<script>alert(1)</script>')}/documents`)

    expect(answer.headers['content-type']).toMatch(/^application\/json/)
    expect(answer.headers['x-content-type-options']).toBe('nosniff')
    expect(answer.headers['x-powered-by']).toBeUndefined()
    expect(answer.text).not.toContain(project.apiKey)
  })
})

describe('Errors before a project is known', () => {
  test('ERR-01 are in dialect a, or in the one that the header asks for', async () => {
    const [plain, b, odd] = await Promise.all(
      [undefined, 'b', 'nonsense'].map((dialect) => {
        const headers = dialect === undefined ? undefined : { 'svc-dialect': dialect }
        return send(service.url, { method: 'GET', path: '/collections', headers })
      }),
    )

    expect(plain?.body).toEqual({ success: false, error: { code: 'UNAUTHORIZED', message: expect.any(String) } })
    expect(b?.body).toEqual({ detail: expect.any(String) })
    expect([400, 401]).toContain(odd?.status)
  })
})
