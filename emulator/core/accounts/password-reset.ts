/** A new password for who has forgotten the old one. Contract 6.8. */
import { createHash } from 'node:crypto'
import { deleteMail } from '../../store/accounts/mails.js'
import { insertAttempts, lockAttempts } from '../../store/accounts/recent-attempts.js'
import { selectSecrets } from '../../store/accounts/user-secrets.js'
import { noUserId, selectUserByEmail } from '../../store/accounts/users.js'
import type { Backend, Context } from '../context.js'
import { mailEvent, userEvent } from '../events/happenings.js'
import { happened, inTransaction, unitOf } from '../unit-of-work.js'
import { readEmail } from './emails.js'
import { resetLink } from './links.js'
import { resetMail } from './mail-templates.js'
import { keepToken, newToken, requireToken, useToken } from './one-time-tokens.js'
import { setPassword } from './password-change.js'
import { hashPassword, requireStrong } from './passwords.js'

/** How many mails one address gets where the project limits its rate. Contract 6.8. */
const limits = [
  { most: 1, milliseconds: 60_000, words: 'one a minute' },
  { most: 10, milliseconds: 86_400_000, words: 'ten a day' },
] as const
const longestWindow = Math.max(...limits.map(({ milliseconds }) => milliseconds))
const keptAttempts = Math.max(...limits.map(({ most }) => most))

/**
 * Mails a link to the user of that address. Where there is none, the same statements run and leave nothing, so that neither
 * words nor time tell who has an account. A mail beyond the limits lands in the mailbox as refused.
 */
export async function requestPasswordReset(ctx: Context, email: string): Promise<void> {
  const { backend, db, project } = ctx
  const address = readEmail(email)
  // No user has what is not an address, and the answer is the same.
  if (!address) return
  const found = await selectUserByEmail(db, project.id, address.key)
  const secrets = await selectSecrets(db, found?.id ?? noUserId)
  // Who logs in through a provider has no password to forget.
  const user = secrets?.passwordHash ? found : undefined
  const token = newToken()
  const template = resetMail({ project: project.name, link: resetLink(ctx, token) })
  const mail = await backend.mail.compose({ project: project.id, to: user?.email ?? address.shown, ...template })
  const isSent = await inTransaction(ctx, async (ctx) => {
    const refused = await takeFromLimits(ctx, address.key)
    const addressee = refused === undefined && user ? user : { id: noUserId, email: '' }
    await keepToken(ctx, addressee, { purpose: 'reset password', token })
    if (refused === undefined) await backend.mail.keep(ctx.db, mail)
    else await backend.mail.refuse(ctx.db, mail, refused)
    await deleteMail(ctx.db, user ? noUserId : mail.id)
    if (user) happened(ctx, mailEvent(mail, refused))
    return refused === undefined && user !== undefined
  })
  if (isSent) backend.mail.send(mail)
}

/** Counts a mail to an address; where it is one too many, the limit in words. */
async function takeFromLimits({ backend, db, project }: Context, emailKey: string): Promise<string | undefined> {
  if (project.settings.rateLimit === 'off') return undefined
  const subject = createHash('sha256').update(`reset mail ${emailKey}`).digest('base64url')
  const now = backend.now(project.id).getTime()
  const expiresAt = new Date(now + longestWindow).toISOString()
  const times = await lockAttempts(db, project.id, { subject, expiresAt })
  // What was counted before the clock was set back counts no more.
  const within = (milliseconds: number) => times.filter((time) => time > now - milliseconds && time <= now).length
  const reached = limits.find(({ most, milliseconds }) => within(milliseconds) >= most)
  if (reached) return `An address gets ${reached.words} at most where the project's rate is limited.`
  const at = new Date(now).toISOString()
  await insertAttempts(db, project.id, [subject], { at, expiresAt, kept: keptAttempts })
  return undefined
}

/** Sets a password with the token of a mail, once, and ends all sessions. @throws {SvcError} `INVALID_TOKEN` */
export async function resetPassword(
  backend: Backend,
  { token, newPassword }: { token: string; newPassword: string },
): Promise<void> {
  const scope = unitOf(backend)
  requireStrong(newPassword, 'newPassword')
  const { user, project } = await requireToken(scope, token, 'reset password')
  const hash = await hashPassword({ backend }, newPassword, { account: user })
  await inTransaction(scope, async (scope) => {
    const { id } = await useToken(scope, token, 'reset password')
    await setPassword(scope, id, hash, null)
    happened(scope, userEvent(project, 'changed', { id }, ['password']))
  })
}
