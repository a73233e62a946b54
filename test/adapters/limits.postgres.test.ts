/** Two processes that share the limits of one database. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { onlyProcess } from '../../emulator/background/leader.js'
import { openMaintenance } from '../../emulator/background/maintenance.js'
import { type Database, sql } from '../../emulator/database/port.js'
import { openPublicBudget } from '../../emulator/http/guards/public-budget.js'
import { openRateLimiter } from '../../emulator/http/guards/rate-limit.js'
import type { Limits } from '../../emulator/ports/limits/port.js'
import { openPostgresLimits } from '../../emulator/ports/limits/postgres-limits.js'
import { type OpenedEngine, openEngine } from '../fixtures/databases/engines.js'
import { patiently } from '../fixtures/patience.js'
import { limitsCases } from './limits.cases.js'

let opened: OpenedEngine
let limits: Limits
beforeAll(async () => {
  opened = await openEngine('postgres')
  limits = openPostgresLimits(opened.db)
})
afterAll(() => opened.stop())

limitsCases('PostgreSQL', () => limits)

const now = new Date('2030-01-01T00:00:30Z')

/** The same database, and how many statements it was asked. */
function counted(db: Database) {
  const statements = { count: 0 }
  const query: Database['query'] = (statement) => {
    statements.count++
    return db.query(statement)
  }
  return { db: { ...db, query }, statements }
}

it('a limit holds for two processes together, to the request, and few requests ask the database', async () => {
  const { db, statements } = counted(opened.db)
  const processes = [1, 2].map(() => openRateLimiter(openPostgresLimits(db)))
  const rules = { rateLimit: { minute: 1_000, hour: 5_000 }, tier: 'pro' } as const
  let served = 0

  const send = async (at: number) => {
    const state = await processes[at % 2]?.count('busy', rules, now)
    if (state?.retryAfterSeconds === undefined) served++
  }
  for (let round = 0; round < 75; round++) await Promise.all(Array.from({ length: 16 }, (_, at) => send(at)))

  expect(served).toBe(1_000)
  expect(statements.count).toBeLessThan(300)
  expect(await processes[0]?.count('busy', rules, now)).toMatchObject({ window: 'minute', remaining: 0 })
})

it('a process that is alone loses nothing to what it reserves ahead', async () => {
  const limiter = openRateLimiter(openPostgresLimits(opened.db))
  const rules = { rateLimit: { minute: 50 }, tier: 'pro' } as const
  const remaining: (number | undefined)[] = []

  for (let request = 0; request < 51; request++) {
    const state = await limiter.count('alone', rules, now)
    remaining.push(state?.retryAfterSeconds === undefined ? state?.remaining : undefined)
  }

  expect(remaining).toEqual([...Array.from({ length: 50 }, (_, at) => 49 - at), undefined])
})

it('failed requests of one address at one process are refused at the other, with one more at most', async () => {
  const open = () => openPublicBudget(() => now, openPostgresLimits(opened.db), { most: 5 })
  const [one, other] = [open(), open()]
  for (let failure = 0; failure < 5; failure++) one.enter('192.0.2.1')()
  expect(() => one.enter('192.0.2.1')).toThrow(expect.objectContaining({ code: 'RATE_LIMITED' }))
  const total = () => opened.db.query(sql`select reserved from rate_windows where name like 'address %'`)
  await expect.poll(total, patiently).toEqual([{ reserved: 5 }])

  other.enter('192.0.2.1')()

  await expect.poll(() => isRefused(() => other.enter('192.0.2.1')), patiently).toBe(true)
  other.enter('192.0.2.2')
})

it('windows that are over are deleted', async () => {
  await limits.reserve({ name: 'over', window: 1, seconds: 60, most: 5, requested: 1 })
  await opened.db.query(sql`update rate_windows set expires_at = now() - interval '1 second' where name = 'over'`)
  const maintenance = openMaintenance(opened.db, { now: () => now, report: console.error, leader: onlyProcess })

  maintenance.soon()
  await maintenance.settled()

  expect(await opened.db.query(sql`select name from rate_windows where name = 'over'`)).toEqual([])
  await maintenance.close()
})

function isRefused(enter: () => unknown): boolean {
  try {
    enter()
    return false
  } catch {
    return true
  }
}
