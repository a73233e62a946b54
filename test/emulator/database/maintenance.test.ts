/** Tests automatic deletion: on each side of every limit, one row that goes and one that stays. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { onlyProcess } from '../../../emulator/background/leader.js'
import { openMaintenance } from '../../../emulator/background/maintenance.js'
import { type Database, type Sql, sql } from '../../../emulator/database/port.js'
import { engines, type OpenedEngine, openEngine } from '../../fixtures/databases/engines.js'

const now = new Date('2026-01-01T12:00:00.000Z')
const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const ago = (milliseconds: number) => new Date(now.getTime() - milliseconds).toISOString()

const [id, key] = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002']
/** Rows that have expired, and rows that have not. */
const ends = sql`(values ('gone', ${ago(0)}::timestamptz), ('kept', ${ago(-minute)}::timestamptz)) as e (name, at)`
const uuid = sql`gen_random_uuid()`

/** Rows of two projects, of which one has as many as are kept, and the other what is as old as is kept. */
const rows = [
  sql`insert into projects (id, name, settings, created_at) values ('many', 'many', '{}', now()), ('old', 'old', '{}', now())`,
  sql`insert into users (id, project_id, email, email_key, data, roles, email_verified, created_at, updated_at)
    values (${id}, 'old', 'ada', 'ada', '{}', '[]', false, now(), now())`,
  sql`insert into sessions (id, project_id, user_id, signed_in_at, expires_at)
    select (case name when 'gone' then ${id} else ${key} end)::uuid, 'old', ${id}, now(), at from ${ends}`,
  sql`insert into one_time_tokens (user_id, purpose, email, token_hash, created_at, expires_at)
    select ${id}, name, 'ada', name, now(), at from ${ends}`,
  sql`insert into realtime_tickets (ticket_hash, project_id, expires_at) select name, 'old', at from ${ends}`,
  sql`insert into idp_logins (state_hash, project_id, provider, verifier, nonce, redirect_url, expires_at)
    select name, 'old', '', '', '', '', at from ${ends}`,
  sql`insert into recent_attempts (project_id, subject, times, expires_at) select 'old', name, '{}', at from ${ends}`,
  // By the clock of the database.
  sql`insert into rate_windows (name, number, most, granted, reserved, expires_at)
    values ('gone', 1, 1, 1, 1, now() - interval '1 minute'), ('kept', 1, 1, 1, 1, now() + interval '1 day')`,
  // Times more than a day ahead were set while a clock was ahead.
  sql`insert into idempotency (project_id, scope, body_hash, status, headers, answer, created_at)
    select 'old', scope, '', 200, '{}', '', at::timestamptz
    from (values ('gone', ${ago(day + minute)}), ('kept', ${ago(day - minute)}),
      ('near', ${ago(minute - day)}), ('ahead', ${ago(-minute - day)})) as a (scope, at)`,
  sql`insert into document_counts (collection_id, documents, is_removed) values (${id}, 1, true), (${key}, 1, false)`,
  sql`insert into documents (id, collection_id, data, version, created_at, updated_at)
    select ${uuid}, collection_id, '{}', 1, now(), now() from document_counts`,
  sql`insert into sequences (project_id, last_seq) values ('many', 200000), ('old', 200000)`,
  sql`insert into changes (project_id, seq, kind, collection_id, recorded_at)
    select project_id, seq, 'collection', ${uuid}, at::timestamptz
    from (values ('many', 100000, ${ago(hour + minute)}), ('many', 100001, ${ago(hour + minute)}),
      ('old', 1, ${ago(hour + minute)}), ('old', 2, ${ago(hour - minute)})) as c (project_id, seq, at)`,
  sql`insert into audit_entries (project_id, operation, actor, subject, recorded_at)
    values ('old', 'gone', '{}', '{}', ${ago(90 * day + minute)}), ('old', 'kept', '{}', '{}', ${ago(90 * day - minute)})`,
]

const left = [
  ['sessions', sql`select id::text as what from sessions`, [key]],
  ['mail tokens', sql`select purpose as what from one_time_tokens`, ['kept']],
  ['tickets', sql`select ticket_hash as what from realtime_tickets`, ['kept']],
  ['logins under way', sql`select state_hash as what from idp_logins`, ['kept']],
  ['attempts', sql`select subject as what from recent_attempts`, ['kept']],
  ['windows of rate limits', sql`select name as what from rate_windows`, ['kept']],
  ['idempotent answers, a day', sql`select scope as what from idempotency order by 1`, ['kept', 'near']],
  ['documents of removed collections', sql`select collection_id::text as what from documents`, [key]],
  ['what removed collections had', sql`select collection_id::text as what from document_counts`, [key]],
  ['changes, the newest 100,000', sql`select seq::text as what from changes where project_id = 'many'`, ['100001']],
  ['changes, an hour', sql`select seq::text as what from changes where project_id = 'old'`, ['2']],
  ['the audit log, 90 days', sql`select operation as what from audit_entries where project_id = 'old'`, ['kept']],
] as const

const many = sql`generate_series(1, 4001) as n`
/** Two pieces and one row, all of it over. */
const backlogs: readonly (readonly [table: string, insert: Sql])[] = [
  [
    'sessions',
    sql`insert into sessions (id, project_id, user_id, signed_in_at, expires_at)
      select ${uuid}, 'old', ${id}::uuid, now(), ${ago(minute)}::timestamptz from ${many}`,
  ],
  [
    'one_time_tokens',
    sql`insert into one_time_tokens (user_id, purpose, email, token_hash, created_at, expires_at)
      select ${id}::uuid, n::text, 'ada', n::text, now(), ${ago(minute)}::timestamptz from ${many}`,
  ],
  [
    'realtime_tickets',
    sql`insert into realtime_tickets (ticket_hash, project_id, expires_at) select n::text, 'old', ${ago(minute)}::timestamptz from ${many}`,
  ],
  [
    'idp_logins',
    sql`insert into idp_logins (state_hash, project_id, provider, verifier, nonce, redirect_url, expires_at)
      select n::text, 'old', '', '', '', '', ${ago(minute)}::timestamptz from ${many}`,
  ],
  [
    'recent_attempts',
    sql`insert into recent_attempts (project_id, subject, times, expires_at) select 'old', n::text, '{}', ${ago(minute)}::timestamptz from ${many}`,
  ],
  [
    'rate_windows',
    sql`insert into rate_windows (name, number, most, granted, reserved, expires_at)
      select 'many', n, 1, 1, 1, now() - interval '1 minute' from ${many}`,
  ],
  [
    'idempotency',
    sql`insert into idempotency (project_id, scope, body_hash, status, headers, answer, created_at)
      select 'old', n::text, '', 200, '{}', '', ${ago(day + minute)}::timestamptz from ${many}`,
  ],
]

/** Answers what went wrong. */
async function oneRound(db: Database, readClock = () => now): Promise<unknown[]> {
  const faults: unknown[] = []
  const report = (error: unknown) => faults.push(error)
  const maintenance = openMaintenance(db, { now: readClock, report, leader: onlyProcess })
  maintenance.soon()
  await maintenance.settled()
  await maintenance.close()
  return faults
}

describe.each(engines)('Maintenance on %s', (engine) => {
  let opened: OpenedEngine
  let faults: unknown[]
  beforeAll(async () => {
    opened = await openEngine(engine)
    for (const row of rows) await opened.db.query(row)
    faults = await oneRound(opened.db)
  })
  afterAll(() => opened.stop())

  it.each(left)('deletes what is over, and nothing else: %s', async (_, query, kept) => {
    const found = await opened.db.query<{ what: string }>(query)

    expect(faults).toEqual([])
    expect(found.map(({ what }) => what)).toEqual(kept)
  })

  it('what one table refuses keeps nothing of the others, and is reported', async () => {
    const refused = ['changes', 'idempotency', 'realtime_tickets']
    const query: Database['query'] = async (statement) => {
      const refusing = refused.find((table) => new RegExp(`delete from "?${table}"?\\s`).test(statement.text))
      if (refusing !== undefined) throw new Error(`No ${refusing} today.`)
      return opened.db.query(statement)
    }
    await opened.db.query(sql`insert into recent_attempts (project_id, subject, times, expires_at)
      values ('old', 'gone', '{}', ${ago(minute)})`)

    const faults = await oneRound({ ...opened.db, query })

    expect(await opened.db.query(sql`select subject as what from recent_attempts`)).toEqual([{ what: 'kept' }])
    expect(new Set(faults.map(String))).toEqual(new Set(refused.map((table) => `Error: No ${table} today.`)))
  })

  it.each(backlogs)('a backlog of %s is deleted in pieces, by one round', async (table, insert) => {
    await opened.db.query(insert)
    const pieces: number[] = []
    const query: Database['query'] = async (statement) => {
      const rows = await opened.db.query<never>(statement)
      if (statement.text.includes(`delete from "${table}"`) && rows.length > 0) pieces.push(rows.length)
      return rows
    }

    const faults = await oneRound({ ...opened.db, query })

    expect(faults).toEqual([])
    expect(pieces).toEqual([2_000, 2_000, 1])
  })

  it('kept answers are found by their time, without reading those that stay', async () => {
    await opened.db.query(sql`insert into idempotency (project_id, scope, body_hash, status, headers, answer, created_at)
      select 'old', 'many ' || n, '', 200, '{}', '', ${ago(minute)}::timestamptz from generate_series(1, 5000) as n`)
    const asked: Sql[] = []
    const query: Database['query'] = (statement) => {
      if (statement.text.includes('delete from "idempotency"')) asked.push(statement)
      return opened.db.query(statement)
    }

    await oneRound({ ...opened.db, query })

    expect(asked).toHaveLength(2)
    for (const { text, values } of asked) {
      const plan = await opened.db.query({ text: `explain ${text}`, values })
      expect(JSON.stringify(plan)).toContain('using idempotency_by_time')
    }
  })

  it('contract 3.9 keeps an answer that was given after the clock was set back during the round', async () => {
    let time = new Date(now.getTime() + 365 * day)
    const query: Database['query'] = (statement) => {
      time = now
      return opened.db.query(statement)
    }
    await opened.db.query(sql`insert into idempotency (project_id, scope, body_hash, status, headers, answer, created_at)
      values ('old', 'set back', '', 200, '{}', '', ${ago(minute)})`)

    await oneRound({ ...opened.db, query }, () => time)

    expect(await opened.db.query(sql`select scope from idempotency where scope = 'set back'`)).toHaveLength(1)
  })

  // So many rows would take a busy machine a minute.
  it.each([
    ['audit_entries', 100_000],
    ['mails', 10_000],
  ])('keeps of %s the newest %i', async (table, kept) => {
    const given: unknown[] = []
    const query: Database['query'] = (statement) => {
      if (statement.text.includes(`delete from ${table}`)) given.push(...statement.values)
      return opened.db.query(statement)
    }

    await oneRound({ ...opened.db, query })

    expect(given).toContain(kept)
  })
})
