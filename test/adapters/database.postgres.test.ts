import { afterAll, describe, expect, it } from 'vitest'
import { type Database, type Sql, sql } from '../../emulator/database/port.js'
import { openPostgres } from '../../emulator/database/postgres/postgres.js'
import { openDatabases } from '../fixtures/databases/shared-server.js'
import { databaseCases } from './database.cases.js'

const server = await openDatabases()
afterAll(() => server.stop())

databaseCases('PostgreSQL', async (options) => openPostgres({ url: await server.newDatabase(), ...options }))

describe('a process that goes on while a newer version migrates its database', () => {
  it.each<[string, (db: Database, statement: Sql) => Promise<unknown>]>([
    ['single statements', (db, statement) => db.query(statement)],
    ['batches', async (db, statement) => (await db.batch([statement]))[0]],
    ['transactions', (db, statement) => db.transaction((tx) => tx.query(statement))],
  ])('%s whose results have other types from then on are carried out', async (_, run) => {
    const url = await server.newDatabase()
    const [running, newer] = [await openPostgres({ url, maxConnections: 1 }), await openPostgres({ url })]
    await running.query(sql`create table numbers (n integer)`)
    const insert = () => run(running, sql`insert into numbers values (1) returning n`)
    expect(await insert()).toEqual([{ n: 1 }])

    await newer.query(sql`alter table numbers alter column n type text`)

    expect(await insert()).toEqual([{ n: '1' }])
    expect(await running.query(sql`select count(*)::integer as count from numbers`)).toEqual([{ count: 2 }])
    await Promise.all([running.close(), newer.close()])
  })
})
