import { z } from 'zod'
import { disableTwoFactor, enableTwoFactor, stopTwoFactor, verifyTwoFactor } from '../../core/accounts/two-factor.js'
import { mailLoginCode } from '../../core/logins/logins.js'
import { strictBody } from '../request/body-forms.js'
import { route } from '../route.js'

const code = strictBody(z.strictObject({ code: z.string() }))

/** Spec, "Other authentication operations"; contract 6.7. */
export const twoFactorRoutes = [
  route({
    id: 'twoFactor.enable',
    summary: 'Get a secret for an authenticator app. It takes effect once you verify a code.',
    method: 'post',
    paths: { any: ['/auth/2fa/enable'] },
    needs: 'user',
    reply: 'enrolment',
    handle: (ctx) => enableTwoFactor(ctx),
  }),
  route({
    id: 'twoFactor.start',
    summary: 'Get a secret for an authenticator app, with a message. It takes effect once you verify a code.',
    method: 'post',
    paths: { any: ['/auth-collections/2fa/enable'] },
    needs: 'user',
    reply: 'enrolmentWithMessage',
    async handle(ctx) {
      const message = 'Scan the code with an authenticator app, then verify a code: POST /auth/2fa/verify.'
      return { message, enrolment: await enableTwoFactor(ctx) }
    },
  }),
  route({
    id: 'twoFactor.verify',
    summary: 'Turn on two-factor login with a code from the app, and get the recovery codes.',
    method: 'post',
    paths: { any: ['/auth/2fa/verify'] },
    needs: 'user',
    body: code,
    reply: 'recoveryCodes',
    handle: (ctx, { body }) => verifyTwoFactor(ctx, body.code),
  }),
  route({
    id: 'twoFactor.disable',
    summary: 'Turn off two-factor login with a code from the app or a recovery code.',
    method: 'post',
    paths: { any: ['/auth/2fa/disable'] },
    needs: 'user',
    body: code,
    reply: 'message',
    async handle(ctx, { body }) {
      await disableTwoFactor(ctx, body.code)
      return 'Two-factor login is off.'
    },
  }),
  route({
    id: 'twoFactor.stop',
    summary: 'Turn off two-factor login within ten minutes of the login, or with a code.',
    method: 'post',
    paths: { any: ['/auth-collections/2fa/disable'] },
    needs: 'user',
    body: strictBody(z.strictObject({ code: z.string().optional() })),
    reply: 'message',
    async handle(ctx, { body }) {
      await stopTwoFactor(ctx, body.code)
      return 'Two-factor login is off.'
    },
  }),
  route({
    id: 'twoFactor.sendCode',
    summary: 'Email a code for a login that waits for one.',
    method: 'post',
    paths: { any: ['/auth-collections/2fa/send-code'] },
    needs: 'key',
    scope: 'none',
    body: strictBody(z.strictObject({ email: z.string() })),
    reply: 'message',
    async handle(ctx, { body }) {
      await mailLoginCode(ctx, body.email)
      return 'If a login with that address waits for a code, we sent one.'
    },
  }),
]
