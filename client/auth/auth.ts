import type { CallOptions } from '../collections/collection-writes.js'
import { getLinked } from '../collections/list-pages.js'
import { type WithFiles, writeForm } from '../files/forms.js'
import type { Fields } from '../protocol/model/document.js'
import type { JsonObject } from '../protocol/model/json.js'
import type { AppUser } from '../protocol/model/user.js'
import { readRecord } from '../protocol/wire/expected.js'
import { type LoginResult, readUser } from '../protocol/wire/records/decode.js'
import { requireAddress } from '../send.js'
import { openAuthCalls } from './auth-calls.js'
import type { SignedIn } from './auth-state.js'
import { openProvider, type ProviderLogin } from './provider-login.js'
import { nobody, type Session } from './session.js'
import { openTwoFactor } from './two-factor.js'

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

export interface AccountUpdate<Data = Fields> {
  /** Fields to change, files among them; the others stay. */
  readonly data?: Partial<WithFiles<Data>>
  readonly append?: { readonly [Field in keyof Data]?: unknown }
  readonly remove?: { readonly [Field in keyof Data]?: unknown }
  readonly email?: string
  readonly password?: string
  /** With a new password, unless the login is less than ten minutes old. */
  readonly currentPassword?: string
}

/** The signed-in user, and how one gets there. */
export function openAuth<Data extends object = Fields>(session: Session) {
  const { call, auth } = session
  const calls = openAuthCalls<Data>(session)
  const { post, signIn } = calls

  async function keep(user: AppUser<Data>): Promise<AppUser<Data>> {
    // An answer that is late tells of an earlier user, or of an earlier state.
    const isMeant = ({ user: known }: SignedIn) => known.id === user.id && !(known.updatedAt > user.updatedAt)
    await auth.amend(isMeant, { user: user as AppUser })
    return user
  }

  return {
    /** Two-factor login of the signed-in user. */
    twoFactor: openTwoFactor(calls),

    /** Who is signed in, as far as this client knows. */
    session(): Promise<SignedIn<Data> | undefined> {
      return auth.current() as Promise<SignedIn<Data> | undefined>
    },

    /** Hears of each login, change and logout. The answer ends it. */
    onChange(listener: (session: SignedIn<Data> | undefined) => void): () => void {
      return auth.onChange(listener as Parameters<typeof auth.onChange>[0])
    },

    /**
     * Signs somebody up, and in.
     *
     * @throws {SvcError} `EMAIL_ALREADY_EXISTS`, `VALIDATION_ERROR`
     */
    signUp(input: SignUpInput<Data>, options?: CallOptions): Promise<LoginResult<Data>> {
      return signIn('/auth-collections/signup', input, options)
    },

    /**
     * Signs somebody in; where a code is needed, `verifyCode` comes next.
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

    /** Finishes a login with a code of the authenticator app, by mail, or for recovery. */
    verifyCode(input: { email: string; code: string }, options?: CallOptions): Promise<LoginResult<Data>> {
      return signIn('/auth-collections/verify-2fa-login', input, options)
    },

    /** Takes over a token that came another way. @throws {SvcError} `INVALID_TOKEN` */
    async use(token: string): Promise<SignedIn<Data>> {
      const end = auth.begin()
      const signedIn = { token, user: await call('GET', '/auth-collections/me', readUser, { token }) }
      await end(signedIn)
      return signedIn as SignedIn<Data>
    },

    /** Ends the session, here and at the service. */
    async logOut(options?: CallOptions): Promise<void> {
      const end = auth.begin()
      const known = await auth.current()
      // Here first, so that realtime connections speak for the key by the time the session ends.
      await end(undefined)
      if (known) await post('/auth-collections/logout', undefined, options, known.token)
    },

    /** The signed-in user as the service has it now. */
    async me(options?: CallOptions): Promise<AppUser<Data>> {
      return keep((await call('GET', '/auth-collections/me', readUser, options)) as AppUser<Data>)
    },

    /** The signed-in user with linked records in the place of ids. */
    user(options: CallOptions & { populate?: readonly string[] } = {}): Promise<AppUser<Data>> {
      return getLinked(session, '/auth-collections/user', readUser, options) as Promise<AppUser<Data>>
    },

    /** Changes the signed-in user. @throws {SvcError} `EMAIL_ALREADY_EXISTS`, `INVALID_CREDENTIALS`, `VALIDATION_ERROR` */
    async update(changes: AccountUpdate<Data>, options?: CallOptions): Promise<AppUser<Data>> {
      const { append: $append, remove: $remove, data = {}, ...rest } = changes
      const body = writeForm(data, (plain) => ({ ...rest, data: plain, $append, $remove }) as JsonObject)
      return keep((await call('PATCH', '/auth-collections/user', readUser, { ...options, body })) as AppUser<Data>)
    },

    /** A new token for the same session. The client does this by itself before a token expires. */
    refresh(): Promise<string> {
      return session.refresh()
    },

    /** Changes the password; all other sessions end. @throws {SvcError} `INVALID_CREDENTIALS`, `VALIDATION_ERROR` */
    async changePassword(input: { oldPassword: string; newPassword: string }, options?: CallOptions): Promise<void> {
      await post('/auth/change-password', input, options)
    },

    /** Mails a link for a new password to whoever has that address, if anybody does. */
    async requestPasswordReset(email: string, options?: CallOptions): Promise<void> {
      await post('/auth/request-password-reset', { email }, options, nobody)
    },

    /** Sets a new password with the token of that mail. @throws {SvcError} `INVALID_TOKEN` */
    async resetPassword(input: { token: string; newPassword: string }, options?: CallOptions): Promise<void> {
      await post('/auth/reset-password', input, options, nobody)
    },

    /** Mails a link that verifies the address, at most one a minute. @throws {SvcError} `RATE_LIMITED` */
    async requestVerification(options?: CallOptions): Promise<void> {
      await post('/auth/request-verification', undefined, options)
    },

    /** Verifies an address with the token of that mail. @throws {SvcError} `INVALID_TOKEN` */
    async verifyEmail(token: string, options?: CallOptions): Promise<void> {
      await post('/auth/verify-email', { token }, options, nobody)
    },

    /**
     * Where to send the browser for a login at the identity provider. In a page, it goes there.
     *
     * @param options `returnTo` is the page to end on, of an origin that the project allows; left out, `IDP_COMPLETE_URL`
     * @throws {SvcError} `IDP_NOT_CONFIGURED`, `ORIGIN_NOT_ALLOWED`
     */
    async startLogin({ returnTo, ...options }: CallOptions & { returnTo?: string } = {}): Promise<string> {
      const parts = { ...options, query: Object.entries({ returnTo }), token: nobody }
      const { url } = (await call('GET', '/auth-collections/login-idp', readRecord, parts)) as { url: string }
      globalThis.location?.assign(url)
      return url
    },

    /**
     * What a login at the identity provider has come to, on the page where it ends: signed in, or the reason why not;
     * nothing if the address says neither. The token is taken out of the address bar.
     *
     * @param address left out, that of the page
     */
    async finishLogin(address: string = globalThis.location?.href ?? ''): Promise<RedirectResult<Data> | undefined> {
      const url = requireAddress(address)
      const { searchParams } = url
      const [token, error] = ['svc-super-token', 'svc-error'].map((name) => {
        const value = searchParams.get(name)
        searchParams.delete(name)
        return value
      })
      if (address === globalThis.location?.href) globalThis.history?.replaceState(null, '', url)
      if (token) return this.use(token)
      return error ? { error } : undefined
    },

    /** Login at a named provider by the app itself. */
    provider(name: string): ProviderLogin<Data> {
      return openProvider(calls, name)
    },
  }
}

export type Auth<Data extends object = Fields> = ReturnType<typeof openAuth<Data>>
