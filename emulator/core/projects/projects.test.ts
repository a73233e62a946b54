import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { aBackend } from '../../../test/fixtures/stand-ins.js'
import type { Database, Sql } from '../../database/port.js'
import { openMemoryBus } from '../../ports/bus/memory-bus.js'
import { openCaches } from '../caches.js'
import type { Backend, Keyring } from '../context.js'
import { unscoped } from '../identity.js'
import { createSemaphore } from '../semaphore.js'
import { createKey, revokeKey } from './keys.js'
import { allowsOrigin } from './projects.js'

/** A database that allows every origin, and counts who asks. */
function backendWith(asked: unknown[]): Backend {
  const db: Pick<Database, 'query'> = {
    async query<Row>(statement: unknown) {
      asked.push(statement)
      return [{ is_allowed: true }] as Row[]
    },
  }
  return aBackend({ db: db as Database, caches: openCaches(openMemoryBus()) })
}

it.each([
  `https://${'a'.repeat(30_000)}.example`,
  `https://${'a'.repeat(300)}.example`,
  'https://a.example/path',
  'https://a.example?query',
  'chrome-extension://abc',
  'null',
  '',
])('contract 10.12 an origin that no project may allow costs no statement', async (origin) => {
  const asked: unknown[] = []

  expect(await allowsOrigin(backendWith(asked), origin)).toBe(false)
  expect(asked).toEqual([])
})

it('contract 10.12 an origin that may be allowed is asked for once', async () => {
  const asked: unknown[] = []
  const backend = backendWith(asked)
  const origin = `https://${`${'a'.repeat(60)}.`.repeat(4)}example:65535`

  expect([await allowsOrigin(backend, origin), await allowsOrigin(backend, origin)]).toEqual([true, true])
  expect(asked).toHaveLength(1)
})

/** Keys in a database and in a folder, where the first answer about all keys of the project comes late. */
function aBackendWithKeys(ids: readonly string[]) {
  const stored = new Set(ids)
  let kept: readonly string[] = ids
  let isFirst = true
  const keyring: Keyring = {
    hasData: true,
    keysOf: async () => kept.map(keyOf),
    keepFirst: async (_, keys) => keys,
    keep: async (_, keys) => {
      kept = keys.map(({ id }) => id)
    },
    changing: createSemaphore(1).run,
  }
  async function query<Row>({ text, values }: Sql): Promise<Row[]> {
    if (text.includes('insert into project_keys')) stored.add(String(values[2]))
    if (text.includes('delete from project_keys')) return (stored.delete(String(values[0])) ? [{}] : []) as Row[]
    if (!text.includes('from project_keys')) return [{ id: 'p', name: 'p', settings: '{}' }] as Row[]
    const keys = [...stored].map(rowOf)
    if (isFirst) {
      isFirst = false
      await pause(20)
    }
    return keys as Row[]
  }
  const db = { query, transaction: (work) => work(db) } as Partial<Database> as Database
  const now = () => new Date('2026-01-01T00:00:00Z')
  const newId = () => '01900000-0000-7000-8000-000000000009'
  const backend = aBackend({ db, keyring, bus: openMemoryBus(), now, newId })
  return { backend, stored, kept: () => kept }
}

const keyOf = (id: string) => ({ id, hash: id, secret: false, readable: null, ...unscoped })

/** As the table has it. */
const rowOf = (id: string) => ({ ...keyOf(id), key_id: id, key_name: null, key_expires_at: null })

it('a key that is removed while another is created is in the folder no more, so that no start brings it back', async () => {
  const removed = '01900000-0000-7000-8000-000000000001'
  const other = '01900000-0000-7000-8000-000000000002'
  const { backend, stored, kept } = aBackendWithKeys([removed, other])

  const creating = createKey(backend, 'p')
  await expect.poll(() => stored.size).toBe(3)
  await revokeKey(backend, 'p', removed)
  const { id } = await creating

  expect([[...stored], kept()]).toEqual([
    [other, id],
    [other, id],
  ])
})
