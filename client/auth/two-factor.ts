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
    /** A secret for an authenticator app, as text, as an address and as an image. `verify` turns it on. */
    enable(options?: CallOptions): Promise<Enrolment> {
      return post('/auth/2fa/enable', undefined, options) as Promise<unknown> as Promise<Enrolment>
    },

    /** Turns two-factor login on with a code of the app, and answers the recovery codes this one time. */
    async verify(code: string, options?: CallOptions): Promise<string[]> {
      return (await post('/auth/2fa/verify', { code }, options)).recoveryCodes as string[]
    },

    /** Turns it off, with a code of the app or for recovery. @throws {SvcError} `INVALID_CREDENTIALS` */
    async disable(code: string, options?: CallOptions): Promise<void> {
      await post('/auth/2fa/disable', { code }, options)
    },
  }
}
