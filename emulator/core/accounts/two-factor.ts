/** Second factors: an authenticator app, and codes for the day it is lost. Contract 6.7. */
import { SvcError } from '../../../client/protocol/model/errors.js'
import { selectSecrets, type UserSecrets, updatePendingTotp, updateTotp } from '../../store/accounts/user-secrets.js'
import type { UserContext } from '../context.js'
import { userEvent } from '../events/happenings.js'
import { countFailure, requireMayTry } from '../logins/login-throttle.js'
import { happened, inTransaction } from '../unit-of-work.js'
import { getMe } from './accounts.js'
import { acceptCode, hashCode, newRecoveryCodes, newTotpSecret, otpauthUrl, stepOfCode } from './codes.js'
import { qrCodeUrl } from './qr-code.js'

const isOnAlready = 'Two-factor login is on already. Turn it off with a code first.'

/** What an authenticator app needs, in three forms of the same. */
export interface TotpEnrolment {
  readonly secret: string
  readonly otpauthUrl: string
  /** An image as a `data:` URL. */
  readonly qrCode: string
}

/**
 * Makes a secret, which counts once a code of it has been verified.
 *
 * @throws {SvcError} `FORBIDDEN` while it is on: turning it off takes a code, so that a stolen session cannot replace it.
 */
export async function enableTwoFactor(ctx: UserContext): Promise<TotpEnrolment> {
  const user = await getMe(ctx)
  const secret = newTotpSecret()
  await inTransaction(ctx, async ({ db }) => {
    // Locked, so that it is not turned on between the question and what follows from it.
    const secrets = await selectSecrets(db, user.id, { lock: true })
    if (secrets?.totpSecret) throw new SvcError('FORBIDDEN', isOnAlready)
    await updatePendingTotp(db, user.id, secret)
  })
  const url = otpauthUrl(secret, { issuer: ctx.project.name, label: user.email })
  return { secret, otpauthUrl: url, qrCode: qrCodeUrl(url) }
}

/**
 * Turns two-factor login on, and answers the recovery codes this one time.
 *
 * @throws {SvcError} `INVALID_CREDENTIALS`, which says so where nothing waits for a code
 */
export async function verifyTwoFactor(ctx: UserContext, code: string): Promise<readonly string[]> {
  const recoveryCodes = newRecoveryCodes()
  await tryCode(ctx, async ({ backend, db, project }, user, { pendingTotpSecret: secret, totpSecret }) => {
    if (totpSecret) return isOnAlready
    if (!secret) return 'Ask for a secret first: POST /auth/2fa/enable.'
    if ((await stepOfCode(secret, code, backend.now(project.id))) === undefined) return false
    await updateTotp(db, user, { secret, recoveryHashes: recoveryCodes.map(hashCode) })
    return true
  })
  return recoveryCodes
}

/** Turns two-factor login off, with a code of the app or for recovery. @throws {SvcError} as `verifyTwoFactor` does */
export async function disableTwoFactor(ctx: UserContext, code: string): Promise<void> {
  await tryCode(ctx, async ({ backend, db, project }, user, secrets) => {
    if (!secrets.totpSecret) return 'Two-factor login is off already.'
    if (!(await acceptCode(secrets, code, backend.now(project.id)))) return false
    await updateTotp(db, user, { secret: null, recoveryHashes: [] })
    return true
  })
}

/**
 * One attempt after the other, so that of many at once each meets what the last ones have cost. A right code clears no failures:
 * whoever has the session can have an authenticator of their own, and go on to guess the password.
 *
 * @param isRight answers why, where no code could be right; that counts as a failure all the same
 */
async function tryCode(
  ctx: UserContext,
  isRight: (ctx: UserContext, user: string, secrets: UserSecrets) => Promise<boolean | string>,
): Promise<void> {
  const { id } = ctx.caller.user
  const attempt = { account: { id }, address: undefined }
  const outcome = await inTransaction(ctx, async (ctx) => {
    const secrets = await selectSecrets(ctx.db, id, { lock: true })
    await requireMayTry(ctx, attempt)
    const outcome = secrets !== undefined && (await isRight(ctx, id, secrets))
    if (outcome !== true) await countFailure(ctx, attempt)
    else happened(ctx, userEvent(ctx.project.id, 'changed', { id }, ['twoFactor']))
    return outcome
  })
  if (outcome !== true)
    throw new SvcError('INVALID_CREDENTIALS', outcome || 'The code is wrong.', [], {
      reason: { kind: 'credentials', problem: 'wrong code' },
    })
}
