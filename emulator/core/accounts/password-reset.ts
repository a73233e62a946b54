/** Resets forgotten passwords by mail. Contract 6.8. */
import { isOfProvider } from '../../../client/protocol/model/user.js'
import { deleteMail } from '../../store/accounts/mails.js'
import { noUserId, selectUserByEmail } from '../../store/accounts/users.js'
import type { Backend, Context } from '../context.js'
import { mailEvent, userEvent } from '../events/happenings.js'
import { happened, inTransaction, unitFor } from '../unit-of-work.js'
import { readEmail } from './emails.js'
import { resetLink } from './links.js'
import { takeFromLimits } from './mail-limits.js'
import { resetMail } from './mail-templates.js'
import { keepToken, newToken, requireToken, useToken } from './one-time-tokens.js'
import { setPassword } from './password-change.js'
import { hashPassword, requireStrong } from './passwords.js'

/**
 * Mails a link to the user with that address. If there is none, runs the same statements without effect, so that
 * neither the text nor the time reveals who has an account. A mail over the limit goes to the mailbox as refused.
 */
export async function requestPasswordReset(ctx: Context, email: string): Promise<void> {
  const { backend, db, project } = ctx
  const address = readEmail(email)
  // Returns silently, so that the answer reveals nothing.
  if (!address) return
  const found = await selectUserByEmail(db, project.id, address.key)
  // Skips users of a provider, who have no password. Other users without a password can set one this way.
  const user = found && !isOfProvider(found) ? found : undefined
  const token = newToken()
  const template = resetMail({ project: project.name, link: resetLink(ctx, token) })
  const mail = await backend.mail.compose({ project: project.id, to: user?.email ?? address.shown, ...template })
  const isSent = await inTransaction(ctx, async (ctx) => {
    const reached = await takeFromLimits(ctx, 'reset mail', address.key)
    const refused = reached && `The project's rate limit allows an address at most ${reached.text}.`
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

/** Sets a password with a mailed token, once, and ends all sessions. @throws {SvcError} `INVALID_TOKEN` */
export async function resetPassword(
  backend: Backend,
  { token, newPassword }: { token: string; newPassword: string },
): Promise<void> {
  const scope = unitFor(backend)
  requireStrong(newPassword, 'newPassword')
  const { user, project } = await requireToken(scope, token, 'reset password')
  const hash = await hashPassword({ backend }, newPassword, { account: user })
  await inTransaction(scope, async (scope) => {
    const { id } = await useToken(scope, token, 'reset password')
    await setPassword(scope, id, hash, null)
    happened(scope, userEvent(project, 'changed', { id }, ['password']))
  })
}
