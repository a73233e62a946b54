import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { createClient } from '../../../client/index.js'
import { type Emulator, startEmulator } from '../../../emulator/assembly/dev.js'
import { openSocket } from '../../fixtures/realtime/streams.js'
import { type Ask, askerOf } from '../../fixtures/requests/ask.js'
import { send } from '../../fixtures/requests/http.js'

// Requests without a key take no capacity from logins. Each test comes from an address of its own, and the
// clock stands still unless it is moved, so that no minute ends meanwhile.

let emulator: Emulator
let ask: Ask
beforeAll(async () => {
  emulator = await startEmulator({ memory: true, trustedProxies: 1, now: () => new Date('2030-01-01T00:00:30Z') })
  ask = askerOf(emulator)
})
afterEach(() => ask('DELETE', '/_svc/api/clock'))
afterAll(() => emulator.close())

const [email, password] = ['ada@example.com', 'Correct4Horse']
const unknownToken = (n: number) => String(n).padStart(43, 'x')

/** One that a mail has carried, at the moment at which it expires. */
async function expiredToken(): Promise<() => string> {
  await ask('POST', '/auth/request-password-reset', { email })
  const { body } = await ask('GET', `/_svc/api/mail/wait?${new URLSearchParams({ to: email })}`)
  await ask('PATCH', '/_svc/api/clock', { advance: 3_600_000 })
  const token = new URL(String((body.links as string[])[0])).searchParams.get('token') ?? ''
  return () => token
}

interface From {
  readonly address: string
  readonly origin?: string
}

async function post(
  path: string,
  body: object,
  { address, origin }: From,
): Promise<{ status: number; headers: Headers }> {
  const headers = new Headers({ 'content-type': 'application/json', 'x-forwarded-for': address })
  if (origin !== undefined) headers.set('origin', origin)
  const answer = await fetch(`${emulator.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  await answer.arrayBuffer()
  return answer
}

function counted(statuses: readonly number[]): Record<number, number> {
  const counts: Record<number, number> = {}
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

it('contract 10.12 invalid keys have a budget by address, which valid keys do not need', async () => {
  const list = (key: string, address: string) =>
    send(emulator.url, {
      method: 'GET',
      path: '/collections',
      headers: { 'x-api-key': key, 'x-forwarded-for': address },
    })
  const address = '198.51.100.20'
  const statuses = []
  for (let n = 0; n < 300; n++) statuses.push((await list(`svc_key_of_nobody_${n}`, address)).status)

  const refused = await list('svc_key_of_nobody', address)

  expect(counted(statuses)).toEqual({ 401: 300 })
  expect([refused.status, refused.headers['svc-error-code'], Number(refused.headers['retry-after'])]).toEqual([
    ...[429, 'RATE_LIMITED', 30],
  ])
  expect((await list(emulator.apiKey, address)).status).toBe(200)
  expect((await list('svc_key_of_nobody', '198.51.100.21')).status).toBe(401)
  const socket = await openSocket(emulator.url, '', { 'x-forwarded-for': address })
  expect(await socket.ask({ type: 'auth', token: 'svc_key_of_nobody' })).toMatchObject({ code: 'RATE_LIMITED' })
})

it('contract 10.12 a guess at a key beside a good one counts too where bad tokens count as nobody', async () => {
  const guess = (n: number) =>
    send(emulator.url, {
      method: 'GET',
      path: '/collections/guessed/documents',
      headers: {
        ...{ 'x-api-key': emulator.apiKey, authorization: `Bearer svc_secret_${n}`, 'x-forwarded-for': '192.0.2.77' },
        'svc-dialect': 'd, refusals=deployed',
      },
    })
  const statuses: number[] = []

  for (let n = 0; n < 301; n++) statuses.push((await guess(n)).status)

  expect(counted(statuses)).toEqual({ 200: 300, 429: 1 })
})

it.each([
  ['unknown tokens', '198.51.100.1', async () => unknownToken],
  ['a token that has expired', '198.51.100.7', expiredToken],
])(
  'contract 10.12 resets with %s are looked up, not hashed: logins beside them are not refused',
  async (_kind, address, prepare) => {
    await ask('POST', '/auth-collections/signup', { email, password })
    const tokenOf = await prepare()
    const reset = (n: number) => post('/auth/reset-password', { token: tokenOf(n), newPassword: password }, { address })
    const begun = Array.from({ length: 300 }, (_, n) => reset(n))

    const logins = await Promise.all(
      [1, 2, 3, 4].map(() => ask('POST', '/auth-collections/login', { email, password })),
    )
    const resets = await Promise.all(begun)

    // Had they been hashed, they would have filled the queue: 503.
    expect(counted(resets.map(({ status }) => status))).toEqual({ 401: 300 })
    expect(logins.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    const refused = await reset(300)
    expect([refused.status, Number(refused.headers.get('retry-after'))]).toEqual([429, expect.any(Number)])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  },
)

it('contract 10.12 the budget is the address’s, for all public routes together, and asked before a body is read', async () => {
  const [spent, other] = [{ address: '198.51.100.2' }, { address: '198.51.100.3' }]
  for (let n = 0; n < 300; n += 30) {
    await Promise.all(Array.from({ length: 30 }, () => post('/auth/verify-email', { token: 'no token' }, spent)))
  }
  const back = `${emulator.url}/auth-collections/auth-idp-redirect/${emulator.projectId}?state=x`
  const from = ({ address }: From) => ({ headers: { 'x-forwarded-for': address }, redirect: 'manual' }) as const

  const answers = [
    await post('/auth/reset-password', { token: unknownToken(1), newPassword: 'weak' }, spent),
    await post('/auth/verify-email', { token: { not: 'read' } }, spent),
    await post('/auth/pages/reset-password', {}, spent),
    await fetch(back, from(spent)),
    await fetch(`${back.replace('?', '/start?')}`, from(spent)),
  ]

  expect(answers.map(({ status }) => status)).toEqual([429, 429, 429, 429, 429])
  expect((await post('/auth/verify-email', { token: 'no token' }, other)).status).toBe(401)
  expect((await fetch(back, from(other))).status).toBe(302)
  // Opening a page costs nothing, and logins have another budget.
  expect((await fetch(`${emulator.url}/auth/pages/reset-password?token=x`, from(spent))).status).toBe(200)
  const login = await fetch(`${emulator.url}/auth-collections/login`, {
    method: 'POST',
    headers: { ...from(spent).headers, 'x-api-key': emulator.apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  })
  expect(login.status).toBe(200)
})

it.each([
  ['/auth/verify-email', {}],
  ['/auth/reset-password', { newPassword: password }],
])(
  'contract 10.12 %s takes no more than a token and a password need, and does not parse the rest',
  async (path, rest) => {
    const from = { address: '198.51.100.8' }
    const weighing = (bytes: number) => ({
      ...rest,
      token: 'x'.repeat(bytes - JSON.stringify({ ...rest, token: '' }).length),
    })

    const largest = await post(path, weighing(64 * 1024), from)
    const larger = await post(path, weighing(64 * 1024 + 1), from)

    expect([largest.status, larger.status]).toEqual([401, 413])
    // A parsed body would be refused for its second value.
    const unparsed = { token: 'x', more: Array(200_000).fill(1) }
    expect((await post(path, unparsed, from)).status).toBe(413)
  },
)

it('contract 10.5 pages of other sites are refused, and take nothing from the pages of this machine', async () => {
  const address = '198.51.100.4'
  const body = { token: unknownToken(1), newPassword: password }

  const foreign = []
  for (let n = 0; n < 302; n++)
    foreign.push(await post('/auth/reset-password', body, { address, origin: 'https://evil.example' }))
  const own = await post('/auth/reset-password', body, { address, origin: 'http://localhost:5173' })

  expect(counted(foreign.map(({ status }) => status))).toEqual({ 403: 300, 429: 2 })
  expect(foreign.map(({ headers }) => headers.get('access-control-allow-origin'))).toEqual(Array(302).fill(null))
  expect([own.status, own.headers.get('access-control-allow-origin')]).toEqual([401, 'http://localhost:5173'])
  await ask('PATCH', `/_svc/api/projects/${emulator.projectId}`, {
    settings: { allowedOrigins: ['https://app.example'] },
  })
  const page = { address: '198.51.100.5', origin: 'https://app.example' }
  const allowed = await post('/auth/reset-password', body, page)
  expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).toEqual([401, page.origin])
})

it('contract 10.12 images of other sites take nothing from who works here', async () => {
  const back = `/auth-collections/auth-idp-redirect/${emulator.projectId}?state=x`
  const address = '198.51.100.6'
  const get = async (headers: object) => {
    const request = { method: 'GET', path: back, headers: { 'x-forwarded-for': address, ...headers } }
    return (await send(emulator.url, request)).status
  }
  const image = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' }
  const visit = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }

  const images: number[] = []
  for (let n = 0; n < 302; n++) images.push(await get(image))

  expect(counted(images)).toEqual({ 302: 300, 429: 2 })
  expect([await get(visit), await get({})]).toEqual([302, 302])
})

it('decision 70 a page whose images are gone loses neither those that are there nor the budget of its address', async () => {
  const from = { address: '198.51.100.9' }
  const svc = createClient(emulator)
  const [kept, gone] = [await svc.files.upload(new Blob(['kept'])), await svc.files.upload(new Blob(['gone']))]
  await svc.files.delete(gone.id)
  const get = (url: string) => fetch(url, { headers: { 'x-forwarded-for': from.address } })

  const images = []
  for (let n = 0; n < 302; n++) images.push((await get(gone.url)).status)

  expect(counted(images)).toEqual({ 404: 302 })
  expect(await (await get(kept.url)).text()).toBe('kept')
  expect((await post('/auth/verify-email', { token: 'no token' }, from)).status).toBe(401)
})

it('contract 10.12 an address that is taken is refused before the password is hashed', async () => {
  const taken = Array.from({ length: 260 }, () => ask('POST', '/auth-collections/signup', { email, password }))

  expect(counted((await Promise.all(taken)).map(({ status }) => status))).toEqual({ 409: 260 })
})
