/**
 * Leaves changes in `pending_changes`, and numbers the committed ones before they are read. So an open transaction blocks
 * no other, and its changes get later numbers.
 */
import { type Database, sql, writing } from '../../database/port.js'
import { followsRules } from '../unique-values.js'
import type { Recording, Sequencer, WriteTarget } from './port.js'

/** The batch that is numbered while the project's row is locked. */
const batchSize = 2_000
/**
 * The wait for another process that numbers. While a state is replaced, the project's row is locked and nothing else
 * writes.
 */
const patienceMilliseconds = 2_000

export const afterCommit: Sequencer = {
  sharesCopies: false,

  // The count's row is only locked against a removal, and counted when the changes are numbered.
  recordInsertion: ({ project, collection, at }, { condition }) => ({
    counted: sql`counted as materialized (
      select collection_id from document_counts
      where collection_id = ${collection.id} and not is_removed and ${followsRules(collection)} ${condition}
      for key share
    )`,
    recording: writing(sql`recorded as (
      insert into pending_changes (project_id, kind, collection_id, document_id, version, data, created_by, recorded_at)
      select ${project}, 'created', counted.collection_id, fresh.id, 1, fresh.data, fresh.created_by, ${at}::timestamptz
      from counted, fresh
      order by fresh.ordinality
    )`),
    seq: sql`'later'`,
  }),

  recordChanges,

  recordDeletion: (target, count) => recordChanges(target, { kind: 'deleted', affected: sql`deleted`, count }),

  async recordCollection(tx, { project, collection, at, kind }) {
    await tx.query(
      writing(sql`
      insert into pending_changes (project_id, kind, collection_id, recorded_at)
      values (${project}, ${kind}, ${collection}::uuid, ${at}::timestamptz)`),
    )
    return null
  },

  number,

  async numberFirst(tx, project) {
    for (;;) {
      const numbered = await numberSome(tx, project)
      if (numbered !== null && numbered < batchSize) return
    }
  },

  async numberAll(db) {
    const rows = await db.query<{ project_id: string }>(sql`
    select project_id from sequences s
    where exists (select from pending_changes) and exists (select from pending_changes p where p.project_id = s.project_id)`)
    for (const { project_id: project } of rows) await number(db, project)
  },
}

function recordChanges(
  { project, collection, at }: WriteTarget,
  { kind, affected, formerCreator = sql`null::uuid` }: Parameters<Sequencer['recordChanges']>[1],
): Recording {
  const recording = writing(sql`recorded as (
      insert into pending_changes (project_id, kind, collection_id, document_id, version, data, before, before_updated_at,
        created_by, before_created_by, recorded_at)
      select ${project}, ${kind}, ${collection.id}::uuid, affected.id, affected.version, affected.data, affected.before,
        affected.before_updated_at, affected.created_by, ${formerCreator}, ${at}::timestamptz
      from ${affected} as affected
      order by affected.id
      returning 1 as one
    )`)
  return { recording, seq: sql`(select 'later' from recorded limit 1)` }
}

async function number(db: Database, project: string): Promise<void> {
  while ((await hasPending(db, project)) && (await numberSome(db, project)) === batchSize);
}

async function hasPending(db: Database, project: string): Promise<boolean> {
  const [row] = await db.query<{ has_pending: boolean }>(
    sql`select exists (select from pending_changes where project_id = ${project}) as has_pending`,
  )
  return row?.has_pending === true
}

/** Returns how many; null if another transaction is still numbering the project. */
async function numberSome(db: Database, project: string): Promise<number | null> {
  const [row] = await db.query<{ numbered: number | null }>(
    sql`select number_changes(${project}, ${batchSize}::int, ${patienceMilliseconds}::int) as numbered`,
  )
  return row?.numbered ?? null
}
