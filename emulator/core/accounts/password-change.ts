import { SvcError } from '../../../client/protocol/model/errors.js'
import type { CredentialsProblem } from '../../../client/protocol/model/requests/reason.js'
import { isOfProvider } from '../../../client/protocol/model/user.js'
import { deleteTokens } from '../../store/accounts/one-time-tokens.js'
import { deletePendingLogin } from '../../store/accounts/pending-logins.js'
import { deleteUserSessions } from '../../store/accounts/sessions.js'
import { selectSecrets, updatePasswordHash } from '../../store/accounts/user-secrets.js'
import { lockUser, selectUser } from '../../store/accounts/users.js'
import type { Context, UserContext } from '../context.js'
import { userEvent } from '../events/happenings.js'
import { countFailure, requireMayTry } from '../logins/login-throttle.js'
import { happened, identityChanged, inTransaction, publish } from '../unit-of-work.js'
import { hashPassword, isPassword, requireStrong } from './passwords.js'

/** A login this recent proves as much as the password does. Contract 6.3. */
const recentMilliseconds = 10 * 60_000

/** Changes the password of the signed-in user; all other sessions end. @throws {SvcError} `INVALID_CREDENTIALS` */
export async function changePassword(
  ctx: UserContext,
  { oldPassword, newPassword }: { oldPassword: string; newPassword: string },
): Promise<void> {
  requireStrong(newPassword, 'newPassword')
  const former = await requirePassword(ctx, oldPassword)
  const { id } = ctx.caller.user
  const hash = await hashPassword(ctx, newPassword, { account: id })
  await inTransaction(ctx, async (ctx) => {
    await lockUser(ctx.db, ctx.project.id, id)
    await replaceOwnPassword(ctx, { former, hash })
    happened(ctx, userEvent(ctx.project.id, 'changed', { id }, ['password']))
  })
}

/**
 * Puts a new password in the place of the one that the signed-in user has proven to know, unless it is not that one any more: who changed it
 * meanwhile has ended what this request stands on. The user has to be locked.
 *
 * @throws {SvcError} `INVALID_CREDENTIALS`
 */
export async function replaceOwnPassword(
  ctx: UserContext,
  { former, hash }: { former: string | null; hash: string },
): Promise<void> {
  const { id, sessionId } = ctx.caller.user
  const secrets = await selectSecrets(ctx.db, id)
  if (!secrets || secrets.passwordHash !== former) throw wrongPassword()
  await setPassword(ctx, id, hash, sessionId)
}

/**
 * Puts a new password in the place of the old one: what the old one led to ends, but for the session named. The user has
 * to be locked, as logins lock it too.
 */
export async function setPassword(
  ctx: Pick<Context, 'backend' | 'db' | 'pending'>,
  user: string,
  hash: string,
  keptSession: string | null,
): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const { db } = ctx
    // In the order in which logins and resets lock the same.
    await deleteTokens(db, user, 'reset password')
    await deletePendingLogin(db, user)
    await updatePasswordHash(db, user, hash)
    await deleteUserSessions(db, user, keptSession)
    publish(ctx, identityChanged())
  })
}

/** The current password or, without one, a login of the last minutes; answers its hash, null where there is none yet. Contract 6.3. */
export async function requireOwnPassword(ctx: UserContext, password: string | undefined): Promise<string | null> {
  if (password !== undefined) return requirePassword(ctx, password)
  const since = ctx.backend.now(ctx.project.id).getTime() - Date.parse(ctx.caller.user.signedInAt)
  const hash = await ownHash(ctx)
  if (since < recentMilliseconds) return hash
  if (hash === null) throw noPassword(isNoneYet)
  throw new SvcError('INVALID_CREDENTIALS', 'Send the current password as "currentPassword".')
}

/** Answers its hash. It clears no failures: those of codes count with them, and a right password says nothing of a code. */
async function requirePassword(ctx: UserContext, password: string): Promise<string> {
  const { id } = ctx.caller.user
  const attempt = { account: { id }, address: undefined }
  const [hash] = await Promise.all([ownHash(ctx), requireMayTry(ctx, attempt)])
  if (hash === null) throw noPassword(isNoneYet)
  const isRight = await isPassword(ctx, password, { hash, account: id })
  // Of many attempts at once, those that failed meanwhile count, and the answer does not disclose whether this one was right.
  await requireMayTry(ctx, attempt)
  if (isRight) return hash
  await countFailure(ctx, attempt)
  throw wrongPassword()
}

const isNoneYet = 'This user has no password yet. A mail to reset it sets one.'

/** What the signed-in user's password is known by; null where none was set. @throws {SvcError} where a provider's user asks */
async function ownHash({ db, project, caller }: UserContext): Promise<string | null> {
  const { id } = caller.user
  const [user, secrets] = await Promise.all([selectUser(db, project.id, id), selectSecrets(db, id)])
  if (user && isOfProvider(user))
    throw noPassword('This user logs in through an identity provider, and has no password.', 'of a provider')
  return secrets?.passwordHash ?? null
}

function noPassword(message: string, problem: CredentialsProblem = 'no password'): SvcError {
  return new SvcError('INVALID_CREDENTIALS', message, [], { reason: { kind: 'credentials', problem } })
}

function wrongPassword(): SvcError {
  return new SvcError('INVALID_CREDENTIALS', 'The current password is wrong.', [], {
    reason: { kind: 'credentials', problem: 'wrong password' },
  })
}
