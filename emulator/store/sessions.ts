import type { Project } from '../../client/model/project.js'
import { type Database, sql } from '../database/database.js'
import { fromRow, type ProjectRow } from './projects.js'

/** A session, and of its user what each request has to know. */
export interface SessionRow {
  readonly id: string
  readonly user_id: string
  readonly signed_in_at: string
  readonly roles: string
  readonly data_role: string | null
  readonly email_verified: boolean
}

interface Place {
  readonly user: string
  readonly project: string
  readonly session: string
}

/** The session that a token names, with what checks the token. Nothing if it has ended. */
export async function selectSession(
  db: Database,
  { user, project, session }: Place,
  at: string,
): Promise<{ row: SessionRow; project: Project; tokenSecret: string } | undefined> {
  const [row] = await db.query<SessionRow & ProjectRow & { project_id: string; token_secret: string }>(sql`
    select s.id, s.user_id, s.signed_in_at, u.roles, u.email_verified,
      case jsonb_typeof(u.data -> 'role') when 'string' then u.data ->> 'role' end as data_role,
      p.id as project_id, p.name, p.settings, p.token_secret
    from sessions s
    join users u on u.id = s.user_id
    join projects p on p.id = s.project_id
    where s.id = ${session} and s.user_id = ${user} and s.project_id = ${project} and s.expires_at > ${at}`)
  return row && { row, project: fromRow({ ...row, id: row.project_id }), tokenSecret: row.token_secret }
}
