/** Second factors: authenticator apps, and recovery codes for when the app is lost. Contract 6.7. */
import { SvcError } from '../../../client/protocol/model/errors.js'
import { selectSecrets, type UserSecrets, updatePendingTotp, updateTotp } from '../../store/accounts/user-secrets.js'
import type { UserContext } from '../context.js'
import { userEvent } from '../events/happenings.js'
import { countFailure, requireMayTry } from '../logins/login-throttle.js'
import { happened, inTransaction } from '../unit-of-work.js'
import { getMe } from './accounts.js'
import { acceptCode, findStep, hashCode, newRecoveryCodes, newTotpSecret, otpauthUrl } from './codes.js'
import { isLoginRecent } from './password-change.js'
import { qrCodeUrl } from './qr-code.js'

const alreadyOn = 'Two-factor login is already on. Turn it off with a code first.'

/** The secret for an authenticator app, in three forms. */
export interface TotpEnrolment {
  readonly secret: string
  readonly otpauthUrl: string
  /** An image as a `data:` URL. */
  readonly qrCode: string
}

/**
 * Makes a secret, which takes effect once the user verifies a code.
 *
 * @throws {SvcError} `FORBIDDEN` while two-factor login is on. Turning it off takes a code, so a stolen session cannot
 * replace it.
 */
export async function enableTwoFactor(ctx: UserContext): Promise<TotpEnrolment> {
  const user = await getMe(ctx)
  const secret = newTotpSecret()
  await inTransaction(ctx, async ({ db }) => {
    // Locks the row, so that nobody turns it on between this check and the update.
    const secrets = await selectSecrets(db, user.id, { lock: true })
    if (secrets?.totpSecret) throw new SvcError('FORBIDDEN', alreadyOn)
    await updatePendingTotp(db, user.id, secret)
  })
  const url = otpauthUrl(secret, { issuer: ctx.project.name, label: user.email })
  return { secret, otpauthUrl: url, qrCode: qrCodeUrl(url) }
}

/**
 * Turns two-factor login on and returns the recovery codes, this one time.
 *
 * @throws {SvcError} `INVALID_CREDENTIALS`, also if no secret is waiting for a code
 */
export async function verifyTwoFactor(ctx: UserContext, code: string): Promise<readonly string[]> {
  const recoveryCodes = newRecoveryCodes()
  await tryCode(ctx, async ({ backend, db, project }, user, { pendingTotpSecret: secret, totpSecret }) => {
    if (totpSecret) return alreadyOn
    if (!secret) return 'Request a secret first: POST /auth/2fa/enable.'
    if ((await findStep(secret, code, backend.now(project.id))) === undefined) return false
    await updateTotp(db, user, { secret, recoveryHashes: recoveryCodes.map(hashCode) })
    return true
  })
  return recoveryCodes
}

/** Turns two-factor login off with an app or recovery code. @throws {SvcError} as `verifyTwoFactor` does */
export async function disableTwoFactor(ctx: UserContext, code: string): Promise<void> {
  await tryCode(ctx, async ({ backend, db, project }, user, secrets) => {
    if (!secrets.totpSecret) return 'Two-factor login is already off.'
    if (!(await acceptCode(secrets, code, backend.now(project.id)))) return false
    await updateTotp(db, user, { secret: null, recoveryHashes: [] })
    return true
  })
}

/**
 * Turns two-factor login off, or cancels its set-up. Without a code, requires a recent login, as a new password does.
 *
 * @throws {SvcError} `NOT_FOUND` if it is off; `INVALID_CREDENTIALS`
 */
export async function stopTwoFactor(ctx: UserContext, code: string | undefined): Promise<void> {
  if (code !== undefined) return disableTwoFactor(ctx, code)
  const { id } = ctx.caller.user
  await inTransaction(ctx, async (ctx) => {
    const secrets = await selectSecrets(ctx.db, id, { lock: true })
    if (!secrets?.totpSecret && !secrets?.pendingTotpSecret) throw new SvcError('NOT_FOUND', 'Two-factor login is off.')
    if (!isLoginRecent(ctx))
      throw new SvcError('INVALID_CREDENTIALS', 'Send a code of your authenticator app as "code".')
    await updateTotp(ctx.db, id, { secret: null, recoveryHashes: [] })
    happened(ctx, userEvent(ctx.project.id, 'changed', { id }, ['twoFactor']))
  })
}

/**
 * Runs attempts one after another, so that each parallel attempt sees the failures before it. A correct code clears no
 * failures: anyone with the session could set up an authenticator and go on guessing the password.
 *
 * @param isRight returns a message if no code could be correct; that also counts as a failure
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
