/** How a user signs in and out. */
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

/** What came back from an identity provider. `error` is one of the reasons of the specification. */
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
  /** The page to end on, of an origin that the project allows; left out, `IDP_COMPLETE_URL`. */
  readonly returnTo?: string
}

export function loginCalls<Data extends object>({ ask, auth }: Session, { post, signIn }: AuthCalls<Data>) {
  async function takeOver(token: string): Promise<SignedIn<Data>> {
    const end = auth.begin()
    const signedIn = { token, user: await ask('GET', '/auth-collections/me', decodeUser, { token }) }
    await end(signedIn)
    return signedIn as SignedIn<Data>
  }

  /** One that has ended already is what was asked for. */
  async function endSession(token: string, options?: CallOptions) {
    try {
      await post('/auth-collections/logout', undefined, options, token)
    } catch (error) {
      if ((error as SvcError).code !== 'INVALID_TOKEN') throw error
    }
  }

  async function loginUrl({ returnTo, ...options }: ProviderLoginOptions = {}): Promise<string> {
    const parts = { ...options, query: [['returnTo', returnTo]] as const, token: noToken }
    return (await ask('GET', '/auth-collections/login-idp', decodeRecord<{ url: string }>, parts)).url
  }

  return {
    /**
     * Signs a user up, and in.
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
     * Signs a user in; where a code is needed, `verifyCode` comes next.
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
     * Finishes a login with a code of the authenticator app, by mail, or for recovery.
     *
     * @example
     * const finish = (email: string, code: string) => svc.auth.verifyCode({ email, code })
     *
     * @throws {SvcError} `INVALID_CREDENTIALS`; `RATE_LIMITED` after the fifth wrong code: log in with the password again
     */
    verifyCode(input: { email: string; code: string }, options?: CallOptions): Promise<LoginResult<Data>> {
      // The fifth wrong code is a 429 that has ended the login: sent again, the code would meet none.
      return signIn('/auth-collections/verify-2fa-login', input, { ...options, counts: true })
    },

    /**
     * Signs in with a token that came another way.
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
     * Ends the session, here and at the service.
     *
     * @example
     * await svc.auth.signUp({ email: 'annie@example.com', password: 'Correct4Horse' })
     * await svc.auth.logOut()
     */
    async logOut(options?: CallOptions): Promise<void> {
      const end = auth.begin()
      const known = await auth.current()
      // Here first, so that realtime connections speak for the key by the time the session ends; there also where it is still stored here.
      await Promise.all([end(undefined), known && endSession(known.token, options)])
    },

    /**
     * The address to send the browser to for a login at the identity provider.
     *
     * @param options `returnTo` is the page to end on, of an origin that the project allows; left out, `IDP_COMPLETE_URL`
     * @example
     * const urlOfLogin = () => svc.auth.startLogin({ returnTo: 'https://app.example.com/welcome' })
     *
     * @throws {SvcError} `IDP_NOT_CONFIGURED`, `ORIGIN_NOT_ALLOWED`
     */
    startLogin(options?: ProviderLoginOptions): Promise<string> {
      return loginUrl(options)
    },

    /**
     * Leaves the page for a login at the identity provider. `finishLogin` reads the result on the page where it ends.
     *
     * @param options as those of `startLogin`
     * @example
     * const logIn = () => svc.auth.redirectToLogin({ returnTo: location.href })
     *
     * @throws {SvcError} `IDP_NOT_CONFIGURED`, `ORIGIN_NOT_ALLOWED`
     */
    async redirectToLogin(options?: ProviderLoginOptions): Promise<void> {
      globalThis.location.assign(await loginUrl(options))
    },

    /**
     * The result of a login at the identity provider, on the page where it ends: signed in, or the reason why not;
     * nothing if the address says neither. The token is taken out of the address bar.
     *
     * @param address left out, that of the page
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
