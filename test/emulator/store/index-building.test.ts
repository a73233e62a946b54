/** Indexes of large tables, which a PostgreSQL server builds for minutes, and goes on with when the client that asked for one dies. */
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { openIndexKeeper } from '../../../emulator/background/indexes.js'
import { migrate } from '../../../emulator/database/migrate.js'
import { type Database, sql } from '../../../emulator/database/port.js'
import { openPostgres } from '../../../emulator/database/postgres/postgres.js'
import { indexName, makeFieldIndex, selectFieldIndexes } from '../../../emulator/store/lists/indexes.js'
import { type Databases, openDatabases } from '../../fixtures/databases/shared-server.js'
import { patiently } from '../../fixtures/patience.js'

const posts = '01900000-0000-7000-8000-000000000001'
const begun = '2026-01-01T00:00:00.000Z'
const afterAnHour = new Date('2026-01-01T01:00:00Z')
const wanted = { collection: posts, path: ['title'], kind: 'text' } as const

let server: Databases
let db: Database
/** An open snapshot keeps an index from being finished. */
let reader: pg.Client

beforeAll(async () => {
  server = await openDatabases()
  db = await openPostgres({ url: server.url })
  await migrate(db)
  await db.batch([
    sql`insert into projects (id, name, settings, created_at) values ('p', 'P', '{}', now())`,
    sql`insert into collections values (${posts}::uuid, 'p', 'posts', '{}', '{}', now(), now())`,
    sql`insert into document_counts (collection_id, documents) values (${posts}::uuid, 1)`,
    aDocument(),
  ])
})
afterAll(async () => {
  await db.close()
  await server.stop()
})
beforeEach(async () => {
  reader = new pg.Client({ connectionString: server.url })
  await reader.connect()
  await reader.query('begin isolation level repeatable read')
  await reader.query('select from svc.documents')
  return () => reader.end()
})

it('one that is being made is kept, however long that takes, and writers go on', async () => {
  const making = makeFieldIndex(db, wanted, begun)
  await expect.poll(isBeingMade, patiently).toBe(true)

  await reviewed()
  expect(await isSeenByStranger()).toBe(true)
  await db.query(aDocument())

  await reader.query('commit')
  await making
  expect((await selectFieldIndexes(db)).map(({ isReady }) => isReady)).toEqual([true])
})

/** By a role from which statements of others are hidden, as from one whose sessions log in as another now. */
async function isSeenByStranger(): Promise<boolean> {
  await db.query(sql`create role stranger_of_indexes login`)
  await db.query(sql`grant usage on schema svc to stranger_of_indexes`)
  await db.query(sql`grant select on all tables in schema svc to stranger_of_indexes`)
  const strangers = await openPostgres({ url: server.url.replace('svc@', 'stranger_of_indexes@') })
  const hidden = await strangers.query(sql`
    select from pg_stat_activity where query = '<insufficient privilege>' and datname = current_database()`)
  const indexes = await selectFieldIndexes(strangers)
  await strangers.close()
  await db.query(sql`drop owned by stranger_of_indexes`)
  await db.query(sql`drop role stranger_of_indexes`)
  expect(hidden.length).toBeGreaterThan(0)
  return indexes.some(({ isBeingMade }) => isBeingMade)
}

it('one that the server gave up, whose process has died, is dropped', async () => {
  // As by a process that was killed, whose session is ended by the server afterwards.
  const killed = new pg.Client({ connectionString: server.url })
  await killed.connect()
  killed.on('error', () => undefined)
  const name = indexName({ ...wanted, kind: 'creator' })
  await db.query(sql`
    insert into field_indexes (name, collection_id, path, kind, made_at, used_at)
    values (${name}, ${posts}::uuid, '["created_by"]', 'creator', ${begun}, ${begun})
    on conflict do nothing`)
  const making = killed
    .query(`create index concurrently if not exists ${name} on svc.documents (id)`)
    .catch((error) => error.message)
  // Its statement is seen before its entry: ended in between, it leaves nothing to drop.
  await expect.poll(invalidIndexes, patiently).toBe(1)
  expect(await isBeingMade()).toBe(true)
  await db.query(sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and query like 'create index concurrently%'`)
  await making
  await expect.poll(isBeingMade, patiently).toBe(false)
  expect(await invalidIndexes()).toBe(1)

  await Promise.all([reviewed(), reader.query('commit')])

  expect((await selectFieldIndexes(db)).map(({ kind }) => kind)).toEqual(['text'])
  expect(await invalidIndexes()).toBe(0)
})

/** The round that drops unused indexes, an hour later. */
async function reviewed() {
  const keeper = openIndexKeeper(db, { now: () => afterAnHour, report: (error) => expect.fail(String(error)) })
  await keeper.review()
  keeper.close()
}

async function isBeingMade() {
  return (await selectFieldIndexes(db)).some(({ isBeingMade }) => isBeingMade)
}

async function invalidIndexes() {
  return (await db.query(sql`select from pg_index where not indisvalid`)).length
}

function aDocument() {
  return sql`insert into documents (id, collection_id, data, created_at, updated_at)
    values (gen_random_uuid(), ${posts}::uuid, '{"title": "Tea"}', now(), now())`
}
