/** Among a million users, one is found by the address. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ListQuery } from '../../../client/protocol/model/page.js'
import type { Test, Where } from '../../../client/protocol/model/where.js'
import { type Database, sql } from '../../../emulator/database/port.js'
import { selectUsers } from '../../../emulator/store/accounts/users.js'
import { engines, type OpenedEngine, openEngine } from '../../fixtures/databases/engines.js'

const users = 2_000

describe.each(engines)('A list of users by address on %s', (engine) => {
  let opened: OpenedEngine
  beforeAll(async () => {
    opened = await openEngine(engine)
    await opened.db.batch([
      sql`insert into projects (id, name, settings, created_at) values ('p', 'P', '{}', now())`,
      sql`insert into users (id, project_id, email, email_key, data, roles, email_verified, created_at, updated_at)
        select gen_random_uuid(), 'p', 'User.' || n || '@x.example', 'user.' || n || '@x.example', jsonb_build_object('n', n), '[]',
          true, now(), now()
        from generate_series(1, ${users}::int) as n`,
    ])
  })
  afterAll(() => opened.stop())

  it('finds the one who has it', async () => {
    expect(await found(opened.db, [equals('User.7@x.example')])).toEqual(['User.7@x.example'])
  })

  it.each([
    ['in another case', [equals('user.7@x.example')]],
    ['of nobody', [equals('nobody@x.example')]],
    ['that no text can be', [equals('User.7@x.example\0')]],
    ['of another than the second filter wants', [equals('User.7@x.example'), equals('User.8@x.example')]],
  ])('finds nobody by one %s', async (_, tests) => {
    expect(await found(opened.db, tests)).toEqual([])
  })

  it('reads the row of that user, and no others', async () => {
    await opened.db.query(sql`analyze users`)

    const read = await opened.db.transaction(async (tx) => {
      await found(tx, [equals('User.1999@x.example')])
      const [row] = await tx.query<{ rows: number }>(
        sql`select seq_tup_read + idx_tup_fetch as rows from pg_stat_xact_user_tables where relid = 'svc.users'::regclass`,
      )
      return row?.rows
    })

    expect(read).toBeGreaterThan(0)
    expect(read).toBeLessThan(20)
  })

  it('finds both of two addresses that one filter names', async () => {
    const either = { all: [{ any: [equals('User.7@x.example'), equals('User.8@x.example')] }] }

    expect((await foundBy(opened.db, either)).sort()).toEqual(['User.7@x.example', 'User.8@x.example'])
  })
})

function equals(value: string): Test {
  return { path: ['email'], operator: 'eq', value }
}

function found(db: Database, tests: readonly Test[]): Promise<string[]> {
  return foundBy(db, { all: tests.map((test) => ({ any: [test] })) })
}

async function foundBy(db: Database, where: Where): Promise<string[]> {
  const query: ListQuery = { where, sort: [], limit: 20, offset: 0, count: true, populate: [], select: [] }
  const { items, total } = await selectUsers(db, { project: 'p', mayReadAll: true, roles: [] }, query)
  expect(total).toBe(items.length)
  return items.map(({ email }) => email)
}
