/** Tests answers before the project is known, if the emulator's project does not speak dialect a. Contract 1. */
import { get } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import WebSocket from 'ws'
import { type Emulator, startEmulator } from '../../emulator/assembly/dev.js'

interface Project {
  readonly id: string
  readonly apiKey: string
}

let emulator: Emulator
let other: Project

const unknownId = '01900000-0000-7000-8000-000000000000'
const envelope = { success: false, error: { code: expect.any(String), message: expect.any(String) } }
const detail = { detail: expect.anything() }

beforeAll(async () => {
  emulator = await startEmulator({ memory: true, dialect: 'b' })
  const { id, apiKey } = await control('POST', '/projects', { settings: { dialect: 'c' } })
  other = { id: String(id), apiKey: String(apiKey) }
})
afterAll(() => emulator.close())

type Sent = Readonly<Record<string, string>>

async function ask(method: string, path: string, headers: Sent = {}, body?: unknown) {
  const json: Sent = body === undefined ? {} : { 'content-type': 'application/json' }
  const sent: RequestInit = { method, redirect: 'manual', headers: { ...json, ...headers }, body: JSON.stringify(body) }
  const answer = await fetch(`${emulator.url}${path}`, sent)
  const text = await answer.text()
  return {
    status: answer.status,
    spoken: answer.headers.get('svc-dialect'),
    code: answer.headers.get('svc-error-code'),
    body: text.startsWith('{') ? JSON.parse(text) : text,
  }
}

async function control(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
  return (await ask(method, `/_svc/api${path}`, { 'svc-control-token': emulator.controlToken }, body)).body
}

/** A user of that project, and a function for the tokens of its mails. */
async function aUser(project: Project) {
  const email = `ada.${project.id}@example.com`
  const key = { 'x-api-key': project.apiKey }
  const account = { email, password: 'Correct4Horse' }
  const signedUp = await ask('POST', '/auth/register', { ...key, 'svc-dialect': 'a' }, account)
  let last: object = {}
  const mailed = async () => {
    const found = await control('GET', `/mail/wait?${new URLSearchParams({ to: email, timeout: '10', ...last })}`)
    last = { after: found.id }
    const [link = ''] = found.links as string[]
    return new URL(link).searchParams.get('token')
  }
  return {
    token: String(signedUp.body.token),
    async resetToken() {
      expect((await ask('POST', '/auth/request-password-reset', key, { email })).status).toBe(200)
      return mailed()
    },
    async verificationToken() {
      const bearer = { authorization: `Bearer ${signedUp.body.token}` }
      expect((await ask('POST', '/auth/request-verification', bearer)).status).toBe(200)
      return mailed()
    },
  }
}

const home = (): Project => ({ id: emulator.projectId, apiKey: emulator.apiKey })

describe('contract 1 where no project is known, the project of `svc dev` decides', () => {
  test.each([
    ['no key', 'GET', '/collections', {}, 401],
    ['a wrong key', 'GET', '/collections', { 'x-api-key': 'svc_key_wrong' }, 401],
    ['a wrong bearer', 'GET', '/collections', { authorization: 'Bearer wrong' }, 401],
    ['an unknown path', 'GET', '/nowhere', {}, 404],
    ['a path that cannot be read', 'GET', '/%zz', {}, 404],
    ['another method', 'DELETE', '/collections', {}, 405],
    ['an unknown address of a file', 'GET', `/files/${unknownId}/a.png`, {}, 404],
    ['server-sent events without a key', 'GET', '/realtime/sse/posts', {}, 401],
    ['a ticket that nobody gave out', 'GET', '/realtime/sse/posts?ticket=x', {}, 401],
    ['a mailed token that nobody gave out', 'POST', '/auth/verify-email', {}, 401, { token: 'x' }],
    ['a public body that does not fit', 'POST', '/auth/reset-password', {}, 422, {}],
    ['a body that is no JSON', 'POST', '/auth/verify-email', { 'content-type': 'text/xml' }, 415, 'x'],
    ['a name that is not ours', 'GET', '/', { origin: 'null' }, 403],
  ] as const)('%s', async (_what, method, path, headers, status, body?: unknown) => {
    const plain = await ask(method, path, headers, body)
    const asked = await ask(method, path, { ...headers, 'svc-dialect': 'c' }, body)
    const exceptions = await ask(method, path, { ...headers, 'svc-dialect': 'errors=envelope' }, body)

    expect(plain).toMatchObject({ status, spoken: 'b', body: detail })
    expect(asked).toMatchObject({ status, spoken: 'c', body: envelope })
    expect(exceptions).toMatchObject({ status, spoken: 'b, errors=envelope', body: envelope })
  })

  test('an unknown dialect is refused in the form of that project', async () => {
    const answer = await ask('GET', '/', { 'svc-dialect': 'z' })

    expect(answer).toMatchObject({ status: 400, code: 'INVALID_DIALECT', spoken: 'b', body: detail })
  })

  test('what is no failure says its dialect too', async () => {
    const answers = [
      await ask('GET', '/'),
      await ask('GET', '/openapi.json'),
      await ask('OPTIONS', '/collections', { origin: 'http://localhost:3000' }),
      await ask('GET', '/auth/pages/verify-email?token=x'),
      await ask('GET', '/collections', { 'x-api-key': emulator.apiKey }),
    ]

    expect(answers.map(({ spoken }) => spoken)).toEqual(['b', 'b', 'b', 'b', 'b'])
  })

  test('server-sent events obey the dialect of their address', async () => {
    const answer = await ask('GET', '/realtime/sse/posts?dialect=c')

    expect(answer).toMatchObject({ status: 401, spoken: 'c', body: envelope })
  })

  test('another dialect of the project is spoken from then on', async () => {
    const path = `/projects/${emulator.projectId}`
    expect(await ask('GET', '/nowhere')).toMatchObject({ spoken: 'b' })
    await control('PATCH', path, { settings: { dialect: 'a' } })
    const changed = await ask('GET', '/nowhere')
    await control('PATCH', path, { settings: { dialect: 'b' } })

    expect(changed).toMatchObject({ spoken: 'a', body: envelope })
    expect(await ask('GET', '/nowhere')).toMatchObject({ spoken: 'b', body: detail })
  })
})

describe('contract 1 what a token, a key or a path names decides', () => {
  test('a key on a path that there is not, or under another method', async () => {
    const key = { 'x-api-key': other.apiKey }

    expect(await ask('GET', '/nowhere', key)).toMatchObject({ status: 404, spoken: 'c', body: envelope })
    expect(await ask('DELETE', '/collections', key)).toMatchObject({ status: 405, spoken: 'c', body: envelope })
    expect(await ask('GET', '/collections', { ...key, authorization: 'Bearer x' })).toMatchObject({
      ...{ status: 401, spoken: 'c', body: envelope },
    })
  })

  test('a key in an authorization of another scheme does not', async () => {
    const answer = await ask('GET', '/nowhere', { authorization: `Token bearer ${other.apiKey}` })

    expect(answer).toMatchObject({ status: 404, spoken: 'b', body: detail })
  })

  test('a user token that is good for nothing any more', async () => {
    const { token } = await aUser({ ...other, id: `${other.id}-ended` })
    const bearer = { authorization: `Bearer ${token}` }
    expect((await ask('POST', '/auth-collections/logout', bearer)).status).toBe(200)

    expect(await ask('GET', '/auth-collections/me', bearer)).toMatchObject({ status: 401, spoken: 'c', body: envelope })
  })

  test('the project in the path of a redirect', async () => {
    const answer = await ask('GET', `/auth-collections/auth-idp-redirect/${other.id}?state=x&code=y`)

    expect(answer.spoken).toBe('c')
  })

  test('a mailed token, used up or not', async () => {
    for (const [project, dialect] of [[other, 'c'] as const, [home(), 'b'] as const]) {
      const user = await aUser(project)
      const token = await user.verificationToken()
      const reset = { token: await user.resetToken(), newPassword: 'Another4Horse' }
      const verified = await ask('POST', '/auth/verify-email', {}, { token })
      const weak = await ask('POST', '/auth/reset-password', {}, { ...reset, newPassword: 'weak' })
      const changed = await ask('POST', '/auth/reset-password', {}, reset)

      const message = { message: expect.any(String) }
      const record = dialect === 'c' ? { success: true, data: message } : message
      expect(verified).toEqual({ status: 200, spoken: dialect, code: null, body: record })
      expect(weak).toMatchObject({ status: 422, spoken: dialect, body: dialect === 'c' ? envelope : detail })
      expect(changed).toEqual({ status: 200, spoken: dialect, code: null, body: record })
    }
  })
})

describe('contract 1 a WebSocket handshake', () => {
  const refused = (path: string, headers: Sent) =>
    new Promise<{ status: number | undefined; spoken: unknown; id: unknown; body: unknown }>((resolve, reject) => {
      const upgrade = {
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': 'x',
      }
      get(`${emulator.url}${path}`, { headers: { ...upgrade, ...headers } }, (res) => {
        let text = ''
        res.on('data', (chunk) => {
          text += chunk
        })
        res.on('end', () =>
          resolve({
            ...{ status: res.statusCode, spoken: res.headers['svc-dialect'], id: res.headers['x-request-id'] },
            body: JSON.parse(text),
          }),
        )
      }).on('error', reject)
    })

  test('that is refused is answered in the dialect of the header, the address, or the project', async () => {
    expect(await refused('/nowhere', {})).toMatchObject({ status: 404, spoken: 'b', body: detail })
    expect(await refused('/nowhere', { 'svc-dialect': 'c' })).toMatchObject({
      status: 404,
      spoken: 'c',
      body: envelope,
    })
    expect(await refused('/nowhere?dialect=a', { 'svc-dialect': 'b' })).toMatchObject({ spoken: 'a', body: envelope })
    expect(await refused('/realtime?dialect=%zz', {})).toMatchObject({ status: 400, spoken: 'b', body: detail })
    expect(await refused('/realtime', { 'svc-dialect': 'z' })).toMatchObject({ status: 400, spoken: 'b', body: detail })
  })

  test('contract 10.6 that is refused names its request, each another', async () => {
    const ids = [await refused('/nowhere', {}), await refused('/realtime?dialect=x', {})].map(({ id }) => id)

    expect(ids).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), expect.stringMatching(/^[0-9a-f-]{36}$/)])
    expect(ids[0]).not.toBe(ids[1])
  })

  test('obeys the header', async () => {
    await ask('POST', '/collections', { 'x-api-key': emulator.apiKey }, { name: 'notes' })
    const socket = new WebSocket(`${emulator.wsUrl}/realtime`, { headers: { 'svc-dialect': 'a' } })
    const spoken = new Promise((resolve) => socket.once('upgrade', (res) => resolve(res.headers['svc-dialect'])))
    const event = new Promise((resolve, reject) => {
      socket.once('error', reject)
      socket.on('open', () => {
        socket.send(JSON.stringify({ type: 'auth', token: emulator.apiKey }))
        socket.send(JSON.stringify({ type: 'subscribe', collection: 'notes' }))
      })
      socket.on('message', (data) => {
        const message = JSON.parse(String(data))
        if (message.type === 'subscribed') void ask('POST', '/collections/notes', { 'x-api-key': emulator.apiKey }, {})
        if (message.event !== undefined) resolve(message)
      })
    })

    expect(await spoken).toBe('a')
    expect(await event).toMatchObject({ type: 'event', event: 'created', collection: 'notes' })
    socket.close()
  })
})
