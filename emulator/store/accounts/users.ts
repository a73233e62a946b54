import type { StoredUser } from '../../../client/protocol/model/document.js'
import { JsonText } from '../../../client/protocol/model/json.js'
import type { ListQuery, Page } from '../../../client/protocol/model/page.js'
import type { Project } from '../../../client/protocol/model/project.js'
import { type Database, nothing, sql, writing } from '../../database/port.js'
import { buildUserPage, type UserListTarget } from '../lists/users.js'

/** A user as returned by the store. It has only these columns. */
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

/** A new user. `emailKey` is used to compare addresses. */
export interface NewUser {
  readonly id: string
  readonly email: string
  readonly emailKey: string
  readonly json: string
  readonly roles: readonly string[]
  readonly oauth: { readonly provider: string; readonly subject: string } | null
  readonly emailVerified: boolean
  readonly passwordHash: string | null
  readonly at: string
}

/**
 * Belongs to no user. For an unknown user, the same statements look for this id, so that their timing reveals nothing.
 */
export const noUserId = '00000000-0000-0000-0000-000000000000'

const columns = sql`u.id, u.email, u.data, u.roles, u.oauth_id, u.email_verified, u.created_at, u.updated_at`

/** Inserts a user with the secrets, and counts it. Returns undefined if the address is taken. */
export async function insertUser(db: Database, project: string, user: NewUser): Promise<StoredUser | undefined> {
  const { id, email, emailKey, json, roles, oauth, emailVerified, passwordHash, at } = user
  const [row] = await db.query<UserRow>(
    writing(sql`
    with inserted as (
      insert into users as u (id, project_id, email, email_key, data, roles, oauth_provider, oauth_id, email_verified,
        created_at, updated_at)
      values (${id}, ${project}, ${email}, ${emailKey}, ${json}::jsonb, ${JSON.stringify(roles)}::jsonb,
        ${oauth?.provider ?? null}, ${oauth?.subject ?? null}, ${emailVerified}, ${at}, ${at})
      on conflict do nothing
      returning ${columns}
    ), kept as (
      insert into user_secrets (user_id, password_hash) select id, ${passwordHash} from inserted
    ), counted as (
      update user_counts set users = users + 1 where project_id = ${project} and exists (select from inserted)
    )
    select * from inserted`),
  )
  return row && fromRow(row)
}

export async function selectUser(db: Database, project: string, id: string): Promise<StoredUser | undefined> {
  const [user] = await selectUsersById(db, project, [id])
  return user
}

/** Returns the users of the project among the ids. */
export async function selectUsersById(db: Database, project: string, ids: readonly string[]): Promise<StoredUser[]> {
  const rows = await db.query<UserRow>(sql`
    select ${columns} from users u where u.id = any(${ids}::uuid[]) and u.project_id = ${project}`)
  return rows.map(fromRow)
}

/** A user as permissions see one. */
export interface UserToAsk {
  readonly id: string
  readonly email: string
  readonly emailKey: string
  readonly roles: readonly string[]
  readonly isVerified: boolean
}

/** Returns the users of the project among ids and addresses, with the roles that their tokens have. */
export async function selectUsersToAsk(
  db: Database,
  { id, settings: { trustDataRole } }: Pick<Project, 'id' | 'settings'>,
  given: readonly string[],
): Promise<UserToAsk[]> {
  type Row = Pick<UserRow, 'id' | 'email' | 'roles' | 'email_verified'> & {
    email_key: string
    trusted_role: string | null
  }
  const rows = await db.query<Row>(sql`
    select u.id, u.email, u.email_key, u.roles, u.trusted_role, u.email_verified
    from users u
    where u.project_id = ${id}
      and (u.id::text = any(${given}::text[]) or u.email_key = any(${given.map((one) => one.toLowerCase())}::text[]))`)
  return rows.map((row) => {
    const roles: string[] = JSON.parse(row.roles)
    const trusted = trustDataRole && row.trusted_role !== null ? [row.trusted_role] : []
    const { id, email, email_key: emailKey, email_verified: isVerified } = row
    return { id, email, emailKey, isVerified, roles: [...roles, ...trusted] }
  })
}

export async function selectUserByEmail(
  db: Database,
  project: string,
  emailKey: string,
): Promise<StoredUser | undefined> {
  const [row] = await db.query<UserRow>(sql`
    select ${columns} from users u where u.project_id = ${project} and u.email_key = ${emailKey}`)
  return row && fromRow(row)
}

export async function selectUserBySubject(
  db: Database,
  project: string,
  { provider, subject }: { provider: string; subject: string },
): Promise<StoredUser | undefined> {
  const [row] = await db.query<UserRow>(sql`
    select ${columns}
    from users u
    where u.project_id = ${project} and u.oauth_provider = ${provider} and u.oauth_id = ${subject}`)
  return row && fromRow(row)
}

/** Returns some users of a project, newest first. */
export async function selectNewestUsers(
  db: Database,
  project: string,
  {
    emailKey,
    after,
    limit,
  }: { readonly emailKey: string | undefined; readonly after: string | undefined; readonly limit: number },
): Promise<StoredUser[]> {
  const rows = await db.query<UserRow>(sql`
    select ${columns}
    from users u
    where u.project_id = ${project}
      ${emailKey === undefined ? nothing : sql`and u.email_key = ${emailKey}`}
      ${after === undefined ? nothing : sql`and u.id < ${after}`}
    order by u.project_id desc, u.id desc
    limit ${limit}`)
  return rows.map(fromRow)
}

/** Loads and locks a user until the transaction ends. */
export async function lockUser(tx: Database, project: string, id: string): Promise<StoredUser | undefined> {
  const [row] = await tx.query<UserRow>(sql`
    select ${columns} from users u where u.id = ${id} and u.project_id = ${project} for update`)
  return row && fromRow(row)
}

export async function selectProjectOfUser(db: Database, id: string): Promise<string | undefined> {
  const [row] = await db.query<{ project_id: string }>(sql`select project_id from users where id = ${id}`)
  return row?.project_id
}

export interface UserChanges {
  readonly json?: string
  readonly email?: { readonly shown: string; readonly key: string }
  readonly roles?: readonly string[]
  readonly emailVerified?: boolean
  /** `data.role` when its owner writes it; `null` revokes the trust. */
  readonly trustedRole?: string | null
  readonly oauth?: NonNullable<NewUser['oauth']>
}

/**
 * Changes the given fields and keeps the rest.
 * @throws {DatabaseError} `taken` for the email or the identity of another user
 */
export async function updateUser(
  db: Database,
  id: string,
  { json, email, roles, emailVerified, trustedRole, oauth }: UserChanges,
  at: string,
): Promise<StoredUser | undefined> {
  const update = writing(sql`
    update users u
    set version = u.version + 1, updated_at = ${at}
      ${json === undefined ? nothing : sql`, data = ${json}::jsonb`}
      ${email === undefined ? nothing : sql`, email = ${email.shown}, email_key = ${email.key}`}
      ${roles === undefined ? nothing : sql`, roles = ${JSON.stringify(roles)}::jsonb`}
      ${emailVerified === undefined ? nothing : sql`, email_verified = ${emailVerified}`}
      ${trustedRole === undefined ? nothing : sql`, trusted_role = ${trustedRole}`}
      ${oauth === undefined ? nothing : sql`, oauth_provider = ${oauth.provider}, oauth_id = ${oauth.subject}`}
    where u.id = ${id}
    returning ${columns}`)
  const [row] = await db.query<UserRow>(update)
  return row && fromRow(row)
}

/** Revokes the trust in all roles written so far. */
export async function deleteTrustedRoles(db: Database, project: string): Promise<void> {
  await db.query(
    writing(sql`update users set trusted_role = null where project_id = ${project} and trusted_role is not null`),
  )
}

/** Deletes a user and all dependent rows. Returns whether it existed. */
export async function deleteUser(db: Database, project: string, id: string): Promise<boolean> {
  const rows = await db.query(
    writing(sql`
    with deleted as (
      delete from users where id = ${id} and project_id = ${project} returning id
    ), counted as (
      update user_counts set users = users - 1 where project_id = ${project} and exists (select from deleted)
    )
    select id from deleted`),
  )
  return rows.length > 0
}

/** Deletes all users of a project, and returns how many. */
export async function deleteUsers(db: Database, project: string): Promise<number> {
  const rows = await db.query(
    writing(sql`
    with deleted as (
      delete from users where project_id = ${project} returning id
    ), counted as (
      update user_counts set users = users - (select count(*) from deleted) where project_id = ${project}
    )
    select id from deleted`),
  )
  return rows.length
}

/** Returns a page of the project's users and, if asked, the total, from one snapshot of the database. Contract 6.10. */
export async function selectUsers(db: Database, target: UserListTarget, query: ListQuery): Promise<Page<StoredUser>> {
  const rows = await db.query<{ total: number | null } & ({ id: null } | UserRow)>(buildUserPage(target, query))
  return {
    items: rows.filter((row) => row.id !== null).map(fromRow),
    total: query.count ? (rows[0]?.total ?? 0) : null,
    limit: query.limit,
    offset: query.offset,
  }
}

function fromRow(row: UserRow): StoredUser {
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
