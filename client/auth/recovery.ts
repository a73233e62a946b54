/** Changes and resets passwords, and verifies email addresses. */
import type { CallOptions } from '../collections/collection-writes.js'
import type { AuthCalls } from './auth-calls.js'
import { noToken } from './session.js'

export function recoveryCalls({ post }: AuthCalls<unknown>) {
  return {
    /**
     * Changes the password and ends all other sessions.
     *
     * @example
     * await svc.auth.signUp({ email: 'edith@example.com', password: 'Correct4Horse' })
     * await svc.auth.changePassword({ oldPassword: 'Correct4Horse', newPassword: 'Better5Horse' })
     *
     * @throws {SvcError} `INVALID_CREDENTIALS`, `VALIDATION_ERROR`
     */
    async changePassword(input: { oldPassword: string; newPassword: string }, options?: CallOptions): Promise<void> {
      await post('/auth/change-password', input, options)
    },

    /**
     * Emails a password reset link if a user has this address. Also succeeds if no user does.
     *
     * @example
     * await svc.auth.requestPasswordReset('edith@example.com')
     */
    async requestPasswordReset(email: string, options?: CallOptions): Promise<void> {
      await post('/auth/request-password-reset', { email }, options, noToken)
    },

    /**
     * Sets a new password with the token from the email.
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
     * Emails a verification link, at most once a minute.
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
     * Verifies an email address with the token from the email.
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
