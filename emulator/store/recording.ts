/**
 * Counts documents and records changes as parts of a write's statement. If one transaction runs at a time, the
 * statement draws the numbers. If they run concurrently, `realtime/numbering.ts` assigns them after the commit.
 */
import type { Change } from '../../client/protocol/model/change.js'
import type { StoredCollection } from '../../client/protocol/model/collection.js'
import { type Database, type Fragment, sql, writing } from '../database/port.js'
import { sharedCopy } from './realtime/copies.js'
import { fingerprintRules } from './unique-rules.js'

/** The newest recorded number: `later` if it is assigned after the commit, null if nothing was recorded. */
export type RecordedSeq = number | 'later' | null

/** The project, collection and time of a write. */
export interface WriteTarget {
  readonly project: string
  readonly collection: Pick<StoredCollection, 'id' | 'name' | 'schema' | 'unique'>
  readonly at: string
}

/** Whether writers of a collection, with its count in `document_counts`, follow the unique rules that the caller knows. */
export function followsRules(collection: WriteTarget['collection']): Fragment {
  return sql`unique_rules = ${fingerprintRules(collection)}`
}

/**
 * Counts and records an insertion. `counted` holds the row of an open collection. With concurrent writers, the row is
 * only locked against a removal, and counted when the changes are numbered. `condition` begins with `and`, or is empty;
 * nothing is inserted where it is false. `groups` contains the documents `inGroups`,
 * if they share their copies.
 */
export function recordInsertion(
  db: Database,
  { project, collection, at }: WriteTarget,
  count: number,
  condition: Fragment,
  groups?: Fragment,
) {
  if (db.capabilities.runsWritersTogether) {
    return {
      counted: sql`counted as materialized (
      select collection_id from document_counts
      where collection_id = ${collection.id} and not is_removed and ${followsRules(collection)} ${condition}
      for key share
    )`,
      recorded: writing(sql`recorded as (
      insert into pending_changes (project_id, kind, collection_id, document_id, version, data, created_by, recorded_at)
      select ${project}, 'created', counted.collection_id, fresh.id, 1, fresh.data, fresh.created_by, ${at}::timestamptz
      from counted, fresh
      order by fresh.ordinality
    )`),
      seq: sql`'later'`,
    }
  }
  const copy = groups
    ? sharedCopy(groups, sql`fresh.ordinality`, count)
    : { columns: sql`data`, values: sql`fresh.data` }
  return {
    counted: writing(sql`counted as (
      update document_counts set documents = documents + ${count}::int
      where collection_id = ${collection.id} and not is_removed and ${followsRules(collection)} ${condition}
      returning collection_id
    )`),
    recorded: sql`${drawn(project, count, sql`exists (select from counted)`)}, recorded as (
      insert into changes (project_id, seq, kind, collection_id, document_id, version, created_by, recorded_at,
        ${copy.columns})
      select ${project}, drawn.before_seq + fresh.ordinality, 'created', ${collection.id}::uuid, fresh.id, 1,
        fresh.created_by, ${at}::timestamptz, ${copy.values}
      from drawn, fresh
    )`,
    seq: sql`(select last_seq from drawn)`,
  }
}

/** Parts of a statement: the recording, and an expression for its `RecordedSeq`. */
interface Recording {
  readonly recording: Fragment
  readonly seq: Fragment
}

/**
 * Records a change for each row of `affected`: id, version, data, creator, and the previous data and time.
 * `formerCreator` is the previous creator, if changed. `condition` is evaluated and locked before the sequence: all
 * writers lock documents, then counts, then the sequence, which avoids deadlocks.
 */
export function recorded(
  db: Database,
  { project, collection, at }: WriteTarget,
  kind: Change['kind'],
  affected: Fragment,
  count: number,
  condition = sql`true`,
  formerCreator = sql`null::uuid`,
): Recording {
  if (db.capabilities.runsWritersTogether) {
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
  const recording = writing(sql`${drawn(project, count, condition)}, recorded as (
      insert into changes (project_id, seq, kind, collection_id, document_id, version, data, before, before_updated_at,
        created_by, before_created_by, recorded_at)
      select ${project}, drawn.before_seq + row_number() over (order by affected.id), ${kind}, ${collection.id}::uuid,
        affected.id, affected.version, affected.data, affected.before, affected.before_updated_at, affected.created_by,
        ${formerCreator}, ${at}::timestamptz
      from drawn, ${affected} as affected
    )`)
  return { recording, seq: sql`(select last_seq from drawn)` }
}

/** Records the deletion of each row of `deleted`, and subtracts them from the count. */
export function recordedDeletion(db: Database, target: WriteTarget, count: number): Recording {
  const { recording, seq } = recorded(db, target, 'deleted', sql`deleted`, count, sql`exists (select from counted)`)
  if (db.capabilities.runsWritersTogether) return { recording, seq }
  const counted = writing(sql`counted as (
      update document_counts set documents = documents - ${count}::int
      where collection_id = ${target.collection.id} and exists (select from deleted)
      returning collection_id
    )`)
  return { recording: sql`${counted}, ${recording}`, seq }
}

/**
 * Draws the project's next sequence numbers. Their row stays locked until commit, so that numbers are given in commit
 * order and without gaps.
 */
function drawn(project: string, count: number, condition: Fragment): Fragment {
  return writing(sql`drawn as (
      update sequences set last_seq = last_seq + ${count}::int
      where project_id = ${project} and ${condition}
      returning last_seq, last_seq - ${count}::int as before_seq
    )`)
}
