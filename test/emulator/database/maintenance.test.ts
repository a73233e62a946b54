/** What the service deletes automatically. Contract 9.5. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defaultSettings } from '../../../client/protocol/model/project.js'
import { onlyProcess } from '../../../emulator/background/leader.js'
import { openMaintenance } from '../../../emulator/background/maintenance.js'
import { sql } from '../../../emulator/database/port.js'
import { insertAnswer } from '../../../emulator/store/idempotency.js'
import { insertProject } from '../../../emulator/store/projects.js'
import { insertTicket } from '../../../emulator/store/realtime/tickets.js'
import { engines, type OpenedEngine, openEngine } from '../../fixtures/databases/engines.js'

const at = '2026-01-01T00:00:00.000Z'

describe.each(engines)('Maintenance on %s', (engine) => {
  let opened: OpenedEngine
  beforeAll(async () => {
    opened = await openEngine(engine)
    await insertProject(opened.db, { id: 'test', name: 'test', settings: defaultSettings }, [], at)
  })
  afterAll(() => opened.stop())

  it('contract 9.5 deletes tickets that have expired, and no others', async () => {
    const ticket = { project: 'test', key: null, session: null, user: null }
    await insertTicket(opened.db, { ...ticket, hash: 'expired', expiresAt: at })
    await insertTicket(opened.db, { ...ticket, hash: 'good', expiresAt: '2026-01-01T00:02:00.000Z' })
    const faults: unknown[] = []
    const now = () => new Date('2026-01-01T00:01:00.000Z')
    const maintenance = openMaintenance(opened.db, { now, report: (error) => faults.push(error), leader: onlyProcess })

    maintenance.soon()

    await maintenance.settled()
    await maintenance.close()
    expect(await opened.db.query(sql`select ticket_hash from realtime_tickets`)).toEqual([{ ticket_hash: 'good' }])
    expect(faults).toEqual([])
  })

  it('contract 3.9 deletes answers of longer than a day ago, and of while a clock was ahead', async () => {
    const kept = { from: at, to: at }
    const answer = { bodyHash: '', status: 201, headers: '{}', answer: '' }
    const times = {
      old: '2025-12-30T00:00:00.000Z',
      good: at,
      near: '2026-01-01T01:00:00.000Z',
      ahead: '2027-01-01T00:00:00.000Z',
    }
    for (const [scope, given] of Object.entries(times))
      await insertAnswer(opened.db, { project: 'test', scope, kept, at: given }, answer)
    const maintenance = openMaintenance(opened.db, {
      now: () => new Date(at),
      report: () => undefined,
      leader: onlyProcess,
    })

    maintenance.soon()

    await maintenance.settled()
    await maintenance.close()
    const left = await opened.db.query(sql`select scope from idempotency order by scope`)
    expect(left).toEqual([{ scope: 'good' }, { scope: 'near' }])
  })
})
