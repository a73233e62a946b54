/** Trims old changes. Contract 9.4. */
import { type Database, makingRoom, sql } from '../../database/port.js'
import { sequencerFor } from '../sequencer/sequencer.js'

/** The current time of each project. Changes with a later time are from before its clock was set back. */
export interface Times {
  readonly service: string
  /** Times of projects with their own clock. */
  readonly own: ReadonlyMap<string, string>
}

export interface Trimming {
  readonly before: string
  /** Default: no change counts as from the future. */
  readonly times?: Times
  /** The number of newest changes to keep for each project, whatever their age. */
  readonly kept: number
  readonly most: number
  /**
   * The number up to which each project is trimmed in this round. While other transactions can still see deleted rows,
   * the index contains them, and each batch would read those of all batches before it.
   */
  readonly reached?: Map<string, number>
}

/**
 * Deletes some changes older than `before` and beyond the newest `kept` of their project, lowest numbers first, and
 * returns how many. Times need not follow the numbers, so a change waits for younger ones before it. That leaves no
 * gaps between the kept changes. Changes from the future have an unknown age and delay none. Changes from before a
 * reset are deleted whatever their age.
 */
export async function deleteOldChanges(
  db: Database,
  { before, times = { service: 'infinity', own: new Map() }, kept, most, reached = new Map() }: Trimming,
): Promise<number> {
  if (reached.size === 0) await sequencerFor(db).numberAll(db)
  const rows = await db.query<{ project_id: string; reached: number; changes: number }>(sql`
    with deleted as (
      delete from changes
      where (project_id, seq) in (
        select c.project_id, c.seq
        from sequences s
        left join unnest(${[...reached.keys()]}::text[], ${[...reached.values()].map(String)}::bigint[])
          as r (project_id, seq) on r.project_id = s.project_id
        left join unnest(${[...times.own.keys()]}::text[], ${[...times.own.values()]}::timestamptz[])
          as t (project_id, own) on t.project_id = s.project_id
        cross join lateral (
          select project_id, seq,
            coalesce(
              max(recorded_at) filter (where recorded_at <= coalesce(t.own, ${times.service}::timestamptz)) over (order by seq),
              '-infinity')
              as newest_until
          from changes
          where project_id = s.project_id and seq > coalesce(r.seq, -1)
            and seq <= greatest(s.last_seq - ${kept}::int, s.kept_after)
          order by seq
          limit ${most}::int
        ) c
        where c.newest_until < ${before}::timestamptz or c.seq <= s.kept_after
        limit ${most}::int
      )
      returning project_id, seq
    )
    select project_id, max(seq) as reached, count(*)::int as changes from deleted group by project_id`)
  for (const row of rows) reached.set(row.project_id, row.reached)
  if (rows.length > 0) await skipDeleted(db, reached)
  return rows.reduce((sum, { changes }) => sum + changes, 0)
}

/** Lets the query for the oldest change start after the deleted ones. Locks the row only for that. */
async function skipDeleted(db: Database, reached: ReadonlyMap<string, number>): Promise<void> {
  await db.query(
    makingRoom(sql`
    update sequences s set kept_after = r.seq
    from unnest(${[...reached.keys()]}::text[], ${[...reached.values()].map(String)}::bigint[]) as r (project_id, seq)
    where s.project_id = r.project_id and s.kept_after < r.seq`),
  )
}
