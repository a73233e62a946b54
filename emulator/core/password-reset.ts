/** A new password for who has forgotten the old one. Contract 6.8. */
import { selectSecrets } from '../store/user-secrets.js'
import { selectUserByEmail } from '../store/users.js'
import { type Backend, type Context, inTransaction } from './context.js'
import { readEmail } from './emails.js'
import { resetLetter } from './letters.js'
import { resetLink } from './links.js'
import { newToken, useToken } from './one-time-tokens.js'
import { setPassword } from './password-change.js'
import { hashPassword, requireStrong } from './passwords.js'

/**
 * Mails a link to whoever has that address, if anybody does. The answer does not wait for that, so that nothing about it
 * tells whether somebody does.
 */
export function requestPasswordReset(ctx: Context, email: string): void {
  mailResetLink(ctx, email).catch(ctx.backend.report)
}

async function mailResetLink(ctx: Context, email: string): Promise<void> {
  const { backend, db, project } = ctx
  const user = await selectUserByEmail(db, project.id, readEmail(email)?.key ?? '')
  // Who logs in through a provider has no password to forget.
  if (!user || !(await selectSecrets(db, user.id))?.passwordHash) return
  const token = await newToken(ctx, user, 'reset password')
  const letter = resetLetter({ project: project.name, link: resetLink(ctx, token) })
  await backend.mail.deliver({ project: project.id, to: user.email, ...letter })
}

/** Sets a password with the token of a letter, once, and ends all sessions. @throws {SvcError} `INVALID_TOKEN` */
export async function resetPassword(
  backend: Backend,
  { token, newPassword }: { token: string; newPassword: string },
): Promise<void> {
  requireStrong(newPassword, 'newPassword')
  const hash = await hashPassword({ backend }, newPassword)
  const scope = { backend, db: backend.db, inTransaction: false }
  await inTransaction(scope, async (scope) => {
    const { id } = await useToken(scope, token, 'reset password')
    await setPassword(scope, id, hash, null)
  })
  backend.known.callers.clear()
}
