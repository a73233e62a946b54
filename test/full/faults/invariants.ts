/** Invariants of the database and the file store after any failure. */

import type { Storage } from '../../../emulator/assembly/storage.js'
import { sql } from '../../../emulator/database/port.js'
import { copyOf } from '../../../emulator/store/realtime/copies.js'

interface Options {
  /** Whether documents appear and disappear without a change each, and numbers restart. */
  readonly skipsChanges: boolean
}

export async function invariants({ db }: Storage, project: string, { skipsChanges }: Options): Promise<string[]> {
  const counts = await db.query<{ name: string }>(sql`
    select c.name
    from collections c
    left join document_counts n on n.collection_id = c.id
    where c.project_id = ${project}
      and n.documents is distinct from (select count(*) from documents d where d.collection_id = c.id)`)
  const strays = await db.query<{ id: string }>(sql`
    select d.id from documents d
    where not exists (select from collections c where c.id = d.collection_id)
      and not exists (select from document_counts n where n.collection_id = d.collection_id and n.is_removed)`)
  const totals = await db.query(sql`
    select 1 as one from file_totals t
    where t.project_id = ${project}
      and (t.files <> (select count(*) from files f where f.project_id = t.project_id)
        or t.bytes <> (select coalesce(sum(f.size), 0) from files f where f.project_id = t.project_id))`)
  const gaps = await db.query<{ seq: number }>(sql`
    select c.seq from changes c
    where c.project_id = ${project}
      and c.seq > (select min(seq) from changes where project_id = ${project})
      and not exists (select from changes p where p.project_id = c.project_id and p.seq = c.seq - 1)`)
  const last = await db.query(sql`
    select 1 as one from sequences s
    where s.project_id = ${project} and s.last_seq < (select max(seq) from changes c where c.project_id = s.project_id)`)
  return [
    ...counts.map(({ name }) => `the count of "${name}" is wrong`),
    ...strays.map(({ id }) => `the document ${id} is in no collection`),
    ...totals.map(() => 'the totals of files are wrong'),
    ...last.map(() => 'the last number is behind the changes'),
    ...(skipsChanges
      ? []
      : [...gaps.map(({ seq }) => `there is no change before ${seq}`), ...(await untold(db, project))]),
  ]
}

/** Documents that differ from their changes. */
async function untold(db: Storage['db'], project: string): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    with told as (
      select distinct on (document_id) document_id, kind, version, ${copyOf} as data
      from changes c
      where project_id = ${project} and document_id is not null
      order by document_id, seq desc
    ), there as (
      select d.id, d.version, d.data
      from documents d
      join collections c on c.id = d.collection_id
      where c.project_id = ${project}
    )
    select coalesce(told.document_id, there.id) as id
    from told
    full join there on there.id = told.document_id
    where not (told.kind is not null and (
      (there.id is not null and told.kind <> 'deleted' and told.version = there.version and told.data = there.data)
      or (there.id is null and (told.kind = 'deleted' or not exists (
        select from changes g join collections c on c.id = g.collection_id
        where g.document_id = told.document_id and c.project_id = ${project})))))`)
  return rows.map(({ id }) => `the changes tell another story of the document ${id}`)
}

/** Ids of bytes without a row, and of rows without bytes. */
export async function fileDifferences({ db, files }: Storage): Promise<{ strays: string[]; missing: string[] }> {
  const rows = await db.query<{ id: string }>(sql`select id from files union select file_id from snapshot_files`)
  const known = new Set(rows.map(({ id }) => id))
  const there = new Set<string>()
  for await (const ids of files.list()) for (const id of ids) there.add(id)
  return {
    strays: [...there].filter((id) => !known.has(id)),
    missing: [...known].filter((id) => !there.has(id)),
  }
}
