/** Stores the secrets of users. No filter, sort or populate reaches this table. */
import { type Database, nothing, sql, writing } from '../../database/port.js'

export interface UserSecrets {
  readonly passwordHash: string | null
  readonly totpSecret: string | null
  readonly pendingTotpSecret: string | null
  /** The 30-second step whose code was used last. */
  readonly totpLastStep: number | null
  readonly recoveryHashes: readonly string[]
}

interface SecretsRow {
  password_hash: string | null
  totp_secret: string | null
  pending_totp_secret: string | null
  totp_last_step: number | null
  recovery_hashes: string
}

/** With `lock`, locked until the transaction ends. */
export async function selectSecrets(
  db: Database,
  user: string,
  { lock = false } = {},
): Promise<UserSecrets | undefined> {
  const [row] = await db.query<SecretsRow>(sql`
    select password_hash, totp_secret, pending_totp_secret, totp_last_step, recovery_hashes
    from user_secrets
    where user_id = ${user}
    ${lock ? sql`for update` : nothing}`)
  return (
    row && {
      passwordHash: row.password_hash,
      totpSecret: row.totp_secret,
      pendingTotpSecret: row.pending_totp_secret,
      totpLastStep: row.totp_last_step,
      recoveryHashes: JSON.parse(row.recovery_hashes),
    }
  )
}

export async function updatePasswordHash(db: Database, user: string, hash: string): Promise<void> {
  await db.query(writing(sql`update user_secrets set password_hash = ${hash} where user_id = ${user}`))
}

export async function updatePendingTotp(db: Database, user: string, secret: string): Promise<void> {
  await db.query(writing(sql`update user_secrets set pending_totp_secret = ${secret} where user_id = ${user}`))
}

/** Turns two-factor login on with a secret, or off with `null`. Replaces the recovery codes too. */
export async function updateTotp(
  db: Database,
  user: string,
  { secret, recoveryHashes }: { secret: string | null; recoveryHashes: readonly string[] },
): Promise<void> {
  await db.query(
    writing(sql`
    update user_secrets
    set totp_secret = ${secret}, pending_totp_secret = null, totp_last_step = null,
      recovery_hashes = ${JSON.stringify(recoveryHashes)}::jsonb
    where user_id = ${user}`),
  )
}

/** Records that the code of a step, or a recovery code, has been used. */
export async function updateUsedCode(
  db: Database,
  user: string,
  { totpLastStep, recoveryHashes }: Pick<UserSecrets, 'totpLastStep' | 'recoveryHashes'>,
): Promise<void> {
  await db.query(
    writing(sql`
    update user_secrets
    set totp_last_step = ${totpLastStep}, recovery_hashes = ${JSON.stringify(recoveryHashes)}::jsonb
    where user_id = ${user}`),
  )
}
