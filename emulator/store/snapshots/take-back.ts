/** Undoes a command row by row, except for rows that others have written since. */
import { type Database, type Fragment, identifier, sql, writing } from '../../database/port.js'
import { isOrphan } from '../files.js'
import { effectsTable, hasMark } from './effects.js'
import { keptIn, type PartName, parts, unprepared, unpreparedMakingRoom } from './parts.js'
import { restoreSettings } from './restore.js'
import { type Restoring, restoredChanges, restoredColumns, restoredValues, rowContent } from './restoring.js'

/**
 * Call in a transaction that has locked the project, for a snapshot with effects. Skips accounts of the built-in
 * provider, because other projects share them and may have changed them.
 */
export async function takeBack(restoring: Restoring): Promise<void> {
  const { tx, project } = restoring
  await takeBackCollections(restoring)
  await takeBackRows(restoring, 'documents', {
    mayRestore: sql`exists (select from collections c where c.id = s.collection_id and c.project_id = ${project})`,
  })
  await takeBackRows(restoring, 'users', { mayRestore: hasFreeNames(project) })
  for (const part of ['user_secrets', 'sessions'] as const) {
    await takeBackRows(restoring, part, {
      mayDelete: sql`not ${isKeptUser(restoring, sql`t.user_id`)}`,
      mayRestore: sql`exists (select from users u where u.id = s.user_id) and not ${isKeptUser(restoring, sql`s.user_id`)}`,
    })
  }
  await takeBackFiles(restoring)
  if (await isProjectAsLeft(restoring)) await restoreSettings(restoring)
  await recount(tx, project)
}

/** Returns the ids of the collections that a command has changed, or whose documents. Call it before they are undone. */
export async function selectTouchedCollections({ tx, id }: Restoring): Promise<ReadonlySet<string>> {
  const changed = effectsTable(id, 'documents')
  const rows = await tx.query<{ id: string }>(
    unprepared(sql`
    select s.collection_id as id from ${keptIn(id, 'documents')} s join ${changed} e on e.key = s.id
    union
    select d.collection_id from documents d join ${changed} e on e.key = d.id
    union
    select e.key from ${effectsTable(id, 'collections')} e`),
  )
  return new Set(rows.map((row) => row.id))
}

/** Whether no other user has taken the user's address or provider identity. */
function hasFreeNames(project: string): Fragment {
  return sql`not exists (
    select from users o
    where o.project_id = ${project} and o.id <> s.id
      and (o.email_key = s.email_key or (o.oauth_provider = s.oauth_provider and o.oauth_id = s.oauth_id))
  )`
}

/** Whether others have written the user since. If so, the password and the sessions stay too. */
function isKeptUser({ id, columns }: Restoring, user: Fragment): Fragment {
  return sql`exists (
    select from ${effectsTable(id, 'users')} x
    join users u on u.id = x.key
    left join ${keptIn(id, 'users')} k on k.id = u.id
    where x.key = ${user} and (k.id is null or ${rowContent(columns, 'users', sql`k`)} <> ${rowContent(columns, 'users', sql`u`)})
  )`
}

interface Conditions {
  readonly mayDelete?: Fragment
  readonly mayRestore: Fragment
}

/** Whether the row `t` with the effect `e` has not been written since the command. */
function isUntouched({ columns }: Restoring, part: PartName): Fragment {
  return hasMark(columns, part, sql`e.mark`)
}

/** Deletes the rows that the command added, and restores those that it changed or deleted. */
async function takeBackRows(
  restoring: Restoring,
  part: PartName,
  { mayDelete = sql`true`, mayRestore }: Conditions,
): Promise<void> {
  const { tx, id } = restoring
  const [table, key, kept] = [identifier(part), identifier(parts[part].key), keptIn(id, part)]
  await tx.query(
    unpreparedMakingRoom(sql`
      delete from ${table} t
      using ${effectsTable(id, part)} e
      where e.key = t.${key} and ${isUntouched(restoring, part)} and ${mayDelete}
        and not exists (select from ${kept} s where s.${key} = t.${key})`),
  )
  await tx.query(unprepared(changedBack(restoring, part, mayRestore)))
  await tx.query(
    unprepared(
      writing(sql`
      insert into ${table} (${restoredColumns(restoring, part)})
      select ${restoredValues(restoring, part)}
      from ${kept} s
      join ${effectsTable(id, part)} e on e.key = s.${key}
      where e.mark is null and not exists (select from ${table} t where t.${key} = s.${key}) and ${mayRestore}`),
    ),
  )
}

function changedBack(restoring: Restoring, part: PartName, mayRestore: Fragment): Fragment {
  const { id } = restoring
  const key = identifier(parts[part].key)
  return writing(sql`
    update ${identifier(part)} t
    set ${restoredChanges(restoring, part)}
    from ${keptIn(id, part)} s, ${effectsTable(id, part)} e
    where s.${key} = t.${key} and e.key = t.${key} and ${isUntouched(restoring, part)} and ${mayRestore}`)
}

/**
 * Deletes collections that the command added, unless others have written to them. Does so first, because a restored
 * collection may need the name. Their documents are undone with all others.
 */
async function takeBackCollections(restoring: Restoring): Promise<void> {
  const { tx, project, id } = restoring
  const isFree = sql`not exists (
    select from collections o where o.project_id = ${project} and o.name = s.name and o.id <> s.id
  )`
  await tx.query(
    unprepared(
      writing(sql`
      with removed as (
        delete from collections t
        using ${effectsTable(id, 'collections')} e
        where e.key = t.id and ${isUntouched(restoring, 'collections')}
          and not exists (select from ${keptIn(id, 'collections')} s where s.id = t.id)
          and not exists (
            select from documents d
            left join ${effectsTable(id, 'documents')} m on m.key = d.id
            where d.collection_id = t.id and ${hasMark(restoring.columns, 'documents', sql`m.mark`, sql`d`)} is not true
          )
        returning t.id
      )
      update document_counts set is_removed = true where collection_id in (select id from removed)`),
    ),
  )
  await tx.query(unprepared(changedBack(restoring, 'collections', isFree)))
  await tx.query(
    unprepared(
      writing(sql`
      with returned as (
        insert into collections (${restoredColumns(restoring, 'collections')})
        select ${restoredValues(restoring, 'collections')}
        from ${keptIn(id, 'collections')} s
        join ${effectsTable(id, 'collections')} e on e.key = s.id
        where e.mark is null and not exists (select from collections t where t.id = s.id) and ${isFree}
        returning id
      )
      insert into document_counts (collection_id, documents)
      select id, 0 from returned
      on conflict (collection_id) do update set is_removed = false`),
    ),
  )
}

/** Whether the owner of a file contains its address. An owner that was kept may contain another. Contract 3.5. */
function isHeld(file: 's' | 't'): Fragment {
  const row = identifier(file)
  const holds = (owner: Fragment) => sql`strpos(${owner}.data::text, '/files/' || ${row}.id || '/') > 0`
  return sql`(
    exists (select from documents d where d.id = ${row}.document_id and ${holds(sql`d`)})
    or exists (select from users u where u.id = ${row}.user_id and ${holds(sql`u`)})
  )`
}

/** A deleted file may still have its row, as an orphan. Its bytes exist, because the snapshot holds them. */
async function takeBackFiles(restoring: Restoring): Promise<void> {
  const { tx, project, id } = restoring
  const [kept, effects] = [keptIn(id, 'files'), effectsTable(id, 'files')]
  const mayRestore = sql`(s.document_id is null and s.user_id is null or ${isHeld('s')})`
  const isOrphaned = sql`exists (select from files f where f.id = t.id and ${isOrphan})`
  const asLeft = isUntouched(restoring, 'files')
  await tx.query(
    unprepared(
      writing(sql`
      update files t
      set stays = false, document_id = null, collection_id = null, user_id = null
      from ${effects} e
      where e.key = t.id and ${asLeft} and not ${isHeld('t')} and not exists (select from ${kept} s where s.id = t.id)`),
    ),
  )
  await tx.query(
    unprepared(
      writing(sql`
      update files t
      set ${restoredChanges(restoring, 'files')}
      from ${kept} s, ${effects} e
      where s.id = t.id and e.key = t.id and (${asLeft} or e.mark is null and ${isOrphaned}) and ${mayRestore}`),
    ),
  )
  await tx.query(
    unprepared(
      writing(sql`
      with returned as (
        insert into files (${restoredColumns(restoring, 'files')})
        select ${restoredValues(restoring, 'files')}
        from ${kept} s
        join ${effects} e on e.key = s.id
        where e.mark is null and not exists (select from files t where t.id = s.id) and ${mayRestore}
        returning size
      )
      update file_totals
      set files = files + (select count(*) from returned),
        bytes = bytes + (select coalesce(sum(size), 0) from returned)::bigint
      where project_id = ${project}`),
    ),
  )
}

/** Whether the command changed the project itself, and nothing has since. */
async function isProjectAsLeft(restoring: Restoring): Promise<boolean> {
  const { tx, project, id } = restoring
  const rows = await tx.query(
    unprepared(sql`
      select 1 as one from projects t join ${effectsTable(id, 'projects')} e on e.key = t.id and ${isUntouched(restoring, 'projects')}
      where t.id = ${project}`),
  )
  return rows.length > 0
}

async function recount(tx: Database, project: string): Promise<void> {
  await tx.query(
    unprepared(
      writing(sql`
      update document_counts n
      set documents = (select count(*) from documents d where d.collection_id = n.collection_id)
      where n.collection_id in (select id from collections where project_id = ${project})`),
    ),
  )
  await tx.query(
    writing(sql`
    update user_counts set users = (select count(*) from users where project_id = ${project})
    where project_id = ${project}`),
  )
}
