import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { type Answer, send } from '../../fixtures/requests/http.js'
import { aProject, apiOf, changeSettings, service } from '../../fixtures/service.js'
import { expectFailure } from '../../fixtures/wires.js'

describe('CORS', () => {
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
      expect(headers).toEqual(usualHeaders)
      expect(answer.headers.vary?.toLowerCase().split(/, */)).toContain('access-control-request-headers')
      expect(methods).toEqual(expect.arrayContaining(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']))
    },
  )

  test('contract 10.9 a preflight allows headers of the page’s own, and none that a proxy believes', async () => {
    const many = Array.from({ length: 120 }, (_, at) => `x-own-${at}`)
    const asked = {
      'Sentry-Trace,baggage, traceparent': 'sentry-trace, baggage, traceparent',
      'x-own, svc-control-token, Forwarded, X-Forwarded-For, a b, "': 'x-own',
      [many.join(',')]: many.slice(0, 100).join(', '),
    }

    for (const [names, allowed] of Object.entries(asked)) {
      const { headers } = await preflight('http://localhost:5173', names)
      expect(headers['access-control-allow-headers']).toBe(allowed)
    }
  })

  test('contract 10.9 a preflight of Origin: null is refused', async () => {
    expectFailure(await preflight('null'), 403, 'ORIGIN_NOT_ALLOWED')
  })

  test('contract 10.9 a preflight of an origin that no project allows receives nothing', async () => {
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
      const isKeyRefused = status === 401
      if (!isKeyRefused && !path.startsWith('/files/')) expectFailure(foreign, 403, 'ORIGIN_NOT_ALLOWED')
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
      // Only a body has a transfer encoding. PostgreSQL may number the change of the post between the two requests.
      const lasting = ({
        headers: { date, 'x-request-id': _id, 'transfer-encoding': _encoding, 'svc-seq': seq, ...headers },
      }: typeof got) => ({ ...headers, hasSeq: seq !== undefined })
      expect({ path, status: head.status, text: head.text }).toEqual({ path, status: got.status, text: '' })
      if (!path.includes('login-idp')) expect(lasting(head), path).toEqual(lasting(got))
    }
  })

  test('contract 10.9 no answer allows credentials or any origin', async () => {
    const { apiKey } = await aProject()
    const answers = [
      await preflight('http://localhost:3000'),
      await apiOf({ 'x-api-key': apiKey }, 'a').get('/collections', { origin: 'http://localhost:3000' }),
    ]

    for (const { headers } of answers) {
      expect(headers['access-control-allow-credentials']).toBeUndefined()
      expect(headers['access-control-allow-origin']).not.toBe('*')
    }
  })
})

/** An origin that no other test allows. */
function anOrigin(): string {
  return `https://${randomUUID()}.example`
}

function corsOf(headers: Answer['headers']): string[] {
  return Object.keys(headers).filter((name) => name.startsWith('access-control-'))
}

const usualHeaders = [
  'authorization',
  'x-api-key',
  'content-type',
  'svc-dialect',
  'if-match',
  'if-none-match',
  'idempotency-key',
  'last-event-id',
]

function preflight(origin: string, names = usualHeaders.join(', ')) {
  const headers = {
    origin,
    'access-control-request-method': 'PATCH',
    'access-control-request-headers': names,
  }
  return send(service.url, { method: 'OPTIONS', path: '/collections/posts', headers })
}
