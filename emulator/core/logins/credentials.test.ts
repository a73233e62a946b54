import { expect, it } from 'vitest'
import { aBackend } from '../../../test/fixtures/stand-ins.js'
import type { Database } from '../../database/port.js'
import { openMemoryBus } from '../../ports/bus/memory-bus.js'
import { openCaches } from '../caches.js'
import type { Backend } from '../context.js'
import { identifyText } from './credentials.js'
import { signToken } from './tokens.js'

const [user, session] = ['0190aaaa-0000-7000-8000-000000000001', '0190aaaa-0000-7000-8000-000000000002']
const secret = 'a-secret-of-32-bytes-or-more-long'
const from = Date.parse('2030-01-01T00:00:00.000Z')
const expiresAt = from + 10_000

/** Stands in for a process whose queries all find the same row. Records the queries. */
function aProcess() {
  const asked: unknown[] = []
  const at = { milliseconds: from }
  const settings = '{}'
  const key = { key_id: user, secret: false, key_name: null, scopes: null, key_expires_at: '2030-01-01T00:00:10.000Z' }
  const row = { id: session, user_id: user, roles: '[]', token_secret: secret, project_id: 'here', settings, ...key }
  const db: Pick<Database, 'query'> = {
    async query<Row>(statement: unknown) {
      asked.push(statement)
      return [row] as Row[]
    },
  }
  const backend: Backend = aBackend({
    db: db as Database,
    caches: openCaches(openMemoryBus()),
    now: () => new Date(at.milliseconds),
  })
  return { at, asked, backend }
}

const token = await signToken({ user, project: 'here', session }, secret, {
  issuedAt: from / 1_000,
  expiresAt: expiresAt / 1_000,
})

it.each([
  ['AUT-02 a user token', token, 'INVALID_TOKEN', 'wrong signature or expired'],
  ['contract 6.5 a key', 'svc_key_of_an_hour', 'UNAUTHORIZED', 'expired key'],
])('%s that is cached is refused from the moment it expires', async (_, text, code, problem) => {
  const { at, asked, backend } = aProcess()

  at.milliseconds = expiresAt - 1
  await expect(identifyText(backend, text)).resolves.toMatchObject({ project: { id: expect.any(String) } })
  expect(asked).toHaveLength(1)

  at.milliseconds = expiresAt
  await expect(identifyText(backend, text)).rejects.toMatchObject({ code, reason: { kind: 'credentials', problem } })

  at.milliseconds = expiresAt - 1
  await expect(identifyText(backend, text)).resolves.toMatchObject({ caller: { secret: false } })
  // Proves that the credential was cached: without the cache this test shows nothing.
  expect(asked).toHaveLength(1)
})
