/** Deletes snapshots, and releases the bytes that only they held. */
import { type Database, identifier, joinSql, sql, writing } from '../../database/port.js'
import { keptIn, tablePrefix, unpreparedMakingRoom } from './parts.js'

/**
 * Deletes a snapshot with its tables; call it for one snapshot in a transaction. Files that nothing else needs become
 * orphans, so that their bytes are removed like those of others.
 */
export async function deleteSnapshot(tx: Database, project: string, id: string): Promise<void> {
  await tx.query(
    writing(sql`
    with freed as (
      delete from snapshot_files h where h.snapshot_id = ${id} returning h.file_id
    ), orphaned as (
      insert into files (id, project_id, name, path, size, mime_type, stays, created_at)
      select t.id, ${project}, t.name, t.path, t.size, t.mime_type, false, t.created_at
      from freed
      join ${keptIn(id, 'files')} t on t.id = freed.file_id
      where not exists (select from snapshot_files o where o.file_id = t.id and o.snapshot_id <> ${id})
      on conflict (id) do nothing
      returning size
    ), gone as (
      delete from snapshots where id = ${id}
    )
    update file_totals
    set files = files + (select count(*) from orphaned), bytes = bytes + (select coalesce(sum(size), 0) from orphaned)::bigint
    where project_id = ${project}`),
  )
  await dropStrayTables(tx)
}

/** Each takes about five entries in the lock table that all sessions share, until the transaction ends. */
const maxDropped = 160

/** Drops tables of deleted snapshots, but not too many in one transaction. The next call finds the rest. */
async function dropStrayTables(tx: Database): Promise<void> {
  const strays = await tx.query<{ name: string }>(sql`
    select c.relname as name
    from pg_class c
    where c.relnamespace = 'svc'::regnamespace and c.relkind = 'r' and starts_with(c.relname, ${tablePrefix})
      and not exists (
        select from snapshots s where starts_with(c.relname, ${tablePrefix} || replace(s.id::text, '-', '') || '_')
      )
    limit ${maxDropped}::int`)
  const tables = strays.map(({ name }) => identifier(name))
  if (tables.length > 0) await tx.query(unpreparedMakingRoom(sql`drop table ${joinSql(tables, ', ')}`))
}
