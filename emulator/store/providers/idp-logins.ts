/** Logins that are on their way through an identity provider. Each is taken out once. */
import { type Database, sql, writing } from '../../database/port.js'

export interface PendingProviderLogin {
  readonly provider: string
  readonly verifier: string
  readonly nonce: string
  readonly redirectUrl: string
  /** Where this one ends, if not where the settings say. */
  readonly completeUrl: string | null
  /** Where a browser asked: the address at the provider, which it learns when it sets out. */
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
  /** Of what the browser shows; `null` where it shows nothing. */
  readonly browserHash: string | null
}

/** Binds a login to the first browser that sets out, and answers where to send it: the same browser may do so again. */
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
 * Takes a login out: of many who ask at once, one gets it. What has expired by `at` is not handed out, and what a browser asked
 * for is that browser's.
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
