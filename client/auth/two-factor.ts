import type { CallOptions } from '../collections/collection-writes.js'
import type { AuthCalls } from './auth-calls.js'

/** What an authenticator app needs, in three forms of the same. */
export interface Enrolment {
  readonly secret: string
  readonly otpauthUrl: string
  /** An image as a `data:` URL. */
  readonly qrCode: string
}

/** Second factors of the signed-in user. */
export function openTwoFactor({ post }: AuthCalls<unknown>) {
  return {
    /**
     * A secret for an authenticator app, as text, as an address and as an image. `verify` turns it on.
     *
     * @example
     * await svc.auth.signUp({ email: 'enrol@example.com', password: 'Correct4Horse' })
     * const { qrCode } = await svc.auth.twoFactor.enable()
     */
    enable(options?: CallOptions): Promise<Enrolment> {
      return post('/auth/2fa/enable', undefined, options)
    },

    /**
     * Turns two-factor login on with a code of the app, and answers the recovery codes this one time.
     *
     * @example
     * const turnOn = async (code: string) => console.log(await svc.auth.twoFactor.verify(code))
     *
     * @throws {SvcError} `INVALID_CREDENTIALS`
     */
    async verify(code: string, options?: CallOptions): Promise<string[]> {
      return (await post<{ recoveryCodes: string[] }>('/auth/2fa/verify', { code }, options)).recoveryCodes
    },

    /**
     * Turns it off, with a code of the app or for recovery.
     *
     * @example
     * const turnOff = (code: string) => svc.auth.twoFactor.disable(code)
     *
     * @throws {SvcError} `INVALID_CREDENTIALS`
     */
    async disable(code: string, options?: CallOptions): Promise<void> {
      await post('/auth/2fa/disable', { code }, options)
    },
  }
}
