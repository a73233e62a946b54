import { z } from 'zod'
import { findProjectByToken } from '../../core/accounts/one-time-tokens.js'
import { requestPasswordReset, resetPassword } from '../../core/accounts/password-reset.js'
import { requestVerification, verifyEmail } from '../../core/accounts/verification.js'
import { strictBody } from '../request/body-forms.js'
import { route } from '../route.js'

/** Spec, "Other authentication operations"; contract 6.8. */
export const verificationRoutes = [
  route({
    id: 'verification.request',
    summary: 'Mail a link that verifies the address of the user.',
    method: 'post',
    paths: { any: ['/auth/request-verification', '/auth/resend-verification'] },
    needs: 'user',
    reply: 'message',
    async handle(ctx) {
      await requestVerification(ctx)
      return 'A mail with a link is on its way.'
    },
  }),
  route({
    id: 'verification.verify',
    summary: 'Verify an address with the token of a mail.',
    method: 'post',
    paths: { any: ['/auth/verify-email'] },
    needs: 'public',
    body: strictBody(z.strictObject({ token: z.string() })),
    projectOf: (backend, { body }) => findProjectByToken(backend, body.token, 'verify email'),
    reply: 'message',
    async handle(backend, { body }) {
      await verifyEmail(backend, body.token)
      return 'The email address is verified.'
    },
  }),
  route({
    id: 'passwords.requestReset',
    summary: 'Mail a link for a new password, if a user has that address.',
    method: 'post',
    paths: { any: ['/auth/request-password-reset'] },
    needs: 'key',
    scope: 'none',
    body: strictBody(z.strictObject({ email: z.string() })),
    reply: 'message',
    async handle(ctx, { body }) {
      await requestPasswordReset(ctx, body.email)
      return 'If a user has that address, a mail is on its way.'
    },
  }),
  route({
    id: 'passwords.reset',
    summary: 'Set a new password with the token of a mail. All sessions end.',
    method: 'post',
    paths: { any: ['/auth/reset-password'] },
    needs: 'public',
    body: strictBody(z.strictObject({ token: z.string(), newPassword: z.string() })),
    projectOf: (backend, { body }) => findProjectByToken(backend, body.token, 'reset password'),
    reply: 'message',
    async handle(backend, { body }) {
      await resetPassword(backend, body)
      return 'The password was changed. Log in with the new one.'
    },
  }),
]
