import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { type Answer, send } from '../fixtures/http.js'
import { aProject, apiOf, changeSettings, service } from '../fixtures/service.js'
import { aWorld, expectFailure, expectStatus, inDialects } from '../fixtures/wires.js'

const allowed = 'https://app.example'

inDialects('Origins', (wire) => {
  const world = () => aWorld(wire, { allowedOrigins: [allowed, 'http://localhost.example:8080'] })

  test('AUT-04 pages of an allowed origin may call, and read the answer', async () => {
    const { api } = await world()

    for (const origin of [allowed, 'http://localhost.example:8080']) {
      const { headers } = expectStatus(200, await api.get('/collections', { origin }))
      expect(headers['access-control-allow-origin']).toBe(origin)
      expect(headers.vary?.toLowerCase()).toContain('origin')
    }
  })

  test('AUT-04 pages of any other origin are refused, and nothing is done', async () => {
    const { api } = await world()
    const foreign = [
      'https://evil.example',
      'https://app.example.evil.example',
      'https://evil-app.example',
      'https://xapp.example',
      'http://app.example',
      'https://app.example:8443',
      'https://app.example/path',
      'https://sub.app.example',
      'https://localhost.evil.example',
      'http://127.0.0.1.evil.example',
      'http://localhost@evil.example',
      'http://evil.example#localhost',
      'file://',
      'nonsense',
      '*',
      'chrome-extension://abc',
    ]

    for (const origin of foreign) {
      const answer = await api.post('/collections', { name: 'posts' }, { origin })
      expectFailure(answer, 403, 'ORIGIN_NOT_ALLOWED')
      expect(answer.headers['access-control-allow-origin']).toBeUndefined()
    }
    expect(wire.record(await api.get('/collections'))).toEqual([])
  })

  test('contract 10.9 Origin: null is refused', async () => {
    const { api } = await world()

    expectFailure(await api.get('/collections', { origin: 'null' }), 403, 'ORIGIN_NOT_ALLOWED')
  })

  test('contract 10.5 a developer’s machine allows loopback origins', async () => {
    const { api } = await aWorld(wire)

    for (const origin of [
      'http://localhost:3000',
      'http://127.0.0.1:5173',
      'https://localhost',
      'http://[::1]:8080',
      'http://app.localhost:3000',
    ]) {
      const { headers } = expectStatus(200, await api.get('/collections', { origin }))
      expect(headers['access-control-allow-origin']).toBe(origin)
    }
  })

  test('contract 10.5 who is no page needs no origin', async () => {
    const { api } = await world()

    const { headers } = expectStatus(200, await api.get('/collections'))

    expect(headers['access-control-allow-origin']).toBeUndefined()
  })

  test('AUT-04 an origin taken off the list is refused from then on', async () => {
    const { api, project } = await world()
    expectStatus(200, await api.get('/collections', { origin: allowed }))

    await changeSettings(project, { allowedOrigins: [] })

    expectFailure(await api.get('/collections', { origin: allowed }), 403, 'ORIGIN_NOT_ALLOWED')
  })

  test('AUT-04 an allowed page may read failures too', async () => {
    const { api } = await world()

    const answer = await api.get('/collections/nowhere/documents', { origin: allowed })

    expectFailure(answer, 404, 'NOT_FOUND')
    expect(answer.headers['access-control-allow-origin']).toBe(allowed)
  })

  test('contract 10.9 CORS exposes what a page has to read', async () => {
    const { api } = await world()

    const { headers } = await api.get('/collections', { origin: allowed })

    const exposed = (headers['access-control-expose-headers'] ?? '').toLowerCase().split(/, */)
    expect(exposed).toEqual(
      expect.arrayContaining([
        'x-total-count',
        'x-limit',
        'svc-dialect',
        'svc-error-code',
        'etag',
        'x-request-id',
        'retry-after',
        'x-ratelimit-limit',
        'x-ratelimit-remaining',
        'x-ratelimit-reset',
      ]),
    )
  })
})

describe('Preflights and hosts', () => {
  test.each(['an allowed origin', 'this machine'])(
    'contract 10.9 a preflight of %s allows headers and methods',
    async (who) => {
      const origin = who === 'this machine' ? 'http://localhost:5173' : anOrigin()
      await aProject({ allowedOrigins: [origin] })

      const answer = await preflight(origin)

      expect([200, 204]).toContain(answer.status)
      expect(answer.headers['access-control-allow-origin']).toBe(origin)
      expect(answer.headers['access-control-allow-private-network']).toBeUndefined()
      const headers = (answer.headers['access-control-allow-headers'] ?? '').toLowerCase().split(/, */)
      const methods = (answer.headers['access-control-allow-methods'] ?? '').split(/, */)
      expect(headers).toEqual(
        expect.arrayContaining([
          'authorization',
          'x-api-key',
          'content-type',
          'svc-dialect',
          'if-match',
          'if-none-match',
          'idempotency-key',
          'last-event-id',
        ]),
      )
      expect(methods).toEqual(expect.arrayContaining(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']))
    },
  )

  test('contract 10.9 a preflight of Origin: null is refused', async () => {
    expectFailure(await preflight('null'), 403, 'ORIGIN_NOT_ALLOWED')
  })

  test('contract 10.9 a preflight of an origin that no project allows is told nothing', async () => {
    const origin = anOrigin()
    const project = await aProject({ allowedOrigins: [`${origin}:8443`, `https://sub.${origin.slice(8)}`] })

    const before = await preflight(origin)
    await changeSettings(project, { allowedOrigins: [origin] })
    const allowing = await preflight(origin)
    await changeSettings(project, { allowedOrigins: [] })
    const after = await preflight(origin)

    for (const { headers } of [before, after]) expect(corsOf(headers)).toEqual([])
    expect(allowing.headers['access-control-allow-origin']).toBe(origin)
    expect(allowing.headers['access-control-allow-headers']).toContain('svc-dialect')
  })

  test('contract 10.9 every answer to an allowed page has its CORS headers', async () => {
    const origin = anOrigin()
    const { apiKey } = await aProject({ allowedOrigins: [origin] })
    const stranger = await aProject()
    const key = { 'x-api-key': apiKey }
    const asked: readonly (readonly [number, string, string, Record<string, string>])[] = [
      [404, 'GET', '/nowhere', {}],
      [404, 'GET', '/nowhere', key],
      [404, 'GET', '/collections/nowhere/documents', key],
      [404, 'GET', '/%zz', {}],
      [404, 'GET', '/files/01900000-0000-7000-8000-000000000000/a.png', {}],
      [405, 'DELETE', '/collections', {}],
      [405, 'PUT', '/openapi.json', {}],
      [405, 'POST', '/files/01900000-0000-7000-8000-000000000000/a.png', {}],
      [401, 'GET', '/collections', {}],
      [401, 'GET', '/collections', { 'x-api-key': 'wrong' }],
      [401, 'GET', '/realtime/sse/posts', {}],
      [400, 'GET', '/collections/nowhere/documents?limit=x', key],
      [200, 'GET', '/', {}],
      [200, 'HEAD', '/openapi.json', {}],
    ]

    for (const [status, method, path, own] of asked) {
      for (const page of [origin, 'http://localhost:5173']) {
        const { headers, ...answer } = await send(service.url, { method, path, headers: { ...own, origin: page } })
        expect({ method, path, status: answer.status }).toEqual({ method, path, status })
        expect(headers['access-control-allow-origin'], `${method} ${path}`).toBe(page)
        expect(headers['access-control-expose-headers'], `${method} ${path}`).toContain('svc-error-code')
        expect(headers.vary?.toLowerCase()).toContain('origin')
      }
      const foreign = await send(service.url, { method, path, headers: { ...own, origin: anOrigin() } })
      expect(corsOf(foreign.headers), `${method} ${path}`).toEqual([])
    }
    const refused = await send(service.url, {
      ...{ method: 'GET', path: '/collections' },
      headers: { 'x-api-key': stranger.apiKey, origin },
    })
    expectFailure(refused, 403, 'ORIGIN_NOT_ALLOWED')
    expect(corsOf(refused.headers)).toEqual([])
  })

  test.each([
    '/collections',
    '/nowhere',
    '/',
    '/openapi.json',
    '/files/x/y',
    '/auth/verify-email',
    '/realtime/sse/posts',
  ])('contract 10.9 Origin: null is refused at %s, whatever the method', async (path) => {
    for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS']) {
      const { apiKey } = await aProject()
      const headers = { origin: 'null', 'x-api-key': apiKey }
      const answer = await send(service.url, { method, path, headers })
      expectFailure(answer, 403, 'ORIGIN_NOT_ALLOWED')
      expect(corsOf(answer.headers)).toEqual([])
    }
  })

  test('contract 10.9 HEAD is served wherever GET is, with the same headers and no body', async () => {
    const { apiKey } = await aProject()
    const api = apiOf({ 'x-api-key': apiKey }, 'a')
    await api.post('/collections', { name: 'posts' })
    const { body: post } = await api.post('/collections/posts', { a: 1 })
    const { body: openapi } = await api.get('/openapi.json')
    const { paths } = openapi as { paths: Record<string, Record<string, unknown>> }
    const params: Record<string, string> = { collection: 'posts', id: (post as { id: string }).id }
    const served = Object.keys(paths).filter((path) => 'get' in (paths[path] ?? {}) && !path.startsWith('/_svc/'))

    expect(served.length).toBeGreaterThan(15)
    for (const pattern of served.filter((path) => !path.includes('/sse/'))) {
      const path = pattern.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? 'x')
      const ask = (method: string) => send(service.url, { method, path, headers: { 'x-api-key': apiKey } })
      const [got, head] = [await ask('GET'), await ask('HEAD')]
      const lasting = ({ headers: { date, 'x-request-id': _id, ...headers } }: typeof got) => headers
      expect({ path, status: head.status, text: head.text }).toEqual({ path, status: got.status, text: '' })
      if (!path.includes('login-idp')) expect(lasting(head), path).toEqual(lasting(got))
    }
  })

  test('contract 10.9 no answer allows credentials or any origin', async () => {
    const { apiKey } = await aProject()
    const answers = [
      await preflight(allowed),
      await apiOf({ 'x-api-key': apiKey }, 'a').get('/collections', { origin: 'http://localhost:3000' }),
    ]

    for (const { headers } of answers) {
      expect(headers['access-control-allow-credentials']).toBeUndefined()
      expect(headers['access-control-allow-origin']).not.toBe('*')
    }
  })

  test('contract 10.5 a Host that is neither loopback nor configured is refused', async () => {
    const { apiKey } = await aProject()
    const { port } = new URL(service.url)

    for (const host of [
      'evil.example',
      `evil.example:${port}`,
      'localhost.evil.example',
      '127.0.0.1.evil.example',
      `192.168.1.5:${port}`,
      '0.0.0.0',
      'metadata.google.internal',
    ]) {
      for (const path of ['/collections', '/', '/openapi.json', '/_svc/api/health', '/nowhere']) {
        const answer = await send(service.url, { method: 'GET', path, headers: { host, 'x-api-key': apiKey } })
        expect({ host, path, status: answer.status }).toEqual({ host, path, status: 403 })
        expect(answer.text).not.toContain(apiKey)
      }
    }
  })

  test('contract 10.5 a Host that cannot be read is refused', async () => {
    for (const host of [' ', 'a b', 'localhost:99999', 'user@localhost', '[::1', 'localhost:x', '/', 'lo"calhost']) {
      const { status } = await send(service.url, { method: 'GET', path: '/collections', headers: { host } })
      expect({ host, status: [400, 403].includes(status) }).toEqual({ host, status: true })
    }
  })

  test('contract 10.5 this machine’s own names are served', async () => {
    const { apiKey } = await aProject()
    const { port } = new URL(service.url)

    for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`, 'localhost', 'LOCALHOST']) {
      const headers = { host, 'x-api-key': apiKey }
      const { status } = await send(service.url, { method: 'GET', path: '/collections', headers })
      expect({ host, status }).toEqual({ host, status: 200 })
    }
  })

  test('contract 10.5 the control API is closed to pages and to who has no token', async () => {
    const create = (headers: Record<string, string>) =>
      send(service.url, {
        method: 'POST',
        path: '/_svc/api/projects',
        headers: { 'content-type': 'application/json', ...headers },
        body: '{"name":"x"}',
      })
    const token = { 'svc-control-token': service.controlToken }

    expect((await create({})).status).toBe(401)
    expect((await create({ 'svc-control-token': 'wrong' })).status).toBe(401)
    expect((await create({ ...token, origin: 'https://evil.example' })).status).toBe(403)
    expect((await create({ ...token, origin: 'http://localhost:3000' })).status).toBe(403)
    expect([200, 201]).toContain((await create(token)).status)
  })
})

/** An origin that no other test allows. */
function anOrigin(): string {
  return `https://${randomUUID()}.example`
}

function corsOf(headers: Answer['headers']): string[] {
  return Object.keys(headers).filter((name) => name.startsWith('access-control-'))
}

function preflight(origin: string) {
  const headers = {
    origin,
    'access-control-request-method': 'PATCH',
    'access-control-request-headers': 'x-api-key, content-type, svc-dialect',
  }
  return send(service.url, { method: 'OPTIONS', path: '/collections/posts', headers })
}
