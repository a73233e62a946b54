import type { CallOptions } from '../collections/collection-writes.js'
import type { AuthCalls } from './auth-calls.js'

/** Secret for an authenticator app, in three formats. */
export interface Enrolment {
  readonly secret: string
  readonly otpauthUrl: string
  /** QR code image as a `data:` URL. */
  readonly qrCode: string
}

/** Opens the two-factor calls of the signed-in user. */
export function openTwoFactor({ post }: AuthCalls<unknown>) {
  return {
    /**
     * Creates a secret for an authenticator app, as text, URL and QR code. Call `verify` to turn two-factor login on.
     *
     * @example
     * await svc.auth.signUp({ email: 'enrol@example.com', password: 'Correct4Horse' })
     * const { qrCode } = await svc.auth.twoFactor.enable()
     */
    enable(options?: CallOptions): Promise<Enrolment> {
      return post('/auth/2fa/enable', undefined, options)
    },

    /**
     * Turns two-factor login on with a code from the app. Returns the recovery codes, which are shown only once.
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
     * Turns two-factor login off, with a code from the app or a recovery code.
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
