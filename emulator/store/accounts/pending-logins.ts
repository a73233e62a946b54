import { type Database, sql, writing } from '../../database/port.js'

/** A login whose password was correct and whose code is still missing. */
export interface PendingLogin {
  /** The hash of the mailed code; `null` if the code comes from an authenticator. */
  readonly codeHash: string | null
  readonly wrongCodes: number
  readonly expiresAt: string
}

/** Opens a login and replaces an open one. */
export async function upsertPendingLogin(
  db: Database,
  user: string,
  { codeHash, expiresAt }: Omit<PendingLogin, 'wrongCodes'>,
): Promise<void> {
  await db.query(
    writing(sql`
    insert into pending_logins (user_id, code_hash, wrong_codes, expires_at)
    values (${user}, ${codeHash}, 0, ${expiresAt})
    on conflict (user_id) do update
    set code_hash = excluded.code_hash, wrong_codes = 0, expires_at = excluded.expires_at`),
  )
}

/** Loads and locks the open login of a user until the transaction ends. */
export async function lockPendingLogin(tx: Database, user: string): Promise<PendingLogin | undefined> {
  const [row] = await tx.query<{ code_hash: string | null; wrong_codes: number; expires_at: string }>(sql`
    select code_hash, wrong_codes, expires_at from pending_logins where user_id = ${user} for update`)
  return row && { codeHash: row.code_hash, wrongCodes: row.wrong_codes, expiresAt: row.expires_at }
}

/** Adds a mailed code to an open login. Keeps its wrong codes and its end. */
export async function updateCodeHash(tx: Database, user: string, hash: string): Promise<void> {
  await tx.query(writing(sql`update pending_logins set code_hash = ${hash} where user_id = ${user}`))
}

export async function updateWrongCodes(tx: Database, user: string): Promise<void> {
  await tx.query(writing(sql`update pending_logins set wrong_codes = wrong_codes + 1 where user_id = ${user}`))
}

export async function deletePendingLogin(db: Database, user: string): Promise<void> {
  await db.query(sql`delete from pending_logins where user_id = ${user}`)
}
