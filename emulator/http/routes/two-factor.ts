import { z } from 'zod'
import { disableTwoFactor, enableTwoFactor, verifyTwoFactor } from '../../core/accounts/two-factor.js'
import { strictBody } from '../request/body-forms.js'
import { route } from '../route.js'

const code = strictBody(z.strictObject({ code: z.string() }))

/** Spec, "Other authentication operations"; contract 6.7. */
export const twoFactorRoutes = [
  route({
    id: 'twoFactor.enable',
    summary: 'Get a secret for an authenticator app. It counts once a code of it is verified.',
    method: 'post',
    paths: { any: ['/auth/2fa/enable'] },
    needs: 'user',
    reply: 'enrolment',
    handle: (ctx) => enableTwoFactor(ctx),
  }),
  route({
    id: 'twoFactor.verify',
    summary: 'Turn two-factor login on with a code of the app, and get the recovery codes.',
    method: 'post',
    paths: { any: ['/auth/2fa/verify'] },
    needs: 'user',
    body: code,
    reply: 'recoveryCodes',
    handle: (ctx, { body }) => verifyTwoFactor(ctx, body.code),
  }),
  route({
    id: 'twoFactor.disable',
    summary: 'Turn two-factor login off, with a code of the app or a recovery code.',
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
