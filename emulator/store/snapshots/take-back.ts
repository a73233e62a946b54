/** Takes back what a command has done, row by row, except rows that others have written since. */
import { type Database, type Fragment, identifier, sql, writing } from '../../database/port.js'
import { isOrphan } from '../files.js'
import { effectsOf, hasMark } from './effects.js'
import { keptIn, onItsOwn, onItsOwnMakingRoom, type PartName, parts } from './parts.js'
import { restoreSettings } from './restore.js'
import { contentOf, type Restoring, restoredChanges, restoredColumns, restoredValues } from './restoring.js'

/**
 * In a transaction that has locked the project, and whose snapshot has its effects. Accounts of the built-in provider are left
 * alone: other projects use them too, so what is different may be of any of them.
 */
export async function takeBack(restoring: Restoring): Promise<void> {
  const { tx, project } = restoring
  await takeBackCollections(restoring)
  await takeBackRows(restoring, 'documents', {
    mayReturn: sql`exists (select from collections c where c.id = s.collection_id and c.project_id = ${project})`,
  })
  await takeBackRows(restoring, 'users', { mayReturn: hasFreeNames(project) })
  for (const part of ['user_secrets', 'sessions'] as const) {
    await takeBackRows(restoring, part, {
      mayGo: sql`not ${isKeptUser(restoring, sql`t.user_id`)}`,
      mayReturn: sql`exists (select from users u where u.id = s.user_id) and not ${isKeptUser(restoring, sql`s.user_id`)}`,
    })
  }
  await takeBackFiles(restoring)
  if (await isProjectAsLeft(restoring)) await restoreSettings(restoring)
  await countAnew(tx, project)
}

/** Neither the address nor the provider's subject of a user has become another user's. */
function hasFreeNames(project: string): Fragment {
  return sql`not exists (
    select from users o
    where o.project_id = ${project} and o.id <> s.id
      and (o.email_key = s.email_key or (o.oauth_provider = s.oauth_provider and o.oauth_id = s.oauth_id))
  )`
}

/** Others have written this user since. The password and the sessions belong to what they have written, and stay with it. */
function isKeptUser({ id, columns }: Restoring, user: Fragment): Fragment {
  return sql`exists (
    select from ${effectsOf(id, 'users')} x
    join users u on u.id = x.key
    left join ${keptIn(id, 'users')} k on k.id = u.id
    where x.key = ${user} and (k.id is null or ${contentOf(columns, 'users', sql`k`)} <> ${contentOf(columns, 'users', sql`u`)})
  )`
}

interface Conditions {
  readonly mayGo?: Fragment
  readonly mayReturn: Fragment
}

/** Nobody has written the row `t`, whose effect is `e`, since the command did. */
function isAsLeft({ columns }: Restoring, part: PartName): Fragment {
  return hasMark(columns, part, sql`e.mark`)
}

/** Rows of a part that came with the command go, those that it has changed or deleted are as they were. */
async function takeBackRows(
  restoring: Restoring,
  part: PartName,
  { mayGo = sql`true`, mayReturn }: Conditions,
): Promise<void> {
  const { tx, id } = restoring
  const [table, key, kept] = [identifier(part), identifier(parts[part].key), keptIn(id, part)]
  await tx.query(
    onItsOwnMakingRoom(sql`
      delete from ${table} t
      using ${effectsOf(id, part)} e
      where e.key = t.${key} and ${isAsLeft(restoring, part)} and ${mayGo}
        and not exists (select from ${kept} s where s.${key} = t.${key})`),
  )
  await tx.query(onItsOwn(changedBack(restoring, part, mayReturn)))
  await tx.query(
    onItsOwn(
      writing(sql`
      insert into ${table} (${restoredColumns(restoring, part)})
      select ${restoredValues(restoring, part)}
      from ${kept} s
      join ${effectsOf(id, part)} e on e.key = s.${key}
      where e.mark is null and not exists (select from ${table} t where t.${key} = s.${key}) and ${mayReturn}`),
    ),
  )
}

function changedBack(restoring: Restoring, part: PartName, mayReturn: Fragment): Fragment {
  const { id } = restoring
  const key = identifier(parts[part].key)
  return writing(sql`
    update ${identifier(part)} t
    set ${restoredChanges(restoring, part)}
    from ${keptIn(id, part)} s, ${effectsOf(id, part)} e
    where s.${key} = t.${key} and e.key = t.${key} and ${isAsLeft(restoring, part)} and ${mayReturn}`)
}

/**
 * One that came with the command goes unless others have written into it: before others return, since one of them may have
 * had its name. Its documents are taken back with all others.
 */
async function takeBackCollections(restoring: Restoring): Promise<void> {
  const { tx, project, id } = restoring
  const isFree = sql`not exists (
    select from collections o where o.project_id = ${project} and o.name = s.name and o.id <> s.id
  )`
  await tx.query(
    onItsOwn(
      writing(sql`
      with removed as (
        delete from collections t
        using ${effectsOf(id, 'collections')} e
        where e.key = t.id and ${isAsLeft(restoring, 'collections')}
          and not exists (select from ${keptIn(id, 'collections')} s where s.id = t.id)
          and not exists (
            select from documents d
            left join ${effectsOf(id, 'documents')} m on m.key = d.id
            where d.collection_id = t.id and ${hasMark(restoring.columns, 'documents', sql`m.mark`, sql`d`)} is not true
          )
        returning t.id
      )
      update document_counts set is_removed = true where collection_id in (select id from removed)`),
    ),
  )
  await tx.query(onItsOwn(changedBack(restoring, 'collections', isFree)))
  await tx.query(
    onItsOwn(
      writing(sql`
      with returned as (
        insert into collections (${restoredColumns(restoring, 'collections')})
        select ${restoredValues(restoring, 'collections')}
        from ${keptIn(id, 'collections')} s
        join ${effectsOf(id, 'collections')} e on e.key = s.id
        where e.mark is null and not exists (select from collections t where t.id = s.id) and ${isFree}
        returning id
      )
      insert into document_counts (collection_id, documents)
      select id, 0 from returned
      on conflict (collection_id) do update set is_removed = false`),
    ),
  )
}

/** Whether the document or user that a file belongs to holds its address: one that was kept may hold another. Contract 3.5. */
function isHeld(file: 's' | 't'): Fragment {
  const row = identifier(file)
  const holds = (owner: Fragment) => sql`strpos(${owner}.data::text, '/files/' || ${row}.id || '/') > 0`
  return sql`(
    exists (select from documents d where d.id = ${row}.document_id and ${holds(sql`d`)})
    or exists (select from users u where u.id = ${row}.user_id and ${holds(sql`u`)})
  )`
}

/** A file that was deleted may still have its row, as an orphaned one; its bytes are there, since the snapshot holds them. */
async function takeBackFiles(restoring: Restoring): Promise<void> {
  const { tx, project, id } = restoring
  const [kept, effects] = [keptIn(id, 'files'), effectsOf(id, 'files')]
  const mayReturn = sql`(s.document_id is null and s.user_id is null or ${isHeld('s')})`
  const isOrphaned = sql`exists (select from files f where f.id = t.id and ${isOrphan})`
  const asLeft = isAsLeft(restoring, 'files')
  await tx.query(
    onItsOwn(
      writing(sql`
      update files t
      set stays = false, document_id = null, collection_id = null, user_id = null
      from ${effects} e
      where e.key = t.id and ${asLeft} and not ${isHeld('t')} and not exists (select from ${kept} s where s.id = t.id)`),
    ),
  )
  await tx.query(
    onItsOwn(
      writing(sql`
      update files t
      set ${restoredChanges(restoring, 'files')}
      from ${kept} s, ${effects} e
      where s.id = t.id and e.key = t.id and (${asLeft} or e.mark is null and ${isOrphaned}) and ${mayReturn}`),
    ),
  )
  await tx.query(
    onItsOwn(
      writing(sql`
      with returned as (
        insert into files (${restoredColumns(restoring, 'files')})
        select ${restoredValues(restoring, 'files')}
        from ${kept} s
        join ${effects} e on e.key = s.id
        where e.mark is null and not exists (select from files t where t.id = s.id) and ${mayReturn}
        returning size
      )
      update file_totals
      set files = files + (select count(*) from returned),
        bytes = bytes + (select coalesce(sum(size), 0) from returned)::bigint
      where project_id = ${project}`),
    ),
  )
}

/** Whether the project itself was changed by the command, and not since. */
async function isProjectAsLeft(restoring: Restoring): Promise<boolean> {
  const { tx, project, id } = restoring
  const rows = await tx.query(
    onItsOwn(sql`
      select 1 as one from projects t join ${effectsOf(id, 'projects')} e on e.key = t.id and ${isAsLeft(restoring, 'projects')}
      where t.id = ${project}`),
  )
  return rows.length > 0
}

async function countAnew(tx: Database, project: string): Promise<void> {
  await tx.query(
    onItsOwn(
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
