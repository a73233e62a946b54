import { expect, it } from 'vitest'
import { aBackend } from '../../../test/fixtures/stand-ins.js'
import type { Database } from '../../database/port.js'
import { openMemoryBus } from '../../ports/bus/memory-bus.js'
import { openCaches } from '../caches.js'
import type { Backend } from '../context.js'
import { allowsOrigin } from './projects.js'

/** A database of projects that allow an origin, and counts who asks. */
function backendWith(asked: unknown[], allowed?: string): Backend {
  const db: Pick<Database, 'query'> = {
    async query<Row>(statement: unknown) {
      asked.push(statement)
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
])('contract 10.12 an origin that no project may allow costs no statement', async (origin) => {
  const asked: unknown[] = []

  expect(await allowsOrigin(backendWith(asked), origin)).toBe(false)
  expect(asked).toEqual([])
})

it('contract 10.12 an origin that may be allowed is asked for once', async () => {
  const asked: unknown[] = []
  const origin = `https://${`${'a'.repeat(60)}.`.repeat(4)}example:65535`
  const backend = backendWith(asked, origin)

  expect([await allowsOrigin(backend, origin), await allowsOrigin(backend, origin)]).toEqual([true, true])
  expect(asked).toHaveLength(1)
})

it('contract 10.12 however many origins are asked for, they are read at once', async () => {
  const asked: unknown[] = []
  const backend = backendWith(asked, 'https://app42.example')

  const allowed = await Promise.all(
    Array.from({ length: 100 }, (_, n) => allowsOrigin(backend, `https://App${n}.example`)),
  )

  expect(allowed.map((is, n) => (is ? n : -1)).filter((n) => n >= 0)).toEqual([42])
  expect(asked).toHaveLength(1)
})
