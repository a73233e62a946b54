/** Filters documents by creator, in SQL. */
import { type Database, sql, writing } from '../database/port.js'
import { columns, type DocumentRow, fromRow, type WriteTarget, type Written, writtenColumns } from './documents.js'
import { sequencerFor } from './sequencer/sequencer.js'

/** Stands for "no creator" in changes, where null means that the creator has not changed. */
export const noCreator = '00000000-0000-0000-0000-000000000000'

/** Changes or removes the creator of a locked document, and records that as a change. */
export async function updateCreator(
  tx: Database,
  target: WriteTarget,
  id: string,
  creator: string | null,
): Promise<Written> {
  const { recording, seq } = sequencerFor(tx).recordChanges(target, {
    ...{ kind: 'updated', affected: sql`written`, count: 1, condition: sql`exists (select from written)` },
    formerCreator: sql`affected.former_creator`,
  })
  const rows = await tx.query<DocumentRow & Pick<Written, 'seq'>>(
    writing(sql`
    with written as (
      update documents d set created_by = ${creator}::uuid, version = d.version + 1, updated_at = ${target.at}::timestamptz
      from documents old
      where d.id = ${id} and d.collection_id = ${target.collection.id} and old.id = d.id
      returning ${columns}, old.data as before, old.updated_at as before_updated_at,
        coalesce(old.created_by, ${noCreator}::uuid) as former_creator
    ), ${recording}
    select ${writtenColumns}, ${seq} as seq from written`),
  )
  return { documents: rows.map((row) => fromRow(row, target.collection)), seq: rows[0]?.seq ?? null }
}
