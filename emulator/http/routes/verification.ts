import { z } from 'zod'
import { findProjectByToken } from '../../core/accounts/one-time-tokens.js'
import { requestPasswordReset, resetPassword } from '../../core/accounts/password-reset.js'
import { requestVerification, requestVerificationOnce, verifyEmail } from '../../core/accounts/verification.js'
import { strictBody } from '../request/body-forms.js'
import { route } from '../route.js'

const passwordChanged = 'Your password was changed. Log in with the new one.'

/** Spec, "Other authentication operations"; contract 6.8. */
export const verificationRoutes = [
  route({
    id: 'verification.request',
    summary: 'Send an email with a link that verifies the address of the user.',
    method: 'post',
    paths: { any: ['/auth/request-verification', '/auth/resend-verification'] },
    needs: 'user',
    reply: 'message',
    async handle(ctx) {
      await requestVerification(ctx)
      return 'We sent you an email with a link.'
    },
  }),
  route({
    id: 'verification.send',
    summary: 'Send an email with a link that verifies the address, unless it is verified or one was sent a moment ago.',
    method: 'post',
    paths: { any: ['/auth-collections/verify-email/send', '/auth-collections/verify-email/resend'] },
    needs: 'user',
    reply: 'verificationMail',
    handle: (ctx) => requestVerificationOnce(ctx),
  }),
  route({
    id: 'verification.confirm',
    summary: 'Verify an address with the token from an email, and get the time.',
    method: 'post',
    paths: { any: ['/auth-collections/verify-email/verify'] },
    needs: 'public',
    body: strictBody(z.strictObject({ token: z.string() })),
    projectOf: (backend, { body }) => findProjectByToken(backend, body.token, 'verify email'),
    reply: 'verified',
    handle: (backend, { body }) => verifyEmail(backend, body.token),
  }),
  route({
    id: 'verification.verify',
    summary: 'Verify an address with the token from an email.',
    method: 'post',
    paths: { any: ['/auth/verify-email'] },
    needs: 'public',
    body: strictBody(z.strictObject({ token: z.string() })),
    projectOf: (backend, { body }) => findProjectByToken(backend, body.token, 'verify email'),
    reply: 'message',
    async handle(backend, { body }) {
      await verifyEmail(backend, body.token)
      return 'Your email address is verified.'
    },
  }),
  route({
    id: 'passwords.requestReset',
    summary: 'Send an email with a link for a new password, if a user has that address.',
    method: 'post',
    paths: { any: ['/auth/request-password-reset', '/auth-collections/forgot-password'] },
    needs: 'key',
    scope: 'none',
    body: strictBody(z.strictObject({ email: z.string() })),
    reply: 'message',
    async handle(ctx, { body }) {
      await requestPasswordReset(ctx, body.email)
      return 'If a user has that address, we sent an email with a link.'
    },
  }),
  route({
    id: 'passwords.reset',
    summary: 'Set a new password with the token from an email. All sessions end.',
    method: 'post',
    paths: { any: ['/auth/reset-password'] },
    needs: 'public',
    body: strictBody(z.strictObject({ token: z.string(), newPassword: z.string() })),
    projectOf: (backend, { body }) => findProjectByToken(backend, body.token, 'reset password'),
    reply: 'message',
    async handle(backend, { body }) {
      await resetPassword(backend, body)
      return passwordChanged
    },
  }),
  route({
    id: 'passwords.resetByToken',
    summary: 'Set a new password with the token from an email, sent as `new_password`. All sessions end.',
    method: 'post',
    paths: { any: ['/auth-collections/reset-password'] },
    needs: 'public',
    body: strictBody(z.strictObject({ token: z.string(), new_password: z.string() })),
    projectOf: (backend, { body }) => findProjectByToken(backend, body.token, 'reset password'),
    reply: 'message',
    async handle(backend, { body: { token, new_password: newPassword } }) {
      await resetPassword(backend, { token, newPassword })
      return passwordChanged
    },
  }),
]
