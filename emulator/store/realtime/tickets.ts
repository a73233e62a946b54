import type { Project } from '../../../client/protocol/model/project.js'
import { type Database, sql, writing } from '../../database/port.js'
import {
  type GrantedKey,
  grantedFromRow,
  type KeyRow,
  keyColumns,
  type ProjectRow,
  projectFromRow,
} from '../projects.js'

export interface TicketRow {
  readonly hash: string
  readonly project: string
  readonly key: string | null
  readonly session: string | null
  readonly user: string | null
  readonly expiresAt: string
}

export async function insertTicket(db: Database, ticket: TicketRow): Promise<void> {
  const { hash, project, key, session, user, expiresAt } = ticket
  await db.query(
    writing(sql`
    insert into realtime_tickets (ticket_hash, project_id, key_id, session_id, user_id, expires_at)
    values (${hash}, ${project}, ${key}, ${session}, ${user}, ${expiresAt})`),
  )
}

interface TakenTicket {
  readonly project: Project
  /** The key that asked for it; `gone` if it has been deleted. */
  readonly key: GrantedKey | 'gone' | null
  readonly session: string | null
  readonly user: string | null
  readonly expiresAt: string
}

/** Uses up a ticket, even an expired one. Of concurrent calls, one gets it. */
export async function deleteTicket(db: Database, hash: string): Promise<TakenTicket | undefined> {
  const [row] = await db.query<
    ProjectRow & {
      [Column in keyof KeyRow]: KeyRow[Column] | null
    } & {
      asking_key_id: string | null
      session_id: string | null
      user_id: string | null
      expires_at: string
    }
  >(sql`
    with taken as (
      delete from realtime_tickets where ticket_hash = ${hash}
      returning project_id, key_id, session_id, user_id, expires_at
    )
    select p.id, p.name, p.settings, ${keyColumns}, taken.key_id as asking_key_id, taken.session_id, taken.user_id,
      taken.expires_at
    from taken
    join projects p on p.id = taken.project_id
    left join project_keys k on k.id = taken.key_id`)
  if (!row) return undefined
  const { key_id: id, secret, ...rest } = row
  const lost = row.asking_key_id === null ? null : 'gone'
  const key = id === null ? lost : grantedFromRow({ ...rest, key_id: id, secret: secret === true })
  return { project: projectFromRow(row), key, session: row.session_id, user: row.user_id, expiresAt: row.expires_at }
}
