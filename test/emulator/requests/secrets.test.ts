import { afterAll, beforeAll, expect, it } from 'vitest'
import { dialects } from '../../../client/protocol/wire/dialects.js'
import { type Emulator, startEmulator } from '../../../emulator/assembly/dev.js'
import { isSecretPath } from '../../../emulator/http/requests/secret-routes.js'
import type { Route } from '../../../emulator/http/route.js'
import { routes } from '../../../emulator/http/routes/index.js'
import { controlOf } from '../../fixtures/requests/emulator-control.js'

// In a shared service, other tests would evict the records.

let emulator: Emulator
beforeAll(async () => {
  emulator = await startEmulator({ memory: true })
})
afterAll(() => emulator.close())

const control = () => controlOf(emulator)

/** All that the control API returns of the kept requests, as text, and how many there are. */
async function logged(): Promise<{ text: string; count: number }> {
  const listed = await control().requests.list({ limit: 1_000 })
  const records = await Promise.all(listed.requests.map(({ id }) => control().requests.get({ id })))
  return { text: JSON.stringify([listed, records]), count: records.length }
}

let drawn = 0
/** A unique text. */
const aSecret = () => `confidential-${++drawn}-x7Qz`

type Fields = Record<string, unknown>
type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

function ask(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Response> {
  const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
  const text = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }
  return fetch(emulator.url + path, { method, redirect: 'manual', headers: { ...type, ...headers }, ...text })
}

/** Parameters of account routes that are no secrets; of URLs, all but their queries. */
const plain = ['redirectUrl', 'email', 'user', 'data', '$append', '$remove', 'roles', 'platform', 'scopes']

/** A secret for every field that the route describes and for some that it does not. */
function bodiesOf({ body }: Route): (Fields | string)[] {
  if (!body) return []
  const properties = (body.schema(dialects.a) as { properties?: object }).properties ?? {}
  const names = [...Object.keys(properties), 'password', 'token', 'code', 'secret'].filter(
    (name) => !plain.includes(name),
  )
  const each = (value: () => unknown) => Object.fromEntries(names.map((name) => [name, value()]))
  const data = { bio: 'Hi', password: aSecret(), profile: [{ apiKey: aSecret() }] }
  return [
    { email: 'ada@example.com', ...each(aSecret) },
    { email: 'ada@example.com', data, ...each(aSecret) },
    each(() => ({ inside: [aSecret()] })),
    `{"password":"${aSecret()}"`,
    JSON.stringify(aSecret()),
  ]
}

const secretRoutes = routes.flatMap((route) =>
  Object.values(route.paths)
    .flat()
    .filter(isSecretPath)
    .map((path) => [`${route.method.toUpperCase()} ${path}`, route, path] as const),
)

it.each(secretRoutes)('contract 11 no secret is shown of %s', async (_title, route, place) => {
  const first = drawn
  await control().requests.clear()
  const path = place.replace(':provider', 'custom').replace(':project', emulator.projectId).replace(/:\w+/g, 'none')
  const method = route.method.toUpperCase() as Method
  const address = () =>
    `${path}?${['token', 'code', 'state', 'password'].map((name) => `${name}=${aSecret()}`).join('&')}`
  const headersOf = (): Record<string, string>[] => [
    { 'x-api-key': aSecret(), authorization: `Bearer ${aSecret()}`, cookie: `session=${aSecret()}` },
    { 'x-api-key': emulator.apiKey, 'x-app-token': aSecret(), referer: `https://app.example/?token=${aSecret()}` },
    { authorization: `Bearer ${aSecret()}.${aSecret()}.${aSecret()}` },
    {},
  ]

  const known = { 'x-api-key': emulator.apiKey }
  const type = 'application/x-www-form-urlencoded'
  for (const headers of headersOf())
    await ask(method, address(), method === 'GET' ? undefined : { token: aSecret() }, headers)
  for (const body of bodiesOf(route)) await ask(method, address(), body, known)
  const form = new URLSearchParams({ token: aSecret(), password: aSecret(), code: aSecret() }).toString()
  if (method !== 'GET') await ask(method, path, form, { ...known, 'content-type': type })
  // A method or a path that is not served, with secrets of other routes.
  await ask('PUT', `${path}/more/${aSecret()}`)
  await ask('DELETE', address(), { password: aSecret() })

  const { text, count } = await logged()
  expect(drawn - first).toBeGreaterThan(10)
  expect(count).toBeGreaterThan(5)
  expect(text.match(/confidential-\d+-x7Qz/g)).toBeNull()
  expect(text).not.toContain(emulator.apiKey)
})

it('contract 11 no route for secrets is forgotten: all that need no key, and all that take a password or a token', () => {
  const takes = (route: Route) => {
    const described = JSON.stringify(route.body?.schema(dialects.a) ?? {})
    return /"(?:\w*[pP]assword|\w*[tT]oken|code|secret)":/.test(described)
  }
  const open = routes.filter((route) => route.needs === 'public' || takes(route))

  const forgotten = open.filter((route) => !Object.values(route.paths).flat().every(isSecretPath))

  expect(open.length).toBeGreaterThan(10)
  expect(forgotten.map(({ id }) => id)).toEqual([])
})

it('USR-02 contract 11 no key, token, password, code or ticket of a whole life of an account is shown', async () => {
  await control().requests.clear()
  const {
    id: project,
    apiKey,
    secretKey,
  } = await control().projects.create({
    settings: {
      idp: { IDP_CLIENT_ID: 'app', IDP_CLIENT_SECRET: 'confidential-provider', IDP_ISSUER: 'http://127.0.0.1:1' },
    },
  })
  const email = 'grace@example.com'
  const [password, next, last] = ['Confidential4Horse', 'Confidential5Horse', 'Confidential6Horse'] as const
  const secrets: string[] = [apiKey, secretKey, password, next, last, 'confidential-provider']
  const key = { 'x-api-key': apiKey }
  const json = async (method: Method, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const answer = await ask(method, path, body, { ...key, ...headers })
    return (await answer.json()) as Record<string, string> & { recovery_codes?: string[] }
  }
  const mailed = async () => {
    const { links, codes } = await control().mail.wait({ project, timeout: 10 })
    const token = new URL(links[0] ?? '').searchParams.get('token') ?? ''
    await control().mail.clear({ project })
    return [token, ...codes] as const
  }

  const signedUp = await json('POST', '/auth-collections/signup', { email, password })
  const bearer = { authorization: `Bearer ${signedUp.token}` }
  await json('POST', '/auth/request-verification', undefined, bearer)
  const [verifying] = await mailed()
  await ask('GET', `/auth/pages/verify-email?token=${verifying}`)
  await json('POST', '/auth/verify-email', { token: verifying })
  const refreshed = await json('POST', '/auth-collections/refresh', undefined, bearer)
  await json('POST', '/auth/change-password', { oldPassword: password, newPassword: next }, bearer)
  await json('POST', '/auth/request-password-reset', { email })
  const [resetting] = await mailed()
  await ask('GET', `/auth/pages/reset-password?token=${resetting}`)
  await json('POST', '/auth/reset-password', { token: resetting, newPassword: last })
  const loggedIn = await json('POST', '/auth-collections/login', { email, password: last })
  const later = { authorization: `Bearer ${loggedIn.token}` }
  const enrolled = await json('POST', '/auth/2fa/enable', undefined, later)
  const { code } = await control().users.code({ user: String(signedUp.id) })
  const { recovery_codes: recovery = [] } = await json('POST', '/auth/2fa/verify', { code }, later)
  await json('POST', '/auth-collections/login', { email, password: last })
  await json('POST', '/auth-collections/verify-2fa-login', { email, code: recovery[0] })
  await json('POST', '/collections', { name: 'posts' }, later)
  await json('POST', '/collections/posts/documents', {
    title: 'x',
    password,
    nested: [{ accessToken: next }],
    by: apiKey,
  })
  await ask('GET', `/collections/posts?password=${last}&nested.accessToken__eq=${next}`, undefined, key)
  const { ticket } = await json('POST', '/realtime/tickets', undefined, later)
  const stream = await ask('GET', `/realtime/sse/posts?ticket=${ticket}`)
  await stream.body?.cancel()
  const { url = '' } = await json('GET', '/auth-collections/login-idp')
  const state = new URL(url, 'http://nowhere.example').searchParams.get('state')
  secrets.push(signedUp.token ?? '', refreshed.token ?? '', loggedIn.token ?? '', verifying, resetting, ticket ?? '')
  secrets.push(enrolled.secret ?? '', ...recovery, ...(state ? [state] : []))

  const { text, count } = await logged()

  expect(count).toBeGreaterThan(15)
  expect(secrets.length).toBeGreaterThan(20)
  expect(secrets.map((secret) => secret.length >= 6)).not.toContain(false)
  expect(secrets.filter((secret) => text.includes(secret))).toEqual([])
})
