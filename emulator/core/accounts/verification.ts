/** Verifies email addresses. Spec, "Authentication" 6; contract 6.8. */

import type { OutgoingUser } from '../../../client/protocol/model/document.js'
import { SvcError } from '../../../client/protocol/model/errors.js'
import { selectTokenTime } from '../../store/accounts/one-time-tokens.js'
import { updateUser } from '../../store/accounts/users.js'
import type { Backend, UserContext } from '../context.js'
import { mailEvent, userEvent } from '../events/happenings.js'
import { happened, identityChanged, inTransaction, publish, unitFor } from '../unit-of-work.js'
import { getMe } from './accounts.js'
import { verificationLink } from './links.js'
import { verificationMail } from './mail-templates.js'
import { keepTokenAfter, newToken, requireToken, useToken } from './one-time-tokens.js'

/** Minimum time between two mails to the same user. */
const minMilliseconds = 60_000

export type VerificationOutcome = 'sent' | 'sent before' | 'verified'

/** Mails a link to the signed-in user, at most once a minute. @throws {SvcError} `RATE_LIMITED` */
export async function requestVerification(ctx: UserContext): Promise<void> {
  if (!(await mailLink(ctx, await getMe(ctx)))) throw await tooSoon(ctx)
}

/** Mails a link unless the address is verified, or a mail was sent less than a minute ago. */
export async function requestVerificationOnce(ctx: UserContext): Promise<VerificationOutcome> {
  const user = await getMe(ctx)
  if (user.emailVerified) return 'verified'
  return (await mailLink(ctx, user)) ? 'sent' : 'sent before'
}

/** Resolves to false if the last mail is too recent. */
async function mailLink(ctx: UserContext, user: OutgoingUser): Promise<boolean> {
  const { backend, project } = ctx
  const token = newToken()
  const template = verificationMail({ project: project.name, link: verificationLink(ctx, token) })
  const mail = await backend.mail.compose({ project: project.id, to: user.email, ...template })
  const isPromised = await inTransaction(ctx, async (ctx) => {
    if (!(await keepTokenAfter(ctx, user, { purpose: 'verify email', token }, minMilliseconds))) return false
    await backend.mail.keep(ctx.db, mail)
    happened(ctx, mailEvent(mail))
    return true
  })
  if (isPromised) backend.mail.send(mail)
  return isPromised
}

/** Uses up the token of a mail and returns the verified address and the time. @throws {SvcError} `INVALID_TOKEN` */
export async function verifyEmail(backend: Backend, token: string): Promise<{ email: string; verifiedAt: string }> {
  const scope = unitFor(backend)
  const { project } = await requireToken(scope, token, 'verify email')
  return inTransaction(scope, async (scope) => {
    const user = await useToken(scope, token, 'verify email')
    publish(scope, identityChanged())
    const verifiedAt = backend.now(project).toISOString()
    await updateUser(scope.db, user.id, { emailVerified: true }, verifiedAt)
    happened(scope, userEvent(project, 'changed', user, ['emailVerified']))
    return { email: user.email, verifiedAt }
  })
}

async function tooSoon({ backend, db, project, caller }: UserContext): Promise<SvcError> {
  const last = await selectTokenTime(db, caller.user.id, 'verify email')
  const now = backend.now(project.id)
  const since = now.getTime() - Date.parse(last ?? now.toISOString())
  const retryAfterSeconds = Math.max(1, Math.ceil((minMilliseconds - since) / 1_000))
  const message = `A mail was sent a moment ago. Try again in ${retryAfterSeconds} seconds.`
  return new SvcError('RATE_LIMITED', message, [], { retryAfterSeconds })
}
