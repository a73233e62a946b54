/** Copies the state of a project into the tables of a new snapshot, inside the database. */
import { type Database, identifier, sql, writing } from '../../database/port.js'
import { keptIn, partNames, parts, snapshotTable, unprepared } from './parts.js'
import type { NewSnapshot } from './registry.js'

/** Gives all statements of a transaction the same view of the data. Has to be its first statement. */
export async function readOneSnapshot(tx: Database): Promise<void> {
  await tx.query(sql`set transaction isolation level repeatable read`)
}

/** Copies everything and registers it. Files are not copied: their bytes are now kept for the snapshot too. */
export async function insertSnapshot(tx: Database, project: string, snapshot: NewSnapshot): Promise<void> {
  // Blocks transactions that delete one of these files. If one just has, all of this is retried.
  const files = sql`select 1 from files t where ${parts.files.rowsIn(project)} for share`
  await tx.query(unprepared(sql`select count(*) as files from (${files}) as held`))
  for (const name of partNames) {
    const rows = sql`select t.* from ${identifier(name)} t where ${parts[name].rowsIn(project)}`
    await tx.query(unprepared(writing(sql`create table ${keptIn(snapshot.id, name)} as ${rows}`)))
  }
  await registerSnapshot(tx, project, snapshot)
}

/** Registers a snapshot whose tables were filled from a file, with its schema version and the secrets it lacks. */
export async function insertSnapshotFromElsewhere(
  tx: Database,
  project: string,
  snapshot: NewSnapshot,
  { schema, missing }: { readonly schema: number; readonly missing: readonly string[] },
): Promise<void> {
  await registerSnapshot(tx, project, snapshot)
  await tx.query(
    writing(sql`
    update snapshots set schema_number = ${schema}::int, missing = ${JSON.stringify(missing)}::jsonb
    where id = ${snapshot.id}`),
  )
}

/** Counts the contents of a snapshot's tables and adds it to the list. */
async function registerSnapshot(tx: Database, project: string, snapshot: NewSnapshot): Promise<void> {
  const { id, name, command, branch, commit, madeAt } = snapshot
  const countRows = (part: 'collections' | 'documents' | 'users' | 'files') =>
    sql`(select count(*) from ${keptIn(id, part)})`
  const tables = partNames.map((part) => snapshotTable(id, part))
  await tx.query(
    unprepared(
      writing(sql`
      insert into snapshots (id, project_id, name, command, branch, commit, made_at, schema_number, collections, documents,
        users, files, file_bytes, bytes)
      values (${id}, ${project}, ${name}, ${command}, ${branch}, ${commit}, ${madeAt},
        (select max(number) from migrations), ${countRows('collections')}, ${countRows('documents')}, ${countRows('users')},
        ${countRows('files')}, (select coalesce(sum(size), 0)::bigint from ${keptIn(id, 'files')}),
        (select sum(pg_total_relation_size(name::regclass))::bigint from unnest(${tables}::text[]) as held (name)))`),
    ),
  )
  await tx.query(
    unprepared(
      writing(sql`
      insert into snapshot_files (snapshot_id, file_id) select ${id}::uuid, t.id from ${keptIn(id, 'files')} t`),
    ),
  )
}
