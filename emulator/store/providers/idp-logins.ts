/** Stores pending logins through identity providers. Each can be taken once. */
import { type Database, sql, writing } from '../../database/port.js'

export interface PendingProviderLogin {
  readonly provider: string
  readonly verifier: string
  readonly nonce: string
  readonly redirectUrl: string
  /** The page where the login ends, if different from the settings. */
  readonly completeUrl: string | null
  /** The provider's login address, if a browser started the login. The browser gets it when it sets out. */
  readonly loginUrl: string | null
}

export async function insertLogin(
  db: Database,
  { stateHash, project, expiresAt }: { stateHash: string; project: string; expiresAt: string },
  { provider, verifier, nonce, redirectUrl, completeUrl, loginUrl }: PendingProviderLogin,
): Promise<void> {
  await db.query(
    writing(sql`
    insert into idp_logins (state_hash, project_id, provider, verifier, nonce, redirect_url, complete_url,
      login_url, expires_at)
    values (${stateHash}, ${project}, ${provider}, ${verifier}, ${nonce}, ${redirectUrl}, ${completeUrl},
      ${loginUrl}, ${expiresAt})`),
  )
}

interface Returning {
  readonly stateHash: string
  readonly project: string
  readonly at: string
  /** The hash of the browser's secret; `null` without one. */
  readonly browserHash: string | null
}

/**
 * Binds a login to the first browser that sets out, and returns the address to send it to. That browser may repeat
 * this.
 */
export async function updateLogin(
  db: Database,
  { stateHash, project, at, browserHash, shownHash }: Returning & { readonly shownHash: string | null },
): Promise<{ loginUrl: string; redirectUrl: string } | undefined> {
  const [row] = await db.query<{ login_url: string; redirect_url: string }>(
    writing(sql`
    update idp_logins
    set browser_hash = ${browserHash}
    where state_hash = ${stateHash} and project_id = ${project} and expires_at > ${at}
      and login_url is not null and (browser_hash is null or browser_hash = ${shownHash})
    returning login_url, redirect_url`),
  )
  return row && { loginUrl: row.login_url, redirectUrl: row.redirect_url }
}

/**
 * Takes a login out: of concurrent calls, one gets it. Never returns an expired login, or one bound to another browser.
 */
export async function deleteLogin(
  db: Database,
  { stateHash, project, at, browserHash }: Returning,
): Promise<PendingProviderLogin | undefined> {
  const [row] = await db.query<{
    provider: string
    verifier: string
    nonce: string
    redirect_url: string
    complete_url: string | null
    login_url: string | null
    is_alive: boolean
  }>(sql`
    delete from idp_logins
    where state_hash = ${stateHash} and project_id = ${project}
      and (login_url is null or browser_hash = ${browserHash})
    returning provider, verifier, nonce, redirect_url, complete_url, login_url, expires_at > ${at}::timestamptz as is_alive`)
  if (!row?.is_alive) return undefined
  const { provider, verifier, nonce, redirect_url: redirectUrl, complete_url: completeUrl, login_url: loginUrl } = row
  return { provider, verifier, nonce, redirectUrl, completeUrl, loginUrl }
}
