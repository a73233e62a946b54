/** Logs users in with a password and, if required, a code. Spec, "Authentication" 5; contract 6.6 and 6.7. */

import type { OutgoingUser } from '../../../client/protocol/model/document.js'
import { plainError } from '../../../client/protocol/model/error-words.js'
import { SvcError } from '../../../client/protocol/model/errors.js'
import type { CredentialsProblem, Reason } from '../../../client/protocol/model/requests/reason.js'
import { isOfProvider } from '../../../client/protocol/model/user.js'
import {
  deletePendingLogin,
  lockPendingLogin,
  type PendingLogin,
  updateCodeHash,
  updateWrongCodes,
  upsertPendingLogin,
} from '../../store/accounts/pending-logins.js'
import { selectSecrets, updateUsedCode } from '../../store/accounts/user-secrets.js'
import { lockUser, noUserId, selectUserByEmail } from '../../store/accounts/users.js'
import { acceptCode, hashCode } from '../accounts/codes.js'
import { readEmail } from '../accounts/emails.js'
import { clearLimits, takeFromLimits } from '../accounts/mail-limits.js'
import { composeCode, newMailedCode } from '../accounts/mailed-codes.js'
import { isPassword } from '../accounts/passwords.js'
import type { Context } from '../context.js'
import { loginEvent, mailEvent } from '../events/happenings.js'
import { happened, inTransaction } from '../unit-of-work.js'
import { clearFailures, countFailure, requireMayTry } from './login-throttle.js'
import { type Login, openLoginSession } from './sessions.js'

/** The login succeeded, or it needs a code first. */
export type LoginOutcome = { readonly login: Login } | { readonly codeNeeded: string }

export interface Credentials {
  readonly email: string
  readonly password: string
}

/** How long a login waits for its code, and how many wrong codes it accepts. */
const pendingMilliseconds = 5 * 60_000
const maxWrongCodes = 5

/** Minimum time between two mailed codes for the same login. */
const minMilliseconds = 60_000

/** @throws {SvcError} `INVALID_CREDENTIALS` if the email, the password or both are wrong, after the same time. */
export async function logIn(ctx: Context, { email, password }: Credentials, address: string): Promise<LoginOutcome> {
  const emailKey = readEmailKey(email)
  const user = await selectUserByEmail(ctx.db, ctx.project.id, emailKey)
  const attempt = { account: user ?? emailKey, address }
  const [secrets] = await Promise.all([selectSecrets(ctx.db, user?.id ?? noUserId), requireMayTry(ctx, attempt)])
  const passwordHash = (user && isOfProvider(user) ? null : secrets?.passwordHash) ?? null
  const isRight = await isPassword(ctx, password, { hash: passwordHash, account: user?.id ?? emailKey, address })
  // Counts failures of parallel attempts, so that the answer doesn't disclose whether this password was correct.
  await requireMayTry(ctx, attempt)
  if (!user || passwordHash === null || !isRight) {
    await countFailure(ctx, attempt)
    const problem = findProblem(user, passwordHash)
    happened(ctx, loginEvent(ctx.project.id, 'failed', { user: user?.id, email, why: problem }))
    throw plainError('INVALID_CREDENTIALS', { reason: { kind: 'credentials', problem } })
  }
  const step = await afterPassword(ctx, user, passwordHash, async (ctx) => {
    // Locks the user, so that a concurrent password change either ends this session or prevents it.
    await lockUser(ctx.db, ctx.project.id, user.id)
    return user
  })
  // Keeps the failures if a code is still needed, so that a correct password doesn't reset failed codes.
  if ('login' in step) await clearFailures(ctx, attempt)
  return step
}

function findProblem(user: OutgoingUser | undefined, passwordHash: string | null): CredentialsProblem {
  if (!user) return 'unknown email'
  if (isOfProvider(user)) return 'of a provider'
  return passwordHash === null ? 'no password' : 'wrong password'
}

/**
 * Opens a session after a correct password, or asks for a code. Fails if the password has changed since.
 *
 * @param takeUser loads and locks the user inside the transaction
 * @throws {SvcError} `INVALID_CREDENTIALS`, `RATE_LIMITED`
 */
export async function afterPassword(
  ctx: Context,
  { email }: Pick<OutgoingUser, 'email'>,
  passwordHash: string,
  takeUser: (ctx: Context) => Promise<OutgoingUser>,
): Promise<LoginOutcome> {
  const code = newMailedCode()
  // Composes the mail before the transaction, which blocks others. Users with an authenticator don't need it.
  const mail = ctx.project.settings.require2fa ? await composeCode(ctx, email, code) : undefined
  const next = await inTransaction(ctx, async (ctx) => {
    const user = await takeUser(ctx)
    const secrets = await selectSecrets(ctx.db, user.id)
    if (secrets?.passwordHash !== passwordHash) throw plainError('INVALID_CREDENTIALS')
    if (secrets.totpSecret !== null) {
      await waitForCode(ctx, user, null)
      return 'authenticator'
    }
    if (!mail) return { login: await openLoginSession(ctx, user) }
    // Limits mails, because a sign-up with another person's address could flood it.
    if (await hasFreshCode(ctx, user)) return 'mailed before'
    await requireMayMail(ctx, user)
    await waitForCode(ctx, user, hashCode(code))
    await ctx.backend.mail.keep(ctx.db, mail)
    happened(ctx, mailEvent(mail))
    return 'mail'
  })
  if (typeof next === 'object') return next
  if (next === 'authenticator') return { codeNeeded: 'Send the code of your authenticator app to finish the login.' }
  if (next === 'mail' && mail) ctx.backend.mail.send(mail)
  return { codeNeeded: 'Send the code that was mailed to you to finish the login.' }
}

/** @param codeHash of the mailed code; `null` if the code comes from an authenticator */
async function waitForCode(ctx: Context, { id }: OutgoingUser, codeHash: string | null): Promise<void> {
  const expiresAt = new Date(ctx.backend.now(ctx.project.id).getTime() + pendingMilliseconds).toISOString()
  await upsertPendingLogin(ctx.db, id, { codeHash, expiresAt })
}

/** Checks whether a login waits for a recently mailed code, which is still valid. */
async function hasFreshCode(ctx: Context, { id }: OutgoingUser): Promise<boolean> {
  const pending = await lockPendingLogin(ctx.db, id)
  if (!pending || pending.codeHash === null) return false
  const mailedAt = Date.parse(pending.expiresAt) - pendingMilliseconds
  // Ignores codes from further in the future: they were mailed before the clock was set back.
  return Math.abs(ctx.backend.now(ctx.project.id).getTime() - mailedAt) < minMilliseconds
}

/** @throws {SvcError} `RATE_LIMITED` if a code was mailed recently that is no longer valid */
async function requireMayMail(ctx: Context, { email }: OutgoingUser): Promise<void> {
  const reached = await takeFromLimits(ctx, 'code mail', readEmailKey(email))
  if (!reached) return
  const { retryAfterSeconds } = reached
  const message = `A code was mailed a moment ago. Try again in ${retryAfterSeconds} seconds.`
  throw new SvcError('RATE_LIMITED', message, [], { retryAfterSeconds })
}

function readEmailKey(email: string): string {
  return readEmail(email)?.key ?? ''
}

/**
 * Finishes a login whose password was correct. Each code works once.
 *
 * @throws {SvcError} `INVALID_CREDENTIALS`; `RATE_LIMITED` for the fifth wrong code, which ends the attempt.
 */
export async function logInWithCode(
  ctx: Context,
  { email, code }: { email: string; code: string },
  address: string,
): Promise<Login> {
  const emailKey = readEmailKey(email)
  const user = await selectUserByEmail(ctx.db, ctx.project.id, emailKey)
  const attempt = { account: user ?? emailKey, address }
  await requireMayTry(ctx, attempt)
  const outcome = await inTransaction(ctx, async (ctx) => {
    await lockUser(ctx.db, ctx.project.id, user?.id ?? noUserId)
    // Checks again under the lock, so that each parallel code sees the failures before it.
    await requireMayTry(ctx, attempt)
    const outcome = await finish(ctx, user, code)
    // Counts only against the address if no login waits for a code, whether the account exists or not.
    if (typeof outcome === 'object') await clearFailures(ctx, attempt)
    else await countFailure(ctx, outcome === 'none' ? { ...attempt, account: undefined } : attempt)
    return outcome
  })
  if (typeof outcome === 'object') return outcome
  const why = outcome === 'none' ? 'no login waits for a code' : 'wrong code'
  happened(ctx, loginEvent(ctx.project.id, 'failed', { user: user?.id, email, why }))
  if (outcome === 'over') throw new SvcError('RATE_LIMITED', 'Too many wrong codes. Log in with your password again.')
  const reason: Reason = { kind: 'credentials', problem: 'wrong code' }
  throw new SvcError('INVALID_CREDENTIALS', 'The code is wrong, or no login is waiting for one.', [], { reason })
}

/**
 * Mails a code for a login whose password was correct, once, in place of the code of an authenticator app. Does the same work
 * without effect if there is no such login, so that the answer reveals nothing.
 */
export async function mailLoginCode(ctx: Context, email: string): Promise<void> {
  const address = readEmail(email)
  if (!address) return
  const user = await selectUserByEmail(ctx.db, ctx.project.id, address.key)
  const code = newMailedCode()
  const mail = await composeCode(ctx, user?.email ?? address.shown, code)
  const isPromised = await inTransaction(ctx, async (ctx) => {
    const pending = await lockPendingLogin(ctx.db, user?.id ?? noUserId)
    const now = ctx.backend.now(ctx.project.id).getTime()
    if (!user || !pending || pending.codeHash !== null || Date.parse(pending.expiresAt) <= now) return false
    if (await takeFromLimits(ctx, 'code mail', address.key)) return false
    await updateCodeHash(ctx.db, user.id, hashCode(code))
    await ctx.backend.mail.keep(ctx.db, mail)
    happened(ctx, mailEvent(mail))
    return true
  })
  if (isPromised) ctx.backend.mail.send(mail)
}

/** Expects the user to be locked. Without a user, runs the same statements for an id that no user has. */
async function finish(
  ctx: Context,
  user: OutgoingUser | undefined,
  code: string,
): Promise<Login | 'none' | 'wrong' | 'over'> {
  const pending = await lockPendingLogin(ctx.db, user?.id ?? noUserId)
  const now = ctx.backend.now(ctx.project.id)
  if (!user || !pending || Date.parse(pending.expiresAt) <= now.getTime()) return 'none'
  if (await takeCode(ctx, user, pending, code)) {
    await deletePendingLogin(ctx.db, user.id)
    if (pending.codeHash !== null) await clearLimits(ctx, 'code mail', readEmailKey(user.email))
    return openLoginSession(ctx, user)
  }
  if (pending.wrongCodes + 1 >= maxWrongCodes) {
    await deletePendingLogin(ctx.db, user.id)
    return 'over'
  }
  await updateWrongCodes(ctx.db, user.id)
  return 'wrong'
}

async function takeCode(ctx: Context, user: OutgoingUser, pending: PendingLogin, code: string): Promise<boolean> {
  if (pending.codeHash !== null && hashCode(code) === pending.codeHash) return true
  const secrets = await selectSecrets(ctx.db, user.id, { lock: true })
  const used = secrets && (await acceptCode(secrets, code, ctx.backend.now(ctx.project.id)))
  if (!used) return false
  await updateUsedCode(ctx.db, user.id, used)
  return true
}
