import { defaultSettings, type Project, type ProjectSettings } from '../../client/protocol/model/project.js'
import { type Database, type Fragment, sql, writing } from '../database/port.js'

export interface ProjectRow {
  id: string
  name: string
  settings: string
}

/** A key, as requests need it. */
export interface GrantedKey {
  readonly id: string
  readonly secret: boolean
  /** null if none was given. */
  readonly name: string | null
  /** The scopes; null for everything that its kind may do. */
  readonly scopes: readonly string[] | null
  readonly expiresAt: string | null
}

/** A key as stored: only a public one is readable. */
export interface ProjectKey extends GrantedKey {
  readonly hash: string
  readonly readable: string | null
}

/** A key as its owner sees it. */
export interface ListedKey extends GrantedKey {
  /** null for a secret key. */
  readonly key: string | null
  readonly createdAt: string
  readonly lastUsedAt: string | null
}

/** @param beginning the number before its first change */
export async function insertProject(
  db: Database,
  project: Project,
  keys: readonly ProjectKey[],
  at: string,
  beginning = 0,
): Promise<void> {
  await db.batch([
    writing(sql`insert into projects (id, name, settings, created_at)
        values (${project.id}, ${project.name}, ${JSON.stringify(project.settings)}::jsonb, ${at})`),
    writing(sql`insert into sequences (project_id, last_seq, kept_after)
        values (${project.id}, ${beginning}::bigint, ${beginning}::bigint)`),
    writing(sql`insert into user_counts (project_id, users) values (${project.id}, 0)`),
    writing(sql`insert into file_totals (project_id, files, bytes) values (${project.id}, 0, 0)`),
    ...keys.map((key) => insertion(project.id, key, at)),
  ])
}

export async function insertKey(db: Database, project: string, key: ProjectKey, at: string): Promise<void> {
  await db.query(insertion(project, key, at))
}

/** Deletes a key. Returns whether it existed. */
export async function deleteKey(db: Database, project: string, id: string): Promise<boolean> {
  const rows = await db.query(sql`delete from project_keys where id = ${id} and project_id = ${project} returning id`)
  return rows.length > 0
}

/** Returns the keys of a project, oldest first. Secret keys are not readable. */
export async function selectKeys(db: Database, project: string): Promise<ListedKey[]> {
  const rows = await db.query<KeyRow & { key: string | null; created_at: string; last_used_at: string | null }>(sql`
    select ${keyColumns}, k.key, k.created_at, k.last_used_at
    from project_keys k
    where k.project_id = ${project}
    order by k.id`)
  return rows.map((row) => ({
    ...grantedFromRow(row),
    key: row.key,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
  }))
}

/** Records when keys were last used, unless a later time is stored. */
export async function updateKeyUses(db: Database, uses: ReadonlyMap<string, string>): Promise<void> {
  await db.query(
    writing(sql`
    update project_keys k set last_used_at = greatest(k.last_used_at, used.at)
    from unnest(${[...uses.keys()]}::uuid[], ${[...uses.values()]}::timestamptz[]) as used (id, at)
    where k.id = used.id`),
  )
}

function insertion(project: string, key: ProjectKey, at: string): Fragment {
  const scopes = key.scopes && JSON.stringify(key.scopes)
  return writing(sql`
    insert into project_keys (key_hash, project_id, id, secret, key, created_at, name, scopes, expires_at)
    values (${key.hash}, ${project}, ${key.id}, ${key.secret}, ${key.readable}, ${at}, ${key.name}, ${scopes}::jsonb,
      ${key.expiresAt}::timestamptz)
    on conflict do nothing`)
}

export interface KeyRow {
  key_id: string
  secret: boolean
  key_name: string | null
  scopes: string | null
  key_expires_at: string | null
}

/** Columns of `project_keys k`. */
export const keyColumns = sql`k.id as key_id, k.secret, k.name as key_name, k.scopes, k.expires_at as key_expires_at`

export function grantedFromRow(row: KeyRow): GrantedKey {
  const scopes = row.scopes === null ? null : JSON.parse(row.scopes)
  return { id: row.key_id, secret: row.secret, name: row.key_name, scopes, expiresAt: row.key_expires_at }
}

export async function selectProject(db: Database, id: string): Promise<Project | undefined> {
  const [row] = await db.query<ProjectRow>(sql`select id, name, settings from projects where id = ${id}`)
  return row && projectFromRow(row)
}

/** Returns the existing projects among the ids. */
export async function selectProjectsById(db: Database, ids: readonly string[]): Promise<Map<string, Project>> {
  if (ids.length === 0) return new Map()
  const rows = await db.query<ProjectRow>(sql`select id, name, settings from projects where id = any(${ids}::text[])`)
  return new Map(rows.map((row) => [row.id, projectFromRow(row)]))
}

/** A project in lists. */
export interface ListedProject {
  readonly id: string
  readonly name: string
  readonly createdAt: string
}

/** Returns projects in order of their ids, after one. */
export async function selectProjects(
  db: Database,
  { after = '', limit }: { readonly after: string | undefined; readonly limit: number },
): Promise<ListedProject[]> {
  const rows = await db.query<{ id: string; name: string; created_at: string }>(sql`
    select id, name, created_at from projects
    where id collate "C" > ${after}
    order by id collate "C"
    limit ${limit}::int`)
  return rows.map((row) => ({ id: row.id, name: row.name, createdAt: row.created_at }))
}

/** Loads and locks a project until the transaction ends. */
export async function lockProject(db: Database, id: string): Promise<Project | undefined> {
  const [row] = await db.query<ProjectRow>(
    sql`select id, name, settings from projects where id = ${id} for no key update`,
  )
  return row && projectFromRow(row)
}

/** Finds the project of a key, and the key's scopes. */
export async function selectProjectByKey(
  db: Database,
  keyHash: string,
): Promise<{ project: Project; key: GrantedKey } | undefined> {
  const [row] = await db.query<ProjectRow & KeyRow>(sql`
    select p.id, p.name, p.settings, ${keyColumns}
    from project_keys k
    join projects p on p.id = k.project_id
    where k.key_hash = ${keyHash}`)
  return row && { project: projectFromRow(row), key: grantedFromRow(row) }
}

/** Finds the project of a key by the key's id. Undefined if the key was deleted. */
export async function selectProjectByKeyId(
  db: Database,
  project: string,
  keyId: string,
): Promise<{ project: Project; key: GrantedKey } | undefined> {
  const [row] = await db.query<ProjectRow & KeyRow>(sql`
    select p.id, p.name, p.settings, ${keyColumns}
    from project_keys k
    join projects p on p.id = k.project_id
    where k.id = ${keyId} and k.project_id = ${project}`)
  return row && { project: projectFromRow(row), key: grantedFromRow(row) }
}

/** Returns the existing keys among the ids, each with its project. */
export async function selectKeysById(
  db: Database,
  ids: readonly string[],
): Promise<{ project: string; key: GrantedKey }[]> {
  if (ids.length === 0) return []
  const rows = await db.query<KeyRow & { project_id: string }>(sql`
    select k.project_id, ${keyColumns}
    from project_keys k
    where k.id = any(${ids}::uuid[])`)
  return rows.map((row) => ({ project: row.project_id, key: grantedFromRow(row) }))
}

/** Returns the origins that any project allows, in lower case. */
export async function selectAllowedOrigins(db: Database): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ origin: string }>(sql`
    select distinct lower(allowed.origin) as origin
    from projects p, jsonb_array_elements_text(p.settings -> 'allowedOrigins') as allowed (origin)`)
  return new Set(rows.map(({ origin }) => origin))
}

/** Whether any project has the address as a redirect URL of a provider. */
export async function selectIsRedirectAllowed(db: Database, url: string): Promise<boolean> {
  const [row] = await db.query<{ is_named: boolean }>(sql`
    select exists (
      select from projects p, jsonb_each_text(p.settings -> 'idp') as said (key, value)
      where said.key like 'IDP\\_%REDIRECT\\_URL' escape '\\' and said.value = ${url}
    ) as is_named`)
  return row?.is_named ?? false
}

/** Returns the keys of a project as stored, oldest first. */
export async function selectProjectKeys(db: Database, project: string): Promise<ProjectKey[]> {
  const rows = await db.query<KeyRow & { hash: string; readable: string | null }>(sql`
    select ${keyColumns}, k.key_hash as hash, k.key as readable
    from project_keys k
    where k.project_id = ${project}
    order by k.created_at, k.id`)
  return rows.map((row) => ({ ...grantedFromRow(row), hash: row.hash, readable: row.readable }))
}

export async function updateSettings(db: Database, id: string, settings: ProjectSettings): Promise<void> {
  await db.query(writing(sql`update projects set settings = ${JSON.stringify(settings)}::jsonb where id = ${id}`))
}

export function projectFromRow(row: ProjectRow): Project {
  return { id: row.id, name: row.name, settings: { ...defaultSettings, ...JSON.parse(row.settings) } }
}
