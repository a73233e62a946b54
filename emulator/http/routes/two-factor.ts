import { z } from 'zod'
import { disableTwoFactor, enableTwoFactor, verifyTwoFactor } from '../../core/accounts/two-factor.js'
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
]
