/** Logins that are on their way through an identity provider. Each is taken out once. */
import { type Database, sql } from '../database/database.js'

export interface PendingProviderLogin {
  readonly provider: string
  readonly verifier: string
  readonly nonce: string
  readonly redirectUrl: string
  /** Where this one ends, if not where the settings say. */
  readonly completeUrl: string | null
}

export async function insertLogin(
  db: Database,
  { stateHash, project, expiresAt }: { stateHash: string; project: string; expiresAt: string },
  { provider, verifier, nonce, redirectUrl, completeUrl }: PendingProviderLogin,
): Promise<void> {
  await db.query(sql`
    insert into idp_logins (state_hash, project_id, provider, verifier, nonce, redirect_url, complete_url, expires_at)
    values (${stateHash}, ${project}, ${provider}, ${verifier}, ${nonce}, ${redirectUrl}, ${completeUrl}, ${expiresAt})`)
}

/** Takes a login out: of many who ask at once, one gets it. What has expired by `at` is nobody's. */
export async function takeLogin(
  db: Database,
  { stateHash, project, at }: { stateHash: string; project: string; at: string },
): Promise<PendingProviderLogin | undefined> {
  const [row] = await db.query<{
    provider: string
    verifier: string
    nonce: string
    redirect_url: string
    complete_url: string | null
    is_alive: boolean
  }>(sql`
    delete from idp_logins
    where state_hash = ${stateHash} and project_id = ${project}
    returning provider, verifier, nonce, redirect_url, complete_url, expires_at > ${at}::timestamptz as is_alive`)
  if (!row?.is_alive) return undefined
  const { provider, verifier, nonce, redirect_url: redirectUrl, complete_url: completeUrl } = row
  return { provider, verifier, nonce, redirectUrl, completeUrl }
}

export async function deleteExpiredLogins(db: Database, at: string): Promise<void> {
  await db.query(sql`delete from idp_logins where expires_at <= ${at}`)
}
