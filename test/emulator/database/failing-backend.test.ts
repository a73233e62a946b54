import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Backend } from '../../../emulator/core/context.js'
import { type FailingPart, failingBackend } from '../../../emulator/core/faults/failing-backend.js'
import { type Database, sql, writing } from '../../../emulator/database/port.js'
import { type OpenedEngine, openEngine } from '../../fixtures/databases/engines.js'

let opened: OpenedEngine

beforeAll(async () => {
  opened = await openEngine('pglite')
  await opened.db.query(sql`create table notes (n integer)`)
})
afterAll(() => opened.stop())

// It reads nothing else of a backend.
const failing = (part: FailingPart) => failingBackend({ db: opened.db } as Backend, part, () => true).db
const insertion = writing(sql`insert into notes (n) values (1)`)
const selection = sql`select n from notes`

/** Every method of the database. */
const ways: readonly (readonly [
  way: string,
  run: (db: Database, statement: typeof selection) => Promise<unknown[]>,
])[] = [
  ['a query', (db, statement) => db.query(statement)],
  ['a batch', async (db, statement) => (await db.batch([sql`select 1`, statement]))[1] ?? []],
  ['a query of a transaction', (db, statement) => db.transaction((tx) => tx.query(statement))],
  ['a batch of a transaction', (db, statement) => db.transaction(async (tx) => (await tx.batch([statement]))[0] ?? [])],
]

describe.each(ways)('%s', (_, run) => {
  it('fails where the database is down, whatever it does', async () => {
    const db = failing('database')

    await expect(run(db, selection)).rejects.toMatchObject({ message: expect.stringContaining('A simulated fault') })
    await expect(run(db, insertion)).rejects.toMatchObject({ message: expect.stringContaining('A simulated fault') })
    expect(await run(opened.db, selection)).toEqual([])
  })

  it('fails on a full disk if it takes space, and is carried out otherwise', async () => {
    const db = failing('disk-full')

    await expect(run(db, insertion)).rejects.toMatchObject({ message: 'A simulated fault: the disk is full.' })
    expect(await run(db, selection)).toEqual([])
  })
})
