/** Copies the state of a project into the tables of a new snapshot, by statements of the server: nothing passes through here. */
import { type Database, identifier, sql, writing } from '../../database/port.js'
import { keptIn, onItsOwn, partNames, parts, tableOf } from './parts.js'
import type { NewSnapshot } from './registry.js'

/** Has all statements of a transaction see the same moment. It has to be the first of them. */
export async function seeOneMoment(tx: Database): Promise<void> {
  await tx.query(sql`set transaction isolation level repeatable read`)
}

/** Copies everything, and registers it. Files stay where they are: from now on their bytes are kept for the snapshot too. */
export async function insertSnapshot(tx: Database, project: string, snapshot: NewSnapshot): Promise<void> {
  // A transaction that deletes one of these files meanwhile waits; if one just has, all of this is done again.
  const files = sql`select 1 from files t where ${parts.files.rowsOf(project)} for share`
  await tx.query(onItsOwn(sql`select count(*) as files from (${files}) as held`))
  for (const name of partNames) {
    const rows = sql`select t.* from ${identifier(name)} t where ${parts[name].rowsOf(project)}`
    await tx.query(onItsOwn(writing(sql`create table ${keptIn(snapshot.id, name)} as ${rows}`)))
  }
  await registerSnapshot(tx, project, snapshot)
}

/** Registers one whose tables were filled from a file, with the schema that it comes from and the secrets that it lacks. */
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

/** Counts what is in the tables of a snapshot, and from then on it is one. */
async function registerSnapshot(tx: Database, project: string, snapshot: NewSnapshot): Promise<void> {
  const { id, name, command, branch, commit, madeAt } = snapshot
  const countOf = (part: 'collections' | 'documents' | 'users' | 'files') =>
    sql`(select count(*) from ${keptIn(id, part)})`
  const tables = partNames.map((part) => tableOf(id, part))
  await tx.query(
    onItsOwn(
      writing(sql`
      insert into snapshots (id, project_id, name, command, branch, commit, made_at, schema_number, collections, documents,
        users, files, file_bytes, bytes)
      values (${id}, ${project}, ${name}, ${command}, ${branch}, ${commit}, ${madeAt},
        (select max(number) from migrations), ${countOf('collections')}, ${countOf('documents')}, ${countOf('users')},
        ${countOf('files')}, (select coalesce(sum(size), 0)::bigint from ${keptIn(id, 'files')}),
        (select sum(pg_total_relation_size(name::regclass))::bigint from unnest(${tables}::text[]) as held (name)))`),
    ),
  )
  await tx.query(
    onItsOwn(
      writing(sql`
      insert into snapshot_files (snapshot_id, file_id) select ${id}::uuid, t.id from ${keptIn(id, 'files')} t`),
    ),
  )
}
