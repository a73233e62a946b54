import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { read, upload } from '../../fixtures/files.js'
import { fileOf } from '../../fixtures/requests/form.js'
import { send } from '../../fixtures/requests/http.js'
import { aProject, changeSettings, service } from '../../fixtures/service.js'
import { aWorld, expectFailure, expectStatus, inDialects } from '../../fixtures/wires.js'

const allowed = 'https://app.example'

inDialects('Origins', (wire, { once }) => {
  const world = () => aWorld(wire, { allowedOrigins: [allowed, 'http://localhost.example:8080'] })

  once('AUT-04 pages of an allowed origin may call, and read the answer', async () => {
    const { api } = await world()

    for (const origin of [allowed, 'http://localhost.example:8080']) {
      const { headers } = expectStatus(200, await api.get('/collections', { origin }))
      expect(headers['access-control-allow-origin']).toBe(origin)
      expect(headers.vary?.toLowerCase()).toContain('origin')
    }
  })

  once('AUT-04 pages of any other origin are refused, and nothing is done', async () => {
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

  once('contract 10.5 a developer’s machine allows loopback origins', async () => {
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

  once('contract 10.5 who is no page needs no origin', async () => {
    const { api } = await world()

    const { headers } = expectStatus(200, await api.get('/collections'))

    expect(headers['access-control-allow-origin']).toBeUndefined()
  })

  once('AUT-04 an origin taken off the list is refused from then on', async () => {
    const { api, project } = await world()
    expectStatus(200, await api.get('/collections', { origin: allowed }))

    await changeSettings(project, { allowedOrigins: [] })

    expectFailure(await api.get('/collections', { origin: allowed }), 403, 'ORIGIN_NOT_ALLOWED')
  })

  once('AUT-04 an allowed page may read failures too', async () => {
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
        'svc-seq',
        'svc-dialect',
        'svc-error-code',
        'etag',
        'x-request-id',
        'retry-after',
        'x-ratelimit-limit',
        'x-ratelimit-remaining',
        'x-ratelimit-reset',
        'preference-applied',
        'accept-ranges',
        'content-range',
        'content-disposition',
      ]),
    )
  })

  once('contract 10.9 a page can read all that an answer with a part of a file says', async () => {
    const { api } = await world()
    const { url } = await upload(wire, api, fileOf('file', '0123456789'))

    const { status, headers } = await read(url, { origin: allowed, range: 'bytes=2-5' })

    expect([status, headers['content-range']]).toEqual([206, 'bytes 2-5/10'])
    // Headers that the Fetch standard shows to any page, or reserves for the browser.
    const shown = ['cache-control', 'content-length', 'content-type', 'expires', 'last-modified']
    const browsers =
      /^(access-control-.*|connection|content-security-policy|cross-origin-.*|date|keep-alive|vary|x-content-type-options|referrer-policy)$/
    const exposed = (headers['access-control-expose-headers'] ?? '').toLowerCase().split(/, */)
    const hidden = Object.keys(headers).filter((name) => ![...shown, ...exposed].includes(name) && !browsers.test(name))
    expect(hidden).toEqual([])
  })
})

describe('Hosts', () => {
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

  test('contract 10.5 two Host headers are refused, whatever they name', async () => {
    const { port } = new URL(service.url)

    for (const second of [`localhost:${port}`, 'evil.example']) {
      for (const more of ['connection: close\r\n', 'connection: upgrade\r\nupgrade: websocket\r\n']) {
        const socket = connect(Number(port), '127.0.0.1')
        // Not `end`: Node drops a request whose client has closed its side before the answer.
        socket.write(`GET /realtime HTTP/1.1\r\nHost: localhost:${port}\r\nhost: ${second}\r\n${more}\r\n`)
        expect(await text(socket)).toMatch(/^HTTP\/1.1 400 [\s\S]*more than one/)
      }
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
