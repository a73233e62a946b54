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

/** Mails a link to the signed-in user, at most once a minute. @throws {SvcError} `RATE_LIMITED` */
export async function requestVerification(ctx: UserContext): Promise<void> {
  const user = await getMe(ctx)
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
  if (!isPromised) throw await tooSoon(ctx)
  backend.mail.send(mail)
}

/** Uses up the token of a mail and returns the verified address. @throws {SvcError} `INVALID_TOKEN` */
export async function verifyEmail(backend: Backend, token: string): Promise<Pick<OutgoingUser, 'email'>> {
  const scope = unitFor(backend)
  const { project } = await requireToken(scope, token, 'verify email')
  return inTransaction(scope, async (scope) => {
    const user = await useToken(scope, token, 'verify email')
    publish(scope, identityChanged())
    await updateUser(scope.db, user.id, { emailVerified: true }, backend.now(project).toISOString())
    happened(scope, userEvent(project, 'changed', user, ['emailVerified']))
    return user
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
