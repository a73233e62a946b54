import type { Project } from '../../../client/protocol/model/project.js'
import { type Database, sql, writing } from '../../database/port.js'
import { type ProjectRow, projectFromRow } from '../projects.js'

/** A session, with the properties of its user that each request needs. */
export interface SessionRow {
  readonly id: string
  readonly user_id: string
  readonly signed_in_at: string
  readonly roles: string
  /** `data.role` as the owner wrote it. */
  readonly trusted_role: string | null
  readonly email_verified: boolean
}

/** Columns of `sessions s` and `users u`. */
const columns = sql`s.id, s.user_id, s.signed_in_at, u.roles, u.email_verified, u.trusted_role`

interface SessionKey {
  readonly user: string
  readonly project: string
  readonly session: string
}

/** Returns the session that a token names, with the secret to check the token. Undefined if it has ended. */
export async function selectSession(
  db: Database,
  { user, project, session }: SessionKey,
  at: string,
): Promise<{ row: SessionRow; project: Project; tokenSecret: string } | undefined> {
  const [row] = await db.query<SessionRow & ProjectRow & { project_id: string; token_secret: string }>(sql`
    select ${columns}, p.id as project_id, p.name, p.settings, p.token_secret
    from sessions s
    join users u on u.id = s.user_id
    join projects p on p.id = s.project_id
    where s.id = ${session} and s.user_id = ${user} and s.project_id = ${project} and s.expires_at > ${at}`)
  return row && { row, project: projectFromRow({ ...row, id: row.project_id }), tokenSecret: row.token_secret }
}

/** A session with its expiry. */
export interface StandingSession extends SessionRow {
  readonly expires_at: string
}

/** Returns the sessions that have not been ended, by id. */
export async function selectSessions(db: Database, ids: readonly string[]): Promise<Map<string, StandingSession>> {
  if (ids.length === 0) return new Map()
  const rows = await db.query<StandingSession>(sql`
    select ${columns}, s.expires_at
    from sessions s
    join users u on u.id = s.user_id
    where s.id = any(${ids}::uuid[])`)
  return new Map(rows.map((row) => [row.id, row]))
}

export interface NewSession {
  readonly id: string
  readonly project: string
  readonly user: string
  readonly at: string
  readonly expiresAt: string
}

export async function insertSession(db: Database, { id, project, user, at, expiresAt }: NewSession): Promise<void> {
  await db.query(
    writing(sql`
    insert into sessions (id, project_id, user_id, signed_in_at, expires_at)
    values (${id}, ${project}, ${user}, ${at}, ${expiresAt})`),
  )
}

/** Extends a session. Returns false if it has ended. */
export async function updateSessionExpiry(db: Database, id: string, expiresAt: string): Promise<boolean> {
  const rows = await db.query(
    writing(sql`
    update sessions set expires_at = greatest(expires_at, ${expiresAt}::timestamptz) where id = ${id} returning id`),
  )
  return rows.length > 0
}

export async function deleteSession(db: Database, id: string): Promise<void> {
  await db.query(sql`delete from sessions where id = ${id}`)
}

/** Ends all sessions of a user except one. */
export async function deleteUserSessions(db: Database, user: string, but: string | null): Promise<void> {
  await db.query(sql`delete from sessions where user_id = ${user} and id is distinct from ${but}::uuid`)
}

export interface ListedSession {
  readonly id: string
  readonly signedInAt: string
  readonly expiresAt: string
}

/** Returns the unexpired sessions of a user, oldest first. */
export async function selectUserSessions(db: Database, user: string, at: string): Promise<ListedSession[]> {
  const rows = await db.query<{ id: string; signed_in_at: string; expires_at: string }>(sql`
    select id, signed_in_at, expires_at from sessions where user_id = ${user} and expires_at > ${at} order by id`)
  return rows.map((row) => ({ id: row.id, signedInAt: row.signed_in_at, expiresAt: row.expires_at }))
}

/** Ends a session of a user. Returns whether it existed. */
export async function deleteUserSession(db: Database, user: string, id: string): Promise<boolean> {
  const rows = await db.query(sql`delete from sessions where id = ${id} and user_id = ${user} returning id`)
  return rows.length > 0
}

export async function selectTokenSecret(db: Database, project: string): Promise<string | undefined> {
  const [row] = await db.query<{ token_secret: string }>(sql`select token_secret from projects where id = ${project}`)
  return row?.token_secret
}
