/** Sends requests for sign-up, login and the signed-in user, and decodes the responses. */
import type { CallOptions } from '../collections/collection-writes.js'
import { decodeRecord } from '../protocol/wire/expected.js'
import { decodeLogin, type LoginResult } from '../protocol/wire/records/decode.js'
import type { RequestParts } from '../send.js'
import { noToken, type Session } from './session.js'

export interface AuthCalls<Data> {
  /** Sends a POST and returns the record in the response. */
  post<Answer = unknown>(path: string, body: object | undefined, options?: CallOptions, token?: string): Promise<Answer>
  signIn(path: string, body: object, options?: CallOptions & Pick<RequestParts, 'counts'>): Promise<LoginResult<Data>>
}

export function openAuthCalls<Data>({ ask, auth }: Session): AuthCalls<Data> {
  return {
    post: <Answer>(path: string, body?: object, options?: CallOptions, token?: string) =>
      ask('POST', path, decodeRecord<Answer>, { ...options, body, token }),

    async signIn(path, body, options) {
      const end = auth.begin()
      const result = await ask('POST', path, decodeLogin, { ...options, body, token: noToken }).catch((error) => {
        // Some dialects report a login that needs a code as an error.
        const { code, message } = Object(error)
        if (code === '2FA_REQUIRED') return { requires2fa: true, message } as const
        throw error
      })
      if (!result.requires2fa) await end({ token: result.token, user: result.user })
      return result as LoginResult<Data>
    },
  }
}
