/**
 * Restores the state of a project from a snapshot. Leaves unchanged rows alone, so that their indexes need no update.
 */
import { type Database, type Fragment, identifier, joinSql, sql, writing } from '../../database/port.js'
import { isOrphan } from '../files.js'
import { keptIn, type PartName, parts, unprepared, unpreparedMakingRoom } from './parts.js'
import { comparedColumns, type Restoring, restoredChanges, restoredColumns, restoredValues } from './restoring.js'

/**
 * Replaces the whole state of a project, in a transaction that has locked it. Cancels pending logins and mailed tokens.
 */
export async function restoreState(restoring: Restoring): Promise<void> {
  const { tx, project, id } = restoring
  await restoreCollections(restoring)
  await replaceRows(restoring, 'documents', sql`t.collection_id in (select id from ${keptIn(id, 'collections')})`)
  for (const part of ['users', 'user_secrets', 'sessions'] as const) {
    await replaceRows(restoring, part, parts[part].rowsIn(project))
  }
  await tx.query(
    writing(sql`
      update user_counts set users = (select count(*) from users where project_id = ${project})
      where project_id = ${project}`),
  )
  await endLogins(tx, project)
  await restoreFiles(restoring)
  await replaceRows(restoring, 'idp_accounts', sql`t.id in (select id from ${keptIn(id, 'idp_accounts')})`)
  await restoreSettings(restoring)
}

/** Whether another project uses an id of the snapshot, for example after a file was imported next to its origin. */
export async function isTakenElsewhere(tx: Database, project: string, id: string): Promise<boolean> {
  const [found] = await tx.query<{ is_taken: boolean }>(
    unprepared(sql`
      select exists (select from collections t join ${keptIn(id, 'collections')} s on s.id = t.id where t.project_id <> ${project})
        or exists (
          select from documents t
          join ${keptIn(id, 'documents')} s on s.id = t.id
          join collections c on c.id = t.collection_id
          where c.project_id <> ${project}
        )
        or exists (select from users t join ${keptIn(id, 'users')} s on s.id = t.id where t.project_id <> ${project})
        or exists (select from files t join ${keptIn(id, 'files')} s on s.id = t.id where t.project_id <> ${project})
        as is_taken`),
  )
  return found?.is_taken ?? false
}

/** Returns the provider secrets that the snapshot omits and the project lacks. */
export async function selectLacking(tx: Database, project: string, names: readonly string[]): Promise<string[]> {
  const rows = await tx.query<{ name: string }>(sql`
    select l.name
    from unnest(${names}::text[]) with ordinality as l (name, at), projects p
    where p.id = ${project} and (p.settings -> 'idp' -> l.name) is null
    order by l.at`)
  return rows.map(({ name }) => name)
}

/** Deletes rows that are not in the snapshot or differ from it, and then inserts the missing ones. */
async function replaceRows(restoring: Restoring, part: PartName, isReplaced: Fragment): Promise<void> {
  const { tx, id, columns } = restoring
  const key = identifier(parts[part].key)
  const isSame = joinSql(
    comparedColumns(columns, part).map((name) => sql`s.${name} is not distinct from t.${name}`),
    ' and ',
  )
  await tx.query(
    unpreparedMakingRoom(sql`
      delete from ${identifier(part)} t
      where ${isReplaced} and not exists (select from ${keptIn(id, part)} s where s.${key} = t.${key} and ${isSame})`),
  )
  await tx.query(unprepared(missingRows(restoring, part)))
}

function missingRows(restoring: Restoring, part: PartName): Fragment {
  const key = identifier(parts[part].key)
  return writing(sql`
    insert into ${identifier(part)} (${restoredColumns(restoring, part)})
    select ${restoredValues(restoring, part)}
    from ${keptIn(restoring.id, part)} s
    where not exists (select from ${identifier(part)} t where t.${key} = s.${key})`)
}

/**
 * Removed collections leave their documents to `deleteRemovedDocuments`. All are removed first, because names may have
 * been swapped.
 */
async function restoreCollections(restoring: Restoring): Promise<void> {
  const { tx, project, id } = restoring
  const kept = keptIn(id, 'collections')
  await tx.query(
    unprepared(
      writing(sql`
      with removed as (delete from collections where project_id = ${project} returning id)
      update document_counts set is_removed = true where collection_id in (select id from removed)`),
    ),
  )
  await tx.query(unprepared(missingRows(restoring, 'collections')))
  await tx.query(
    unprepared(
      writing(sql`
      insert into document_counts as c (collection_id, documents)
      select k.id, coalesce(n.documents, 0)
      from ${kept} k
      left join (select collection_id, count(*) as documents from ${keptIn(id, 'documents')} group by collection_id) n
        on n.collection_id = k.id
      on conflict (collection_id) do update set documents = excluded.documents, is_removed = false`),
    ),
  )
}

async function endLogins(tx: Database, project: string): Promise<void> {
  const users = sql`user_id in (select id from users where project_id = ${project})`
  await tx.query(sql`delete from pending_logins where ${users}`)
  await tx.query(sql`delete from one_time_tokens where ${users}`)
  await tx.query(sql`delete from recent_attempts where project_id = ${project}`)
  await tx.query(sql`delete from idp_logins where project_id = ${project}`)
  await tx.query(sql`delete from realtime_tickets where project_id = ${project}`)
}

/** The bytes of the snapshot's files all exist. Other files of the project become orphans. */
async function restoreFiles(restoring: Restoring): Promise<void> {
  const { tx, project, id } = restoring
  const kept = keptIn(id, 'files')
  await tx.query(
    unprepared(
      writing(sql`
      update files f
      set stays = false, document_id = null, collection_id = null, user_id = null
      where f.project_id = ${project} and not (${isOrphan}) and not exists (select from ${kept} s where s.id = f.id)`),
    ),
  )
  await tx.query(
    unprepared(
      writing(sql`
      update files f
      set ${restoredChanges(restoring, 'files')}
      from ${kept} s
      where s.id = f.id`),
    ),
  )
  await tx.query(
    unprepared(
      writing(sql`
      with inserted as (${missingRows(restoring, 'files')} returning size)
      update file_totals
      set files = files + (select count(*) from inserted),
        bytes = bytes + (select coalesce(sum(size), 0) from inserted)::bigint
      where project_id = ${project}`),
    ),
  )
}

/** Keeps the project's values of omitted secrets, and its token secret if that is omitted. */
export async function restoreSettings({ tx, project, id }: Restoring): Promise<void> {
  await tx.query(
    unprepared(
      writing(sql`
      update projects p
      set token_secret = coalesce(nullif(s.token_secret, ''), p.token_secret),
        settings = s.settings || jsonb_build_object('idp', coalesce(s.settings -> 'idp', '{}') || coalesce((
          select jsonb_object_agg(own.key, own.value)
          from jsonb_each(p.settings -> 'idp') own
          join snapshots n on n.id = ${id} and n.missing ? own.key
        ), '{}'))
      from ${keptIn(id, 'projects')} s
      where p.id = ${project}`),
    ),
  )
}
