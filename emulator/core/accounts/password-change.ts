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

/** A login within this time proves as much as the password. Contract 6.3. */
const recentMilliseconds = 10 * 60_000

/** Changes the password of the signed-in user and ends all other sessions. @throws {SvcError} `INVALID_CREDENTIALS` */
export async function changePassword(
  ctx: UserContext,
  { oldPassword, newPassword }: { oldPassword: string; newPassword: string },
): Promise<void> {
  requireStrong(newPassword, 'newPassword', ctx)
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
 * Replaces the password that the signed-in user has proven to know. Fails if it has changed since, because that change
 * ended the sessions this request relies on. The user has to be locked.
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
 * Replaces the password, and ends all sessions but one and all pending logins and reset tokens. The user has to be
 * locked, because logins lock it too.
 */
export async function setPassword(
  ctx: Pick<Context, 'backend' | 'db' | 'pending'>,
  user: string,
  hash: string,
  keptSession: string | null,
): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const { db } = ctx
    // Deletes in the order in which logins and resets lock, to avoid deadlocks.
    await deleteTokens(db, user, 'reset password')
    await deletePendingLogin(db, user)
    await updatePasswordHash(db, user, hash)
    await deleteUserSessions(db, user, keptSession)
    publish(ctx, identityChanged())
  })
}

/**
 * Requires the current password or a recent login. Resolves to the password hash, or null if there is none yet.
 * Contract 6.3.
 */
export async function requireOwnPassword(ctx: UserContext, password: string | undefined): Promise<string | null> {
  if (password !== undefined) return requirePassword(ctx, password)
  const hash = await ownHash(ctx)
  if (isLoginRecent(ctx)) return hash
  if (hash === null) throw noPassword(noPasswordYet)
  throw new SvcError('INVALID_CREDENTIALS', 'Send the current password as "currentPassword".')
}

/** Whether the login proves as much as the password. */
export function isLoginRecent({ backend, project, caller }: UserContext): boolean {
  return backend.now(project.id).getTime() - Date.parse(caller.user.signedInAt) < recentMilliseconds
}

/**
 * Checks the password and returns its hash. Doesn't clear failures: failed codes count too, and a correct password
 * proves no code.
 */
async function requirePassword(ctx: UserContext, password: string): Promise<string> {
  const { id } = ctx.caller.user
  const attempt = { account: { id }, address: undefined }
  const [hash] = await Promise.all([ownHash(ctx), requireMayTry(ctx, attempt)])
  if (hash === null) throw noPassword(noPasswordYet)
  const isRight = await isPassword(ctx, password, { hash, account: id })
  // Counts failures of parallel attempts, so that the answer doesn't disclose whether this password was correct.
  await requireMayTry(ctx, attempt)
  if (isRight) return hash
  await countFailure(ctx, attempt)
  throw wrongPassword()
}

const noPasswordYet = 'This user has no password yet. Request a password reset mail to set one.'

/**
 * Reads the signed-in user's password hash, null if none was set. @throws {SvcError} for users of an identity provider
 */
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
