import { defaultSettings, type Project, type ProjectSettings } from '../../client/protocol/model/project.js'
import { type Database, type Fragment, sql, writing } from '../database/port.js'

export interface ProjectRow {
  id: string
  name: string
  settings: string
}

/** A key as it is kept: only a public one can be read again. */
export interface ProjectKey {
  readonly id: string
  readonly hash: string
  readonly secret: boolean
  readonly readable: string | null
}

export async function insertProject(
  db: Database,
  project: Project,
  keys: readonly ProjectKey[],
  at: string,
): Promise<void> {
  await db.batch([
    writing(sql`insert into projects (id, name, settings, created_at)
        values (${project.id}, ${project.name}, ${JSON.stringify(project.settings)}::jsonb, ${at})`),
    writing(sql`insert into sequences (project_id, last_seq) values (${project.id}, 0)`),
    writing(sql`insert into user_counts (project_id, users) values (${project.id}, 0)`),
    writing(sql`insert into file_totals (project_id, files, bytes) values (${project.id}, 0, 0)`),
    ...keys.map((key) => insertion(project.id, key, at)),
  ])
}

export async function insertKey(db: Database, project: string, key: ProjectKey, at: string): Promise<void> {
  await db.query(insertion(project, key, at))
}

/** Takes a key away; whether there was one. */
export async function deleteKey(db: Database, project: string, id: string): Promise<boolean> {
  const rows = await db.query(sql`delete from project_keys where id = ${id} and project_id = ${project} returning id`)
  return rows.length > 0
}

/** The keys of a project, the oldest first. A secret one is not readable. */
export async function selectKeys(
  db: Database,
  project: string,
): Promise<{ id: string; secret: boolean; key: string | null; createdAt: string }[]> {
  const rows = await db.query<{ id: string; secret: boolean; key: string | null; created_at: string }>(sql`
    select id, secret, key, created_at from project_keys where project_id = ${project} order by id`)
  return rows.map(({ created_at: createdAt, ...row }) => ({ ...row, createdAt }))
}

function insertion(project: string, { hash, id, secret, readable }: ProjectKey, at: string): Fragment {
  return writing(sql`
    insert into project_keys (key_hash, project_id, id, secret, key, created_at)
    values (${hash}, ${project}, ${id}, ${secret}, ${readable}, ${at})
    on conflict do nothing`)
}

export async function selectProject(db: Database, id: string): Promise<Project | undefined> {
  const [row] = await db.query<ProjectRow>(sql`select id, name, settings from projects where id = ${id}`)
  return row && projectFromRow(row)
}

/** The project of that key, and whether the key is a secret one. */
export async function selectProjectByKey(
  db: Database,
  keyHash: string,
): Promise<{ project: Project; keyId: string; secret: boolean } | undefined> {
  const [row] = await db.query<ProjectRow & { key_id: string; secret: boolean }>(sql`
    select p.id, p.name, p.settings, k.id as key_id, k.secret
    from project_keys k
    join projects p on p.id = k.project_id
    where k.key_hash = ${keyHash}`)
  return row && { project: projectFromRow(row), keyId: row.key_id, secret: row.secret }
}

/** The project of the key with that id, while there is such a key. */
export async function selectProjectByKeyId(
  db: Database,
  project: string,
  keyId: string,
): Promise<{ project: Project; secret: boolean } | undefined> {
  const [row] = await db.query<ProjectRow & { secret: boolean }>(sql`
    select p.id, p.name, p.settings, k.secret
    from project_keys k
    join projects p on p.id = k.project_id
    where k.id = ${keyId} and k.project_id = ${project}`)
  return row && { project: projectFromRow(row), secret: row.secret }
}

/** Whether any project allows pages of that origin. */
export async function selectAllowsOrigin(db: Database, origin: string): Promise<boolean> {
  const [row] = await db.query<{ is_allowed: boolean }>(sql`
    select exists (
      select from projects p, jsonb_array_elements_text(p.settings -> 'allowedOrigins') as allowed (origin)
      where lower(allowed.origin) = ${origin.toLowerCase()}
    ) as is_allowed`)
  return row?.is_allowed ?? false
}

/** Whether any project names that address as where a provider sends browsers back to. */
export async function selectNamesRedirect(db: Database, url: string): Promise<boolean> {
  const [row] = await db.query<{ is_named: boolean }>(sql`
    select exists (
      select from projects p, jsonb_each_text(p.settings -> 'idp') as said (key, value)
      where said.key like 'IDP\\_%REDIRECT\\_URL' escape '\\' and said.value = ${url}
    ) as is_named`)
  return row?.is_named ?? false
}

/** The keys of a project as they are kept, the oldest first. */
export async function selectProjectKeys(db: Database, project: string): Promise<ProjectKey[]> {
  return db.query<{ id: string; hash: string; secret: boolean; readable: string | null }>(sql`
    select id, key_hash as hash, secret, key as readable
    from project_keys
    where project_id = ${project}
    order by created_at, id`)
}

export async function updateSettings(db: Database, id: string, settings: ProjectSettings): Promise<void> {
  await db.query(writing(sql`update projects set settings = ${JSON.stringify(settings)}::jsonb where id = ${id}`))
}

export function projectFromRow(row: ProjectRow): Project {
  return { id: row.id, name: row.name, settings: { ...defaultSettings, ...JSON.parse(row.settings) } }
}
