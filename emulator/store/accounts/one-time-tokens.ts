/** Stores the tokens that mails carry: as hashes, for one purpose each, and for one use. Contract 6.8. */
import { type Database, nothing, sql, writing } from '../../database/port.js'

export type Purpose = 'verify email' | 'reset password'

export interface OneTimeToken {
  readonly user: string
  readonly purpose: Purpose
  /** The key of the address it is mailed to. */
  readonly email: string
  readonly hash: string
  readonly at: string
  readonly expiresAt: string
}

/** Replaces the user's last token for the purpose, unless that was created within `rest`. Returns whether it did. */
export async function upsertToken(
  db: Database,
  { user, purpose, email, hash, at, expiresAt }: OneTimeToken,
  rest?: { readonly after: string; readonly until: string },
): Promise<boolean> {
  const rows = await db.query(
    writing(sql`
    insert into one_time_tokens as t (user_id, purpose, email, token_hash, created_at, expires_at)
    select id, ${purpose}, ${email}, ${hash}, ${at}::timestamptz, ${expiresAt}::timestamptz
    from users
    where id = ${user}
    on conflict (user_id, purpose) do update
    set email = excluded.email, token_hash = excluded.token_hash, created_at = excluded.created_at,
      expires_at = excluded.expires_at
    ${rest ? sql`where t.created_at <= ${rest.after}::timestamptz or t.created_at > ${rest.until}::timestamptz` : nothing}
    returning user_id`),
  )
  return rows.length > 0
}

export async function selectTokenTime(db: Database, user: string, purpose: Purpose): Promise<string | undefined> {
  const [row] = await db.query<{ created_at: string }>(sql`
    select created_at from one_time_tokens where user_id = ${user} and purpose = ${purpose}`)
  return row?.created_at
}

type Known = Pick<OneTimeToken, 'purpose' | 'hash'>

/** Finds the user of a token, and when it expires. */
export async function selectTokenOwner(
  db: Database,
  { purpose, hash }: Known,
): Promise<{ user: string; project: string; expiresAt: string } | undefined> {
  const [row] = await db.query<{ id: string; project_id: string; expires_at: string }>(sql`
    select u.id, u.project_id, t.expires_at
    from one_time_tokens t
    join users u on u.id = t.user_id
    where t.token_hash = ${hash} and t.purpose = ${purpose} and t.email in (u.email_key, u.email)`)
  return row && { user: row.id, project: row.project_id, expiresAt: row.expires_at }
}

/** Uses up a token and returns the address it was mailed to. Of concurrent calls, one gets it. */
export async function deleteToken(
  db: Database,
  { purpose, hash, at }: Known & Pick<OneTimeToken, 'at'>,
): Promise<string | undefined> {
  const [row] = await db.query<{ email: string }>(sql`
    delete from one_time_tokens
    where token_hash = ${hash} and purpose = ${purpose} and expires_at > ${at}
    returning email`)
  return row?.email
}

/** Invalidates a user's tokens for a purpose. */
export async function deleteTokens(db: Database, user: string, purpose: Purpose): Promise<void> {
  await db.query(sql`delete from one_time_tokens where user_id = ${user} and purpose = ${purpose}`)
}
