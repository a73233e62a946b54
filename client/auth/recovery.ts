/** Passwords and addresses: changing, resetting and verifying them. */
import type { CallOptions } from '../collections/collection-writes.js'
import type { AuthCalls } from './auth-calls.js'
import { noToken } from './session.js'

export function recoveryCalls({ post }: AuthCalls<unknown>) {
  return {
    /**
     * Changes the password; all other sessions end.
     *
     * @example
     * await svc.auth.signUp({ email: 'rosa@example.com', password: 'Correct4Horse' })
     * await svc.auth.changePassword({ oldPassword: 'Correct4Horse', newPassword: 'Better5Horse' })
     *
     * @throws {SvcError} `INVALID_CREDENTIALS`, `VALIDATION_ERROR`
     */
    async changePassword(input: { oldPassword: string; newPassword: string }, options?: CallOptions): Promise<void> {
      await post('/auth/change-password', input, options)
    },

    /**
     * Mails a link for a new password to the user with that address, if there is one.
     *
     * @example
     * await svc.auth.requestPasswordReset('rosa@example.com')
     */
    async requestPasswordReset(email: string, options?: CallOptions): Promise<void> {
      await post('/auth/request-password-reset', { email }, options, noToken)
    },

    /**
     * Sets a new password with the token of that mail.
     *
     * @example
     * const reset = (token: string) => svc.auth.resetPassword({ token, newPassword: 'Better5Horse' })
     *
     * @throws {SvcError} `INVALID_TOKEN`
     */
    async resetPassword(input: { token: string; newPassword: string }, options?: CallOptions): Promise<void> {
      await post('/auth/reset-password', input, options, noToken)
    },

    /**
     * Mails a link that verifies the address, at most one a minute.
     *
     * @example
     * await svc.auth.signUp({ email: 'vera@example.com', password: 'Correct4Horse' })
     * const again = () => svc.auth.requestVerification()
     *
     * @throws {SvcError} `RATE_LIMITED`
     */
    async requestVerification(options?: CallOptions): Promise<void> {
      await post('/auth/request-verification', undefined, options)
    },

    /**
     * Verifies an address with the token of that mail.
     *
     * @example
     * const verify = (token: string) => svc.auth.verifyEmail(token)
     *
     * @throws {SvcError} `INVALID_TOKEN`
     */
    async verifyEmail(token: string, options?: CallOptions): Promise<void> {
      await post('/auth/verify-email', { token }, options, noToken)
    },
  }
}
