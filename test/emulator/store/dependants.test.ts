/** Deletions of linked records: how many statements they need, and what happens beside them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Schema } from '../../../client/protocol/model/collection.js'
import { defaultConfig } from '../../../emulator/assembly/config.js'
import { openService, type Service } from '../../../emulator/assembly/open-service.js'
import { createCollection } from '../../../emulator/core/collections/collections.js'
import type { Context } from '../../../emulator/core/context.js'
import { createDocument, removeDocument } from '../../../emulator/core/documents/door.js'
import { identifyText } from '../../../emulator/core/logins/credentials.js'
import { unitFor } from '../../../emulator/core/unit-of-work.js'
import { type Database, type Sql, sql } from '../../../emulator/database/port.js'
import { engines } from '../../fixtures/databases/engines.js'
import { type Databases, openDatabases } from '../../fixtures/databases/shared-server.js'

let server: Databases
beforeAll(async () => {
  server = await openDatabases()
})
afterAll(() => server.stop())

const waitingForLocks = sql`
  select 1 as one from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`

describe.each(engines)('on %s', (engine) => {
  let service: Service
  beforeAll(async () => {
    const databaseUrl = engine === 'postgres' ? server.url : undefined
    service = await openService({ ...defaultConfig, memory: true, databaseUrl })
  })
  afterAll(() => service.close())

  async function contextWith(db: Database): Promise<Context> {
    const identity = await identifyText(service.backend, service.secretKey ?? service.apiKey)
    return { ...identity, ...unitFor({ ...service.backend, db }) }
  }

  /** The same database, which calls `onQuery` before each statement, also in transactions. */
  function watched(onQuery: (statement: Sql) => unknown, db: Database = service.backend.db): Database {
    return {
      ...db,
      async query(statement) {
        await onQuery(statement)
        return db.query(statement)
      },
      transaction: (work) => db.transaction((tx) => work(watched(onQuery, tx))),
    }
  }

  it.each(['unset', 'delete', 'refuse'] as const)(
    'contract 13.3 follows 300 rules with "%s" in one query',
    async (onDelete) => {
      const owner = await contextWith(service.backend.db)
      const boards = await createCollection(owner, { name: `boards-${onDelete}` })
      const link = { type: 'link', to: boards.id, onDelete } as const
      const schema: Schema = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`link${at}`, link]))
      const cards = await createCollection(owner, { name: `cards-${onDelete}`, schema })
      const board = await createDocument(owner, boards.name, {})
      const other = await createDocument(owner, boards.name, {})
      const card = await createDocument(owner, cards.name, { link7: board.id, link299: board.id, link0: other.id })
      const lookups: Sql[] = []
      const ctx = await contextWith(
        watched((statement) => /d\.data @> any/.test(statement.text) && lookups.push(statement)),
      )

      const outcome = await removeDocument(ctx, boards.name, board.id, 'any').then(
        () => 'deleted',
        ({ code }) => code,
      )

      const rows = await service.backend.db.query<{ data: string }>(
        sql`select data from documents where id = ${card.id}`,
      )
      expect(outcome).toBe(onDelete === 'refuse' ? 'DOCUMENT_IN_USE' : 'deleted')
      expect(rows.map(({ data }) => Object.keys(JSON.parse(data)).sort())).toEqual(
        { unset: [['link0']], delete: [], refuse: [['link0', 'link299', 'link7']] }[onDelete],
      )
      expect(lookups.length).toBeLessThanOrEqual(onDelete === 'delete' ? 2 : 1)
    },
  )

  it('contract 13.3 refuses a deletion that began before the schema and the link that refuse it', async () => {
    const { db } = service.backend
    const owner = await contextWith(db)
    const boards = await createCollection(owner, { name: 'boards' })
    const board = await createDocument(owner, 'boards', {})
    const schema = { board: { type: 'link', to: boards.id, onDelete: 'refuse' } } as const
    const link = async () => {
      await createCollection(owner, { name: 'cards', schema })
      await createDocument(owner, 'cards', { board: board.id })
    }
    const remove = () =>
      removeDocument(owner, 'boards', board.id, 'any').then(
        () => 'deleted',
        ({ code }) => code,
      )

    const outcome = await (db.capabilities.runsTransactionsTogether ? removeLate() : link().then(remove))

    expect(outcome).toBe('DOCUMENT_IN_USE')

    /** A lock that lets links through makes the deletion wait after it has begun. */
    async function removeLate(): Promise<unknown> {
      const { removal } = await db.transaction(async (tx) => {
        await tx.query(sql`select 1 as one from documents where id = ${board.id} for no key update`)
        const removal = remove()
        await expect.poll(async () => (await db.query(waitingForLocks)).length).toBeGreaterThan(0)
        await link()
        return { removal }
      })
      return removal
    }
  })
})
