import { expect, it } from 'vitest'
import { aBackend } from '../../../test/fixtures/stand-ins.js'
import type { Database } from '../../database/port.js'
import { openMemoryBus } from '../../ports/bus/memory-bus.js'
import { openCaches } from '../caches.js'
import type { Backend } from '../context.js'
import { allowsOrigin } from './projects.js'

/** Opens a database of projects that allow an origin. Records the queries. */
function backendWith(queries: unknown[], allowed?: string): Backend {
  const db: Pick<Database, 'query'> = {
    async query<Row>(statement: unknown) {
      queries.push(statement)
      return [{ origin: allowed }] as Row[]
    },
  }
  return aBackend({ db: db as Database, caches: openCaches(openMemoryBus()) })
}

it.each([
  `https://${'a'.repeat(30_000)}.example`,
  `https://${'a'.repeat(300)}.example`,
  'https://a.example/path',
  'https://a.example?query',
  'https://ada:secret@a.example',
  'https://*.a.example',
  'null',
  '',
])('contract 10.12 does not query for an origin that no project can allow', async (origin) => {
  const queries: unknown[] = []

  expect(await allowsOrigin(backendWith(queries), origin)).toBe(false)
  expect(queries).toEqual([])
})

it('contract 10.12 queries once for an origin that a project may allow', async () => {
  const queries: unknown[] = []
  const origin = `https://${`${'a'.repeat(60)}.`.repeat(4)}example:65535`
  const backend = backendWith(queries, origin)

  expect([await allowsOrigin(backend, origin), await allowsOrigin(backend, origin)]).toEqual([true, true])
  expect(queries).toHaveLength(1)
})

it('contract 10.12 reads any number of origins in one query', async () => {
  const queries: unknown[] = []
  const backend = backendWith(queries, 'https://app42.example')

  const allowed = await Promise.all(
    Array.from({ length: 100 }, (_, n) => allowsOrigin(backend, `https://App${n}.example`)),
  )

  expect(allowed.map((is, n) => (is ? n : -1)).filter((n) => n >= 0)).toEqual([42])
  expect(queries).toHaveLength(1)
})
