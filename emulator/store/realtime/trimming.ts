/** Changes are not kept for ever. Contract 9.4. */
import { type Database, makingRoom, sql } from '../../database/port.js'
import { numberAllChanges } from './numbering.js'

/** What time it is for each project: what was recorded later was so before its clock was set back. */
export interface Times {
  readonly service: string
  /** Of projects that have a clock of their own. */
  readonly own: ReadonlyMap<string, string>
}

export interface Trimming {
  readonly before: string
  /** Left out, nothing is from the future. */
  readonly times?: Times
  /** The newest of each project stay, whatever their age. */
  readonly kept: number
  readonly most: number
  /**
   * The number up to which each project's are deleted in this round. While any transaction of the server may still see them, they
   * are in the index, and each piece would read all that the pieces before it have deleted.
   */
  readonly reached?: Map<string, number>
}

/**
 * Deletes some changes that are both older than `before` and beyond the newest `kept` of their project, the first ones first;
 * how many. Times need not follow the numbers: what stands behind a younger one waits for it, so that none is missing between
 * the oldest that is kept and the newest. What is from the future has no known age, and holds nobody up. What a reset has left
 * behind goes whatever its age.
 */
export async function deleteOldChanges(
  db: Database,
  { before, times = { service: 'infinity', own: new Map() }, kept, most, reached = new Map() }: Trimming,
): Promise<number> {
  if (reached.size === 0) await numberAllChanges(db)
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

/** The query for the oldest change that is kept begins to look behind those that are gone. The row is locked for no longer than that. */
async function skipDeleted(db: Database, reached: ReadonlyMap<string, number>): Promise<void> {
  await db.query(
    makingRoom(sql`
    update sequences s set kept_after = r.seq
    from unnest(${[...reached.keys()]}::text[], ${[...reached.values()].map(String)}::bigint[]) as r (project_id, seq)
    where s.project_id = r.project_id and s.kept_after < r.seq`),
  )
}
