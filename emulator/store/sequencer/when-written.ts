/** Numbers each change in the statement that records it. Its row of `sequences` stays locked until the commit. */
import { type Database, type Fragment, sql, writing } from '../../database/port.js'
import { sharedCopy } from '../realtime/copies.js'
import { followsRules } from '../unique-values.js'
import type { Recording, Sequencer, WriteTarget } from './port.js'

export const whenWritten: Sequencer = {
  sharesCopies: true,

  recordInsertion({ project, collection, at }, { count, condition, groups }) {
    const copy = groups
      ? sharedCopy(groups, sql`fresh.ordinality`, count)
      : { columns: sql`data`, values: sql`fresh.data` }
    return {
      counted: writing(sql`counted as (
      update document_counts set documents = documents + ${count}::int
      where collection_id = ${collection.id} and not is_removed and ${followsRules(collection)} ${condition}
      returning collection_id
    )`),
      recording: sql`${drawn(project, count, sql`exists (select from counted)`)}, recorded as (
      insert into changes (project_id, seq, kind, collection_id, document_id, version, created_by, recorded_at,
        ${copy.columns})
      select ${project}, drawn.before_seq + fresh.ordinality, 'created', ${collection.id}::uuid, fresh.id, 1,
        fresh.created_by, ${at}::timestamptz, ${copy.values}
      from drawn, fresh
    )`,
      seq,
    }
  },

  recordChanges,

  recordDeletion(target, count) {
    const counted = writing(sql`counted as (
      update document_counts set documents = documents - ${count}::int
      where collection_id = ${target.collection.id} and exists (select from deleted)
      returning collection_id
    )`)
    const condition = sql`exists (select from counted)`
    const { recording } = recordChanges(target, { kind: 'deleted', affected: sql`deleted`, count, condition })
    return { recording: sql`${counted}, ${recording}`, seq }
  },

  async recordCollection(tx, { project, collection, at, kind }) {
    const [recorded] = await tx.query<{ seq: number }>(
      writing(sql`
    with ${drawn(project, 1)}
    insert into changes (project_id, seq, kind, collection_id, recorded_at)
    select ${project}, drawn.last_seq, ${kind}, ${collection}::uuid, ${at}::timestamptz from drawn
    returning seq`),
    )
    return recorded?.seq ?? null
  },

  number: nothingToNumber,
  numberFirst: nothingToNumber,
  numberAll: nothingToNumber,
}

const seq = sql`(select last_seq from drawn)`

function recordChanges(
  { project, collection, at }: WriteTarget,
  { kind, affected, count, condition, formerCreator = sql`null::uuid` }: Parameters<Sequencer['recordChanges']>[1],
): Recording {
  const recording = writing(sql`${drawn(project, count, condition)}, recorded as (
      insert into changes (project_id, seq, kind, collection_id, document_id, version, data, before, before_updated_at,
        created_by, before_created_by, recorded_at)
      select ${project}, drawn.before_seq + row_number() over (order by affected.id), ${kind}, ${collection.id}::uuid,
        affected.id, affected.version, affected.data, affected.before, affected.before_updated_at, affected.created_by,
        ${formerCreator}, ${at}::timestamptz
      from drawn, ${affected} as affected
    )`)
  return { recording, seq }
}

/** Draws the project's next numbers. */
function drawn(project: string, count: number, condition: Fragment = sql`true`): Fragment {
  return writing(sql`drawn as (
      update sequences set last_seq = last_seq + ${count}::int
      where project_id = ${project} and ${condition}
      returning last_seq, last_seq - ${count}::int as before_seq
    )`)
}

async function nothingToNumber(_: Database): Promise<void> {}
