import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { aBackend } from '../../../test/fixtures/stand-ins.js'
import type { Database, Sql } from '../../database/port.js'
import { openMemoryBus } from '../../ports/bus/memory-bus.js'
import { createSemaphore } from '../concurrency/semaphore.js'
import type { Keyring } from '../context.js'
import { hashSecret } from '../hashes.js'
import { unscoped } from '../identity.js'
import { createKey, drawKeys, type KeyOptions, revokeKey } from './keys.js'

const [first, second] = ['01900000-0000-7000-8000-000000000001', '01900000-0000-7000-8000-000000000002']
const drawn = '01900000-0000-7000-8000-000000000009'

/** Opens a backend with keys in a database and in a folder. The first query for the project's keys resolves late. */
function aBackendWithKeys(ids: readonly string[], { hasData = true, inFolder = ids } = {}) {
  const stored = new Set(ids)
  const inserted: (readonly unknown[])[] = []
  const audited: (readonly unknown[])[] = []
  const published: string[] = []
  let asked = 0
  let kept = inFolder
  let isFirst = true
  const keyring: Keyring = {
    hasData,
    keysOf: async () => kept.map(makeKey),
    keepFirst: async (_, keys) => keys,
    keep: async (_, keys) => {
      kept = keys.map(({ id }) => id)
    },
    changing: createSemaphore(1).run,
    nextStep: async () => 0,
    keepStep: async () => undefined,
  }
  async function query<Row>({ text, values }: Sql): Promise<Row[]> {
    asked++
    if (text.includes('insert into audit_entries')) audited.push(values)
    if (text.includes('insert into project_keys')) {
      inserted.push(values)
      stored.add(String(values[2]))
    }
    if (text.includes('delete from project_keys')) return (stored.delete(String(values[0])) ? [{}] : []) as Row[]
    if (!text.includes('from project_keys')) return [{ id: 'p', name: 'p', settings: '{}' }] as Row[]
    const keys = [...stored].map(makeRow)
    if (isFirst) {
      isFirst = false
      await pause(20)
    }
    return keys as Row[]
  }
  const db = { query, transaction: (work) => work(db) } as Partial<Database> as Database
  const bus = openMemoryBus()
  const note = (kind: string) => () => void published.push(kind)
  bus.subscribe({ identity: note('identity'), settings: note('settings'), changes: note('changes') })
  const now = () => new Date('2026-01-01T00:00:00Z')
  const backend = aBackend({ db, keyring, bus, now, newId: () => drawn })
  return { backend, stored, inserted, audited, published, kept: () => kept, asked: () => asked }
}

const makeKey = (id: string) => ({ id, hash: id, secret: false, readable: null, ...unscoped })

/** The row as the table stores it. */
const makeRow = (id: string) => ({ ...makeKey(id), key_id: id, key_name: null, key_expires_at: null })

it('removes a key from the folder even if another is created meanwhile, so that no start brings it back', async () => {
  const { backend, stored, kept } = aBackendWithKeys([first, second])

  const creating = createKey(backend, 'p')
  await expect.poll(() => stored.size).toBe(3)
  await revokeKey(backend, 'p', first)
  const { id } = await creating

  expect([[...stored], kept()]).toEqual([
    [second, id],
    [second, id],
  ])
})

const at = '2026-01-01T00:00:00.000Z'
const inputs: readonly (readonly [KeyOptions | undefined, object])[] = [
  [undefined, { secret: false, ...unscoped }],
  [
    { secret: true, name: 'CI' },
    { secret: true, name: 'CI', scopes: null, expiresAt: null },
  ],
  [
    { scopes: ['read'], expiresInSeconds: 90 },
    { secret: false, name: null, scopes: ['read'], expiresAt: '2026-01-01T00:01:30.000Z' },
  ],
]

it.each(inputs)('creates a key from %j and stores its hash', async (input, granted) => {
  const { backend, inserted, audited } = aBackendWithKeys([])

  const { key, ...made } = await createKey(backend, 'p', input)

  expect(made).toEqual({ id: drawn, ...granted })
  expect(key).toMatch(made.secret ? /^svc_secret_[\w-]{24}$/ : /^svc_key_[\w-]{24}$/)
  const { secret, name, scopes, expiresAt } = made
  const [values] = inserted
  expect(values).toEqual([
    ...[hashSecret(key), 'p', drawn, secret, secret ? null : key, at, name],
    ...[scopes && JSON.stringify(scopes), expiresAt],
  ])
  expect(audited.map(([project, operation, , subject]) => [project, operation, subject])).toEqual([
    ['p', 'key.created', JSON.stringify({ key: drawn })],
  ])
})

it('revokes a key once, for every process, and records it in the audit log', async () => {
  const { backend, stored, audited, published } = aBackendWithKeys([first, second])

  await revokeKey(backend, 'p', first)

  expect([...stored]).toEqual([second])
  expect(published).toEqual(['identity'])
  expect(audited.map(([project, operation, , subject]) => [project, operation, subject])).toEqual([
    ['p', 'key.revoked', JSON.stringify({ key: first })],
  ])
  await expect(revokeKey(backend, 'p', first)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  expect(audited).toHaveLength(1)
})

it('does not query for text that cannot be the id of a key, and truncates it in the message', async () => {
  const { backend, asked } = aBackendWithKeys([first])

  await expect(revokeKey(backend, 'p', 'x'.repeat(200))).rejects.toMatchObject({
    ...{ code: 'NOT_FOUND', message: `No key "${'x'.repeat(80)}".` },
  })
  expect(asked()).toBe(0)
})

it.each([
  ['has the data, it gains new keys and loses revoked ones', { hasData: true }, [second, drawn]],
  ['has no data, its keys stay as they are', { hasData: false }, [first, second]],
  ['has no keys, it gains none', { hasData: true, inFolder: [] }, []],
] as const)('if the folder %s', async (_, folder, kept) => {
  const { backend, ...world } = aBackendWithKeys([first, second], folder)

  await createKey(backend, 'p')
  await revokeKey(backend, 'p', first)

  expect(world.kept()).toEqual(kept)
})

it('gives a new project a readable public key and a secret key', () => {
  const { backend } = aBackendWithKeys([])

  const { apiKey, secretKey, keys } = drawKeys(backend)

  expect(apiKey).toMatch(/^svc_key_/)
  expect(secretKey).toMatch(/^svc_secret_/)
  expect(keys).toEqual([
    { id: drawn, secret: false, ...unscoped, hash: hashSecret(apiKey), readable: apiKey },
    { id: drawn, secret: true, ...unscoped, hash: hashSecret(secretKey), readable: null },
  ])
})
