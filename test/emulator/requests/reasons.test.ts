import { hostname } from 'node:os'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { RequestRecord } from '../../../client/protocol/control/requests.js'
import type { Reason } from '../../../client/protocol/model/requests/reason.js'
import { type Emulator, startEmulator } from '../../../emulator/assembly/dev.js'
import { controlOf } from '../../fixtures/requests/emulator-control.js'
import { formOf } from '../../fixtures/requests/form.js'

// In a shared service, other tests would evict the records.

const ownOrigin = `http://${hostname().toLowerCase()}:3000`

it('a page of this machine under its name in the network is told which flag allows it', async () => {
  const { ask } = await aShop()

  const { error } = await ask('GET', '/collections', undefined, { origin: ownOrigin })

  expect(error?.message).toContain(`allow it with --allowed-host ${hostname().toLowerCase()}.`)
})

let emulator: Emulator
beforeAll(async () => {
  emulator = await startEmulator({ memory: true })
})
afterAll(() => emulator.close())

type Settings = NonNullable<Parameters<ReturnType<typeof controlOf>['projects']['create']>[0]>['settings']
type Headers = Readonly<Record<string, string>>

/** A project of the case's own, with a guarded collection and one that has a schema. */
async function aShop(settings: Settings = {}) {
  const control = controlOf(emulator)
  const project = await control.projects.create({ settings })
  async function ask(method: string, path: string, body?: unknown, headers: Headers = {}): Promise<RequestRecord> {
    const isRaw = typeof body === 'string' || body instanceof Buffer
    const answer = await fetch(emulator.url + path, {
      method,
      headers: {
        'x-api-key': project.secretKey,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isRaw ? new Uint8Array(Buffer.from(body)) : JSON.stringify(body) }),
    })
    await answer.text()
    const id = answer.headers.get('x-request-id') ?? ''
    return control.requests.get({ id })
  }
  async function create(path: string, body: unknown): Promise<string> {
    const { answer } = await ask('POST', path, body)
    return JSON.parse(answer.body.text ?? '{}').id
  }
  await ask('POST', '/collections', {
    name: 'posts',
    permissions: { update: ['editor', 'admin'], hidden: { note: ['editor'] }, readonly: { rank: [] } },
    schema: { title: { type: 'string', required: true }, likes: { type: 'integer' } },
  })
  const post = await create('/collections/posts/documents', { title: 'Hello' })
  return { ...project, ask, post }
}

type Shop = Awaited<ReturnType<typeof aShop>>

interface Refusal {
  readonly title: string
  readonly status: number
  readonly settings?: Settings
  refuse(shop: Shop): Promise<RequestRecord>
  reason(shop: Shop): Partial<Reason>
}

const user = { email: 'ada@example.com', password: 'Correct4Horse' }

async function tokenOf({ ask, apiKey }: Shop): Promise<string> {
  await ask('POST', '/auth-collections/signup', user, { 'x-api-key': apiKey })
  const answer = await fetch(`${emulator.url}/auth-collections/login`, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    body: JSON.stringify(user),
  })
  return ((await answer.json()) as { token: string }).token
}

function logInSeeded(seed: object): Refusal['refuse'] {
  return async ({ id: project, ask }) => {
    const form = new FormData()
    form.set('mode', 'fill')
    form.set('steps', new Blob([JSON.stringify({ step: 'user', name: 'ada', email: user.email, ...seed })]))
    await controlOf(emulator).seeds.apply({ project, form })
    return ask('POST', '/auth-collections/login', user)
  }
}

const refusals: readonly Refusal[] = [
  {
    title: 'a key that is none',
    status: 401,
    refuse: ({ ask }) => ask('GET', '/collections', undefined, { 'x-api-key': 'svc_key_wrong' }),
    reason: () => ({ kind: 'credentials', problem: 'unknown key' }),
  },
  {
    title: 'a token whose session has ended',
    status: 401,
    async refuse(shop) {
      const headers = { 'x-api-key': shop.apiKey, authorization: `Bearer ${await tokenOf(shop)}` }
      await shop.ask('POST', '/auth-collections/logout', undefined, headers)
      return shop.ask('GET', '/collections', undefined, headers)
    },
    reason: () => ({ kind: 'credentials', problem: 'ended session' }),
  },
  {
    title: 'a login with an email that nobody has',
    status: 401,
    refuse: ({ ask }) => ask('POST', '/auth-collections/login', { ...user, email: 'nobody@example.com' }),
    reason: () => ({ kind: 'credentials', problem: 'unknown email' }),
  },
  {
    title: 'a login by password of somebody who has none yet',
    status: 401,
    refuse: logInSeeded({}),
    reason: () => ({ kind: 'credentials', problem: 'no password' }),
  },
  {
    title: 'a login by password of somebody whom a provider lets in',
    status: 401,
    refuse: logInSeeded({ identity: { provider: 'https://id.example', subject: 'ada' } }),
    reason: () => ({ kind: 'credentials', problem: 'of a provider' }),
  },
  {
    title: 'a code that no login waits for',
    status: 401,
    refuse: ({ ask }) => ask('POST', '/auth-collections/verify-2fa-login', { email: user.email, code: '123456' }),
    reason: () => ({ kind: 'credentials', problem: 'wrong code' }),
  },
  {
    title: 'a key alone where roles are asked for',
    status: 401,
    refuse: ({ ask, post, apiKey }) =>
      ask('PATCH', `/collections/posts/${post}`, { likes: 1 }, { 'x-api-key': apiKey }),
    reason: () => ({
      kind: 'permission',
      collection: 'posts',
      permission: 'update',
      wanted: ['editor', 'admin'],
      roles: [],
    }),
  },
  {
    title: 'a user without the role',
    status: 403,
    async refuse(shop) {
      const headers = { 'x-api-key': shop.apiKey, authorization: `Bearer ${await tokenOf(shop)}` }
      return shop.ask('PATCH', `/collections/posts/${shop.post}`, { likes: 1 }, headers)
    },
    reason: () => ({ kind: 'permission', wanted: ['editor', 'admin'], roles: ['authenticated'] }),
  },
  {
    title: 'a filter on a field that is hidden',
    status: 401,
    refuse: ({ ask, apiKey }) => ask('GET', '/collections/posts?note=x', undefined, { 'x-api-key': apiKey }),
    reason: () => ({
      kind: 'field',
      collection: 'posts',
      field: 'note',
      rule: 'hidden',
      wanted: ['editor'],
      roles: [],
    }),
  },
  {
    title: 'a field that is read-only',
    status: 403,
    refuse: ({ ask, apiKey }) => ask('POST', '/collections/posts', { title: 'x', rank: 1 }, { 'x-api-key': apiKey }),
    reason: () => ({ kind: 'field', field: 'rank', rule: 'readonly', wanted: [] }),
  },
  {
    title: 'a key whose scopes do not include it',
    status: 403,
    async refuse({ id: project, ask, post }) {
      const { key } = await controlOf(emulator).keys.create({ project, scopes: ['read', 'write:drafts'] })
      return ask('DELETE', `/collections/posts/${post}`, undefined, { 'x-api-key': key })
    },
    reason: () => ({ kind: 'scope', action: 'write', collection: 'posts', scopes: ['read', 'write:drafts'] }),
  },
  {
    title: 'a key that has expired',
    status: 401,
    async refuse({ id: project, ask }) {
      const { key } = await controlOf(emulator).keys.create({ project, expiresInSeconds: 60 })
      await controlOf(emulator).clock.ofProject.change({ project, advance: 120_000 })
      return ask('GET', '/collections', undefined, { 'x-api-key': key })
    },
    reason: () => ({ kind: 'credentials', problem: 'expired key' }),
  },
  {
    title: 'an address that is not verified, where the project asks for one',
    status: 403,
    settings: { requireVerifiedEmail: true },
    async refuse(shop) {
      const authorization = `Bearer ${await tokenOf(shop)}`
      return shop.ask(
        'POST',
        '/collections/posts/documents',
        { title: 'x' },
        { 'x-api-key': shop.apiKey, authorization },
      )
    },
    reason: () => ({ kind: 'setting', setting: 'requireVerifiedEmail', value: 'true' }),
  },
  {
    title: 'a page of another origin',
    status: 403,
    settings: { allowedOrigins: ['https://app.example'] },
    refuse: ({ ask }) => ask('GET', '/collections', undefined, { origin: 'https://elsewhere.example' }),
    reason: () => ({ kind: 'origin', origin: 'https://elsewhere.example', allowed: ['https://app.example'] }),
  },
  {
    title: 'a page of this machine under its name in the network',
    status: 403,
    refuse: ({ ask }) => ask('GET', '/collections', undefined, { origin: ownOrigin }),
    reason: () => ({ kind: 'origin', origin: ownOrigin, allowed: [], ownName: hostname().toLowerCase() }),
  },
  {
    title: 'a path where nothing is',
    status: 404,
    refuse: ({ ask }) => ask('GET', '/colections/posts'),
    reason: () => ({ kind: 'missing', what: 'path', name: '/colections/posts' }),
  },
  {
    title: 'a collection that is not there',
    status: 404,
    refuse: ({ ask }) => ask('GET', '/collections/post'),
    reason: () => ({ kind: 'missing', what: 'collection', name: 'post' }),
  },
  {
    title: 'a document that is not there',
    status: 404,
    refuse: ({ ask }) => ask('GET', '/collections/posts/documents/none'),
    reason: () => ({ kind: 'missing', what: 'document', name: 'none', collection: 'posts' }),
  },
  {
    title: 'a collection of that name',
    status: 409,
    refuse: ({ ask }) => ask('POST', '/collections', { name: 'posts' }),
    reason: () => ({ kind: 'taken', what: 'collection', name: 'posts' }),
  },
  {
    title: 'an email that a user has',
    status: 409,
    async refuse({ ask }) {
      await ask('POST', '/auth-collections/signup', user)
      return ask('POST', '/auth-collections/signup', user)
    },
    reason: () => ({ kind: 'taken', what: 'email', name: user.email }),
  },
  {
    title: 'a document that has changed since',
    status: 412,
    refuse: ({ ask, post }) => ask('PATCH', `/collections/posts/${post}`, { likes: 1 }, { 'if-match': '"7"' }),
    reason: ({ post }) => ({ kind: 'version', collection: 'posts', document: post, expected: [7], actual: 1 }),
  },
  {
    title: 'a document that is too deep',
    status: 413,
    refuse: ({ ask }) => ask('POST', '/collections/posts/documents', `{"title":${'['.repeat(70)}${']'.repeat(70)}}`),
    reason: () => ({ kind: 'limit', limit: 'document depth', most: 64 }),
  },
  {
    title: 'a file that is too large for the tier',
    status: 413,
    settings: { tier: 'free' },
    refuse({ ask }) {
      const { headers, body } = formOf({ name: 'file', filename: 'a.txt', content: Buffer.alloc(10 * 1024 * 1024 + 1) })
      return ask('POST', '/storage/upload', body, headers)
    },
    reason: () => ({ kind: 'limit', limit: 'file bytes', most: 10 * 1024 * 1024, setting: 'tier' }),
  },
  {
    title: 'fields that the schema refuses',
    status: 422,
    refuse: ({ ask }) => ask('POST', '/collections/posts/documents', { likes: 'many' }),
    reason: () => ({ kind: 'schema', collection: 'posts', fields: expect.arrayContaining(['title', 'likes']) }),
  },
  {
    title: 'a batch with too many items',
    status: 422,
    refuse: ({ ask }) => ask('POST', '/collections/posts/batch', { documents: Array(1_001).fill({}) }),
    reason: () => ({ kind: 'limit', limit: 'batch items', most: 1_000 }),
  },
  {
    title: 'more requests than a window takes',
    status: 429,
    settings: { rateLimit: { hour: 3 } },
    async refuse({ ask }) {
      // The hour may end meanwhile.
      let record = await ask('GET', '/collections')
      for (let times = 0; times < 6 && record.status === 200; times++) record = await ask('GET', '/collections')
      return record
    },
    reason: () => ({ kind: 'rate limit', window: 'hour', limit: 3, setting: 'rateLimit', endsAt: expect.any(String) }),
  },
]

it.each(refusals)('contract 11 a request keeps why it was refused: $status for $title', async (refusal) => {
  const shop = await aShop(refusal.settings)

  const record = await refusal.refuse(shop)

  expect(record.status, record.answer.body.text ?? '').toBe(refusal.status)
  expect(record.reason).toMatchObject(refusal.reason(shop))
  // The reason is no part of the answer.
  expect(record.answer.body.text).not.toContain('"reason"')
})
