import { JsonText } from '../../client/model/json.js'
import type { OutgoingUser } from '../../client/model/user.js'
import { type Database, sql } from '../database/database.js'

/** A user as it leaves the store: the columns named here, and no others. */
export interface UserRow {
  readonly id: string
  readonly email: string
  readonly data: string
  readonly roles: string
  readonly oauth_id: string | null
  readonly email_verified: boolean
  readonly created_at: string
  readonly updated_at: string
}

const columns = sql`u.id, u.email, u.data, u.roles, u.oauth_id, u.email_verified, u.created_at, u.updated_at`

/** Those of the ids that are users of the project. */
export async function selectUsersById(db: Database, project: string, ids: readonly string[]): Promise<OutgoingUser[]> {
  const rows = await db.query<UserRow>(sql`
    select ${columns} from users u where u.id = any(${ids}::uuid[]) and u.project_id = ${project}`)
  return rows.map(fromRow)
}

function fromRow(row: UserRow): OutgoingUser {
  return {
    id: row.id,
    email: row.email,
    data: new JsonText(row.data),
    roles: JSON.parse(row.roles),
    oauthId: row.oauth_id,
    emailVerified: row.email_verified,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
