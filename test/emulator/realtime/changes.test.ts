/** Every write records its change, with a number of its project, in commit order and without a gap. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient } from '../../../client/index.js'
import { type Config, startEmulator } from '../../../emulator/assembly/dev.js'
import { openPglite } from '../../../emulator/database/pglite/pglite.js'
import { type Database, sql } from '../../../emulator/database/port.js'
import { openPostgres } from '../../../emulator/database/postgres/postgres.js'
import { deleteOldChanges } from '../../../emulator/store/realtime/trimming.js'
import { sequencerFor } from '../../../emulator/store/sequencer/sequencer.js'
import { type Databases, openDatabases } from '../../fixtures/databases/shared-server.js'

const folder = await mkdtemp(join(tmpdir(), 'svc-changes-'))
let server: Databases

beforeAll(async () => {
  server = await openDatabases()
})
afterAll(async () => {
  await server.stop()
  await rm(folder, { recursive: true, force: true })
})

/** The data folder of an emulator, and how to query it once it is closed. */
interface Engine {
  readonly config: Partial<Config>
  open(): Promise<Database>
}

const engines: Readonly<Record<string, () => Promise<Engine>>> = {
  PGlite: async () => ({
    config: { dir: join(folder, 'state') },
    open: () => openPglite({ dataDir: join(folder, 'state', 'data') }),
  }),
  PostgreSQL: async () => {
    const url = await server.newDatabase()
    return { config: { databaseUrl: url }, open: () => openPostgres({ url }) }
  },
}

interface ChangeRow {
  seq: number
  kind: string
  document_id: string
  version: number
  data: string
  before: string | null
}

describe.each(Object.keys(engines))('changes on %s', (name) => {
  let db: Database
  let rows: ChangeRow[]
  let ids: { edited: string; deleted: string; batch: string[] }

  beforeAll(async () => {
    const engine = await (engines[name] as () => Promise<Engine>)()
    const emulator = await startEmulator(engine.config)
    const posts = createClient(emulator).collection('posts')
    await createClient(emulator).collections.create({ name: 'posts' })
    const edited = await posts.create({ n: 1 })
    await posts.update(edited.id, { n: 2 })
    await posts.create({ '': 'a field without a name' }).catch(() => undefined)
    const deleted = await posts.create({ n: 3 })
    await posts.delete(deleted.id)
    const batch = await posts.createMany([{ n: 4 }, { n: 5 }])
    await posts.updateMany(Object.fromEntries(batch.map(({ id }) => [id, { many: true }])))
    await posts.deleteMany([batch[0]?.id ?? '', 'nowhere']).catch(() => undefined)
    await Promise.all(Array.from({ length: 40 }, (_, n) => posts.create({ n })))
    ids = { edited: edited.id, deleted: deleted.id, batch: batch.map(({ id }) => id) }
    await emulator.close()
    db = await engine.open()
    await sequencerFor(db).numberAll(db)
    rows = await db.query<ChangeRow>(
      sql`select seq, kind, document_id, version, data, before from changes order by seq`,
    )
  })

  afterAll(() => db.close())

  it('have numbers without a gap, and only writes that happened', () => {
    expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_, at) => at + 1))
  })

  it('say what happened to which document, with its data and those before', () => {
    const of = (id: string) =>
      rows
        .filter(({ document_id: document }) => document === id)
        .map(({ kind, version, data, before }) => [kind, version, JSON.parse(data), before && JSON.parse(before)])

    expect(of(ids.edited)).toEqual([
      ['created', 1, { n: 1 }, null],
      ['updated', 2, { n: 2 }, { n: 1 }],
    ])
    expect(of(ids.deleted)).toEqual([
      ['created', 1, { n: 3 }, null],
      ['deleted', 1, { n: 3 }, null],
    ])
  })

  it('of a batch come in its order, one for each document', () => {
    const [first = '', second = ''] = ids.batch
    const batch = rows.filter(({ document_id: document }) => ids.batch.includes(document))

    expect(batch.map(({ kind, document_id: document }) => [kind, document])).toEqual([
      ['created', first],
      ['created', second],
      ['updated', first],
      ['updated', second],
    ])
  })

  it('are forgotten once they are both old and many', async () => {
    const later = new Date(Date.now() + 60_000).toISOString()
    const earlier = new Date(Date.now() - 3_600_000).toISOString()

    expect(await deleteOldChanges(db, { before: earlier, kept: 10, most: 1_000 })).toBe(0)
    expect(await deleteOldChanges(db, { before: later, kept: 1_000, most: 1_000 })).toBe(0)
    expect(await deleteOldChanges(db, { before: later, kept: 10, most: 1_000 })).toBe(rows.length - 10)
    const [left] = await db.query<{ first: number }>(sql`select min(seq) as first from changes`)
    expect(left?.first).toBe(rows.length - 9)
  })

  it('of the future, which were made before a clock was set back, hold up none that are old and many', async () => {
    const later = new Date(Date.now() + 60_000).toISOString()
    const ahead = rows.length - 8
    await db.query(sql`update changes set recorded_at = recorded_at + interval '365 days' where seq = ${ahead}::bigint`)

    expect(await deleteOldChanges(db, { before: later, kept: 6, most: 1_000 })).toBe(1)
    const wholly = { before: later, kept: 6, most: 1_000 }
    const [{ id = '' } = {}] = await db.query<{ id: string }>(sql`select project_id as id from changes limit 1`)
    const future = '2100-01-01T00:00:00Z'
    // The clock of the project itself counts, and not that of another.
    expect(await deleteOldChanges(db, { ...wholly, times: { service: later, own: new Map([[id, future]]) } })).toBe(0)
    const times = { service: later, own: new Map([['other', future]]) }
    expect(await deleteOldChanges(db, { ...wholly, times })).toBe(3)
  })
})
