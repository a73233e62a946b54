/** The cost of a round of trimming, in index entries read. What it deletes is in `changes.test.ts` and `realtime-kept.test.ts`. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Database, sql } from '../../../emulator/database/port.js'
import { selectKept } from '../../../emulator/store/realtime/changes.js'
import { deleteOldChanges } from '../../../emulator/store/realtime/trimming.js'
import { engines, type OpenedEngine, openEngine } from '../../fixtures/databases/engines.js'

const piece = 50

describe.each(engines)('A round of trimming on %s', (engine) => {
  let opened: OpenedEngine
  beforeAll(async () => {
    opened = await openEngine(engine)
    await opened.db.batch([
      sql`insert into projects (id, name, settings, created_at) values ('a', 'A', '{}', now()), ('b', 'B', '{}', now())`,
      sql`insert into sequences (project_id, last_seq) values ('a', 2000), ('b', 2000)`,
      sql`insert into changes (project_id, seq, kind, collection_id, recorded_at)
        select project_id, n, 'collection', gen_random_uuid(), '2026-01-01T00:00:00Z'
        from sequences, generate_series(1, 2000) as n`,
    ])
  })
  afterAll(() => opened.stop())

  it('reads what is deleted once, although others may still see it', async () => {
    const trimming = { before: '2026-01-02T00:00:00Z', kept: 1_000, most: piece, reached: new Map<string, number>() }

    // Within one transaction, what a piece has deleted is in the index for the pieces after it.
    const { deleted, read, kept, readForKept } = await opened.db.transaction(async (tx) => {
      let deleted = 0
      for (let last = piece; last === piece; deleted += last) last = await deleteOldChanges(tx, trimming)
      const read = await readEntries(tx)
      const kept = await selectKept(tx, 'a')
      return { deleted, read, kept, readForKept: (await readEntries(tx)) - read }
    })

    expect(deleted).toBe(2_000)
    // Each is found, then deleted: twice, and some at the borders of pieces.
    expect(read).toBeLessThan(3 * deleted)
    expect(kept).toEqual({ oldest: 1_001, lastSeq: 2_000, beginning: 0 })
    expect(readForKept).toBeLessThan(10)
    expect([...trimming.reached]).toEqual(
      expect.arrayContaining([
        ['a', 1_000],
        ['b', 1_000],
      ]),
    )
  })

  it('leaves no change of any project before the oldest that is kept', async () => {
    const rows = await opened.db.query(sql`select project_id, min(seq) as oldest from changes group by 1 order by 1`)

    expect(rows).toEqual([
      { project_id: 'a', oldest: 1_001 },
      { project_id: 'b', oldest: 1_001 },
    ])
  })
})

async function readEntries(tx: Database): Promise<number> {
  const [row] = await tx.query<{ entries: number }>(
    sql`select pg_stat_get_xact_tuples_returned('svc.changes_pkey'::regclass) as entries`,
  )
  return row?.entries ?? Number.NaN
}
