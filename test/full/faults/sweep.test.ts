/** The N-th call to the database or the file store fails, for every N. `svc dev` and PostgreSQL. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Service } from '../../../emulator/assembly/open-service.js'
import { engines } from '../../fixtures/databases/engines.js'
import { type Databases, openDatabases } from '../../fixtures/databases/shared-server.js'
import { patiently } from '../../fixtures/patience.js'
import { record } from '../../reliability/ledger.js'
import { isLong } from '../../reliability/scale.js'
import { failing, sound } from './failing-storage.js'
import { fileDifferences } from './invariants.js'
import { scenarios } from './scenarios.js'
import { kinds, sweep } from './sweep.js'
import { openIn, type Place } from './world.js'

vi.mock('../../../emulator/assembly/storage.js', async (original) => {
  const real = await original<typeof import('../../../emulator/assembly/storage.js')>()
  return {
    ...real,
    openStorage: async (...args: Parameters<typeof real.openStorage>) => failing(await real.openStorage(...args)),
  }
})

// The rules are the same on both engines; the long form sweeps PostgreSQL too.
describe.each(isLong ? engines : (['pglite'] as const))('on %s', (engine) => {
  let place: Place
  let server: Databases | undefined
  let service: Service

  beforeAll(async () => {
    quietly()
    server = engine === 'postgres' ? await openDatabases() : undefined
    place = { dir: await mkdtemp(join(tmpdir(), 'svc-sweep-')), databaseUrl: server?.url }
    service = await openIn(place)
  })
  afterAll(async () => {
    await service.close()
    await server?.stop()
    await rm(place.dir, { recursive: true, force: true })
  })

  it.each(scenarios.filter(({ isSlow = false }) => isLong || !isSlow).map((one) => [one.name, one] as const))(
    '%s is whole or was never begun',
    async (name, scenario) => {
      const faults = { database: 0, files: 0 }
      const violations: string[] = []
      for (const kind of kinds) {
        const swept = await sweep(service, scenario, kind)
        faults[kind.part] += swept.runs
        violations.push(...swept.violations)
      }

      record({
        part: 'fault sweep',
        what: name,
        engine,
        count: faults.database + faults.files,
        unit: 'faults',
        found: { violations: violations.length },
      })
      expect(violations).toEqual([])
      expect(faults.database).toBeGreaterThan(0)
      if (scenario.storesFiles) expect(faults.files).toBeGreaterThan(0)
    },
    // Hundreds of sign-ups and logins, each of which hashes: minutes on a busy machine.
    900_000,
  )

  it('leaves no bytes without a row and no row without bytes, after the next start', async () => {
    await service.close()
    service = await openIn(place)

    await vi.waitFor(async () => expect(await fileDifferences(sound())).toEqual({ strays: [], missing: [] }), patiently)
  })
})

/** The injected failure is logged each time. */
function quietly(): void {
  const write = process.stderr.write.bind(process.stderr)
  vi.spyOn(process.stderr, 'write').mockImplementation(
    (text, ...rest) => String(text).includes('was made to fail') || write(text as string, ...(rest as [])),
  )
}
