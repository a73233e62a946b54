/** Signs users up, in and out. */
import type { CallOptions } from '../collections/collection-writes.js'
import type { Fields } from '../protocol/model/document.js'
import type { SvcError } from '../protocol/model/errors.js'
import type { AppUser } from '../protocol/model/user.js'
import { decodeRecord } from '../protocol/wire/expected.js'
import { decodeUser, type LoginResult } from '../protocol/wire/records/decode.js'
import { requireAddress } from '../send.js'
import type { AuthCalls } from './auth-calls.js'
import type { SignedIn } from './auth-state.js'
import { noToken, type Session } from './session.js'

/** Result of a login at an identity provider. `error` is one of the reasons in the specification. */
export type RedirectResult<Data = Fields> =
  | { readonly user: AppUser<Data>; readonly token: string; readonly error?: undefined }
  | { readonly error: string }

export interface SignUpInput<Data = Fields> {
  readonly email: string
  readonly password: string
  readonly data?: Data
  readonly roles?: readonly string[]
}

export interface ProviderLoginOptions extends CallOptions {
  /** Page to return to, on an origin that the project allows. Default: `IDP_COMPLETE_URL`. */
  readonly returnTo?: string
}

export function loginCalls<Data extends object>({ ask, auth }: Session, { post, signIn }: AuthCalls<Data>) {
  async function takeOver(token: string): Promise<SignedIn<Data>> {
    const end = auth.begin()
    const signedIn = { token, user: await ask('GET', '/auth-collections/user', decodeUser, { token }) }
    await end(signedIn)
    return signedIn as SignedIn<Data>
  }

  /** Ignores a session that has already ended. */
  async function endSession(token: string, options?: CallOptions) {
    try {
      await post('/auth-collections/logout', undefined, options, token)
    } catch (error) {
      // A service without sessions has no such path.
      if (!/^(INVALID_TOKEN|NOT_FOUND)$/.test((error as SvcError).code)) throw error
    }
  }

  async function loginUrl({ returnTo, ...options }: ProviderLoginOptions = {}): Promise<string> {
    const parts = { ...options, query: [['returnTo', returnTo]] as const, token: noToken }
    return (await ask('GET', '/auth-collections/login-idp', decodeRecord<{ url: string }>, parts)).url
  }

  return {
    /**
     * Signs a user up and in.
     *
     * @example
     * await svc.auth.signUp({ email: 'olga@example.com', password: 'Correct4Horse', data: { name: 'Olga' } })
     *
     * @throws {SvcError} `EMAIL_ALREADY_EXISTS`, `VALIDATION_ERROR`
     */
    signUp(input: SignUpInput<Data>, options?: CallOptions): Promise<LoginResult<Data>> {
      return signIn('/auth-collections/signup', input, options)
    },

    /**
     * Signs a user in. If the result has `requires2fa`, call `verifyCode` next.
     *
     * @example
     * await svc.auth.signUp({ email: 'emmy@example.com', password: 'Correct4Horse' })
     * const result = await svc.auth.logIn({ email: 'emmy@example.com', password: 'Correct4Horse' })
     * if (!result.requires2fa) console.log(result.user.email)
     *
     * @throws {SvcError} `INVALID_CREDENTIALS`
     */
    logIn(credentials: { email: string; password: string }, options?: CallOptions): Promise<LoginResult<Data>> {
      return signIn('/auth-collections/login', credentials, options)
    },

    /**
     * Finishes a login with a code from the authenticator app, an emailed code or a recovery code.
     *
     * @example
     * const finish = (email: string, code: string) => svc.auth.verifyCode({ email, code })
     *
     * @throws {SvcError} `INVALID_CREDENTIALS`; `RATE_LIMITED` after the fifth wrong code: log in with the password again
     */
    verifyCode(input: { email: string; code: string }, options?: CallOptions): Promise<LoginResult<Data>> {
      // Never retried after a 429: the fifth wrong code returns 429 and ends the login.
      return signIn('/auth-collections/verify-2fa-login', input, { ...options, counts: true })
    },

    /**
     * Signs in with a user token that you already have.
     *
     * @example
     * const takeOver = async (token: string) => console.log((await svc.auth.use(token)).user.email)
     *
     * @throws {SvcError} `INVALID_TOKEN`
     */
    use(token: string): Promise<SignedIn<Data>> {
      return takeOver(token)
    },

    /**
     * Ends the session in this client and on the service.
     *
     * @example
     * await svc.auth.signUp({ email: 'annie@example.com', password: 'Correct4Horse' })
     * await svc.auth.logOut()
     */
    async logOut(options?: CallOptions): Promise<void> {
      const end = auth.begin()
      const known = await auth.current()
      // Clears the local session first, so that realtime connections use the key before the session ends.
      // Ends the session on the service even if the store fails.
      await Promise.all([end(undefined), known && endSession(known.token, options)])
    },

    /**
     * Returns the URL of the identity provider's login page. Send the browser there.
     *
     * @param options `returnTo` is the page to return to, on an origin that the project allows. Default: `IDP_COMPLETE_URL`
     * @example
     * const urlOfLogin = () => svc.auth.startLogin({ returnTo: 'https://app.example.com/welcome' })
     *
     * @throws {SvcError} `IDP_NOT_CONFIGURED`, `ORIGIN_NOT_ALLOWED`
     */
    startLogin(options?: ProviderLoginOptions): Promise<string> {
      return loginUrl(options)
    },

    /**
     * Sends the browser to the identity provider's login page. Call `finishLogin` on the page it returns to.
     *
     * @param options same as `startLogin`
     * @example
     * const logIn = () => svc.auth.redirectToLogin({ returnTo: location.href })
     *
     * @throws {SvcError} `IDP_NOT_CONFIGURED`, `ORIGIN_NOT_ALLOWED`
     */
    async redirectToLogin(options?: ProviderLoginOptions): Promise<void> {
      globalThis.location.assign(await loginUrl(options))
    },

    /**
     * Finishes a login at the identity provider, on the page that the browser returns to. Returns the signed-in user or the
     * error, or undefined if the address has neither. Removes the token from the address bar.
     *
     * @param address default: the address of the page
     * @example
     * const result = await svc.auth.finishLogin('https://app.example.com/welcome?svc-error=authentication_failed')
     * if (result?.error) console.log(result.error)
     */
    async finishLogin(address: string = globalThis.location?.href ?? ''): Promise<RedirectResult<Data> | undefined> {
      const url = requireAddress(address)
      const { searchParams } = url
      const [token, error] = ['svc-super-token', 'svc-error'].map((name) => {
        const value = searchParams.get(name)
        searchParams.delete(name)
        return value
      })
      if (!(token || error)) return
      if (address === globalThis.location?.href) globalThis.history?.replaceState(null, '', url)
      return token ? takeOver(token) : { error: error as string }
    },
  }
}
