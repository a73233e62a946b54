import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { defaultConfig } from '../../../emulator/assembly/config.js'
import { openService } from '../../../emulator/assembly/open-service.js'
import { openLease } from '../../../emulator/background/leader.js'
import { openRounds } from '../../../emulator/background/rounds.js'
import { sql } from '../../../emulator/database/port.js'
import { engines, type OpenedEngine, openEngine } from '../../fixtures/databases/engines.js'
import { openDatabases } from '../../fixtures/databases/shared-server.js'

describe.each(engines)('Two processes on %s', (engine) => {
  let opened: OpenedEngine
  beforeAll(async () => {
    opened = await openEngine(engine)
  })
  afterAll(() => opened.stop())
  beforeEach(() => opened.db.query(sql`delete from leases`))

  /** A process that counts its scheduled rounds. */
  function aProcess() {
    const counts = { began: 0, looked: 0 }
    const lease = openLease(opened.db, 'background')
    const leader = { ...lease, leads: () => lease.leads().finally(() => counts.looked++) }
    const rounds = openRounds({
      leader,
      everyMilliseconds: 1,
      work: async () => void counts.began++,
      report: (error) => expect.fail(String(error)),
    })
    return { counts, rounds, lease }
  }

  it('have one leader, which alone runs the scheduled rounds', async () => {
    const first = aProcess()
    await expect.poll(() => first.counts.began).toBeGreaterThan(0)
    const second = aProcess()

    await expect.poll(() => second.counts.looked).toBeGreaterThan(5)
    const before = first.counts.began
    await expect.poll(() => first.counts.began).toBeGreaterThan(before)

    expect(second.counts.began).toBe(0)
    await Promise.all([first.rounds.close(), second.rounds.close()])
  })

  it('replace a leader that has died, once its lease has expired', async () => {
    const first = aProcess()
    await expect.poll(() => first.counts.began).toBeGreaterThan(0)
    await first.rounds.close()
    const second = aProcess()
    await expect.poll(() => second.counts.looked).toBeGreaterThan(5)
    expect(second.counts.began).toBe(0)

    await opened.db.query(sql`update leases set expires_at = now() - interval '1 second'`)

    await expect.poll(() => second.counts.began).toBeGreaterThan(0)
    await second.rounds.close()
  })

  it('pass the lead on at once when the leader closes, and take it from nobody else', async () => {
    const [first, second] = [aProcess(), aProcess()]
    await Promise.all([first.rounds.close(), second.rounds.close()])
    await opened.db.query(sql`delete from leases`)
    await first.lease.leads()

    await second.lease.close()
    expect(await second.lease.leads()).toBe(false)
    await first.lease.close()

    expect(await second.lease.leads()).toBe(true)
  })
})

it('two services on one PostgreSQL have one lease for their background work', async () => {
  const server = await openDatabases()
  const config = { ...defaultConfig, memory: true, databaseUrl: server.url }
  const first = await openService(config)
  const leases = () => first.backend.db.query<{ name: string; holder: string }>(sql`select name, holder from leases`)
  await expect.poll(leases).toMatchObject([{ name: 'background' }])
  const before = await leases()

  const second = await openService(config)
  await second.close()

  expect(await leases()).toEqual(before)
  await first.close()
  await server.stop()
})
