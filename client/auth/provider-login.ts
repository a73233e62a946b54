import type { CallOptions } from '../collections/collection-writes.js'
import { segment } from '../protocol/wire/paths/encode.js'
import type { LoginResult } from '../protocol/wire/records/decode.js'
import type { AuthCalls } from './auth-calls.js'
import { noToken } from './session.js'

/** Opens the calls for a login that the app runs itself with a named identity provider, without a page of the service. */
export function openProvider<Data>({ post, signIn }: AuthCalls<Data>, name: string) {
  const path = `/auth/oauth/${segment(name)}`
  return {
    /**
     * Returns the URL of the provider's login page, and the state that must come back with the code.
     *
     * @example
     * const redirectUrl = 'https://app.example.com/login'
     * const begin = async () => location.assign((await svc.auth.provider('google').url({ redirectUrl })).url)
     *
     * @throws {SvcError} `IDP_NOT_CONFIGURED`, `ORIGIN_NOT_ALLOWED`
     */
    url(
      input: { redirectUrl?: string; scopes?: readonly string[] },
      options?: CallOptions,
    ): Promise<{ url: string; state: string }> {
      return post(`${path}/url`, input, options, noToken)
    },

    /**
     * Signs in with the code and state that the provider sent back.
     *
     * @example
     * const finish = (code: string, state: string) => svc.auth.provider('google').callback({ code, state })
     */
    callback(input: { code: string; state: string; iss?: string }, options?: CallOptions): Promise<LoginResult<Data>> {
      return signIn(`${path}/callback`, input, options)
    },

    /**
     * Signs in with an ID token that the app received from the provider.
     *
     * @example
     * const logIn = (idToken: string) => svc.auth.provider('google').token({ idToken, platform: 'ios' })
     *
     * @throws {SvcError} `INVALID_TOKEN`
     */
    token(
      input: { idToken: string; platform: 'web' | 'ios' | 'android'; nonce?: string },
      options?: CallOptions,
    ): Promise<LoginResult<Data>> {
      return signIn(`${path}/token`, input, options)
    },
  }
}

export type ProviderLogin<Data> = ReturnType<typeof openProvider<Data>>
