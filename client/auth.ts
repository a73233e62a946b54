import type { SignedIn } from './auth-state.js'
import type { CallOptions } from './collection-writes.js'
import { readLinks } from './links.js'
import type { Fields } from './model/document.js'
import { SvcError } from './model/errors.js'
import type { Json } from './model/json.js'
import { parsePath } from './model/path.js'
import type { AppUser } from './model/user.js'
import type { Session } from './session.js'
import { asObject } from './wire/documents.js'
import { recordEnvelopes } from './wire/envelopes.js'
import { readLogin } from './wire/logins.js'
import { readUser } from './wire/users.js'

/** A login is there, or a code is needed first. */
export type LoginResult<Data = Fields> =
  | { readonly requires2fa: false; readonly user: AppUser<Data>; readonly token: string }
  | { readonly requires2fa: true; readonly message: string }

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
  /** Fields to change; the others stay. */
  readonly data?: Partial<Data>
  readonly append?: { readonly [Field in keyof Data]?: unknown }
  readonly remove?: { readonly [Field in keyof Data]?: unknown }
  readonly email?: string
  readonly password?: string
  /** With a new password, unless the login is less than ten minutes old. */
  readonly currentPassword?: string
}

/** The signed-in user, and how one gets there. */
export function openAuth<Data extends object = Fields>(session: Session) {
  const { dialect, send, auth } = session
  const store = '/auth-collections'

  /** A POST whose answer is the record itself. */
  async function post(path: string, body?: object, { signal }: CallOptions = {}, isAnonymous = false) {
    const answer = await send({ method: 'POST', path, body: body as unknown as Json, isAnonymous, signal })
    return asObject(recordEnvelopes[(await dialect()).record].read(answer.body))
  }

  async function signIn(path: string, body: object, { signal }: CallOptions = {}): Promise<LoginResult<Data>> {
    try {
      const sent = { method: 'POST', path, body: body as unknown as Json, isAnonymous: true, signal } as const
      const step = readLogin(await dialect(), (await send(sent)).body)
      if ('codeNeeded' in step) return { requires2fa: true, message: step.codeNeeded }
      await auth.put(step.login)
      return { requires2fa: false, ...(step.login as SignedIn<Data>) }
    } catch (error) {
      if (error instanceof SvcError && error.code === '2FA_REQUIRED')
        return { requires2fa: true, message: error.message }
      throw error
    }
  }

  async function ask(path: string, populate: readonly string[] = [], { signal }: CallOptions = {}) {
    const query = populate.map((field) => ['populate', field] as const)
    const { body } = await send({ method: 'GET', path, query, isRepeatable: true, signal })
    const user = readUser(await dialect(), body)
    readLinks(await dialect(), user.data, populate.map(parsePath))
    return user as AppUser<Data>
  }

  async function keep(user: AppUser<Data>): Promise<AppUser<Data>> {
    const { token } = (await auth.current()) ?? {}
    if (token !== undefined) await auth.put({ token, user: user as unknown as AppUser })
    return user
  }

  /** Takes over a token that came another way, such as by a redirect. */
  async function use(token: string): Promise<SignedIn<Data>> {
    await auth.put({ token, user: undefined as never })
    const user = await ask(`${store}/me`).catch(async (error) => {
      await auth.put(undefined)
      throw error
    })
    await auth.put({ token, user: user as unknown as AppUser })
    return { token, user }
  }

  return {
    /** Who is signed in, as far as this client knows. */
    session: () => auth.current() as Promise<SignedIn<Data> | undefined>,

    /** Hears of each login and logout. The answer ends it. */
    onChange: (listener: (session: SignedIn<Data> | undefined) => void) => auth.onChange(listener as never),

    /**
     * Signs somebody up, and in.
     *
     * @throws {SvcError} `EMAIL_ALREADY_EXISTS`, `VALIDATION_ERROR`
     */
    signUp: (input: SignUpInput<Data>, options?: CallOptions) => signIn(`${store}/signup`, input, options),

    /**
     * Signs somebody in; where a code is needed, `verifyCode` comes next.
     *
     * @example
     * const result = await svc.auth.logIn({ email, password })
     * if (!result.requires2fa) console.log(result.user.email)
     *
     * @throws {SvcError} `INVALID_CREDENTIALS`
     */
    logIn: (credentials: { email: string; password: string }, options?: CallOptions) =>
      signIn(`${store}/login`, credentials, options),

    /** Finishes a login with a code of the authenticator app, by mail, or for recovery. */
    verifyCode: (input: { email: string; code: string }, options?: CallOptions) =>
      signIn(`${store}/verify-2fa-login`, input, options),

    /** Takes over a token that came another way. */
    use,

    /** Ends the session, here and at the service. */
    async logOut(options?: CallOptions): Promise<void> {
      if (!(await auth.current())) return
      await post(`${store}/logout`, undefined, options).finally(() => auth.put(undefined))
    },

    /** The signed-in user as the service has it now. */
    me: async (options?: CallOptions) => keep(await ask(`${store}/me`, [], options)),

    /** The signed-in user with linked records in the place of ids. */
    user: ({ populate, ...options }: CallOptions & { populate?: readonly string[] } = {}) =>
      ask(`${store}/user`, populate, options),

    /** Changes the signed-in user. @throws {SvcError} `EMAIL_ALREADY_EXISTS`, `INVALID_CREDENTIALS`, `VALIDATION_ERROR` */
    async update(changes: AccountUpdate<Data>, { signal }: CallOptions = {}): Promise<AppUser<Data>> {
      const { append, remove, ...rest } = changes
      const body = {
        ...rest,
        ...(append && { $append: append }),
        ...(remove && { $remove: remove }),
      } as unknown as Json
      const answer = await send({ method: 'PATCH', path: `${store}/user`, body, signal })
      return keep(readUser(await dialect(), answer.body) as AppUser<Data>)
    },

    /** A new token for the same session. The client does this by itself before a token expires. */
    refresh: () => session.refresh(),

    /** Changes the password; all other sessions end. @throws {SvcError} `INVALID_CREDENTIALS`, `VALIDATION_ERROR` */
    changePassword: async (input: { oldPassword: string; newPassword: string }, options?: CallOptions) =>
      void (await post('/auth/change-password', input, options)),

    /** Mails a link for a new password to whoever has that address, if anybody does. */
    requestPasswordReset: async (email: string, options?: CallOptions) =>
      void (await post('/auth/request-password-reset', { email }, options, true)),

    /** Sets a new password with the token of that mail. @throws {SvcError} `INVALID_TOKEN` */
    resetPassword: async (input: { token: string; newPassword: string }, options?: CallOptions) =>
      void (await post('/auth/reset-password', input, options, true)),

    /** Mails a link that verifies the address, at most one a minute. @throws {SvcError} `RATE_LIMITED` */
    requestVerification: async (options?: CallOptions) =>
      void (await post('/auth/request-verification', undefined, options)),

    /** Verifies an address with the token of that mail. @throws {SvcError} `INVALID_TOKEN` */
    verifyEmail: async (token: string, options?: CallOptions) =>
      void (await post('/auth/verify-email', { token }, options, true)),

    twoFactor: {
      /** A secret for an authenticator app, as text, as an address and as an image. `verify` turns it on. */
      async enable(options?: CallOptions) {
        const { secret, otpauth_url: url, qr_code: image } = await post('/auth/2fa/enable', undefined, options)
        return { secret: String(secret), otpauthUrl: String(url), qrCode: String(image) }
      },
      /** Turns two-factor login on, and answers the recovery codes this one time. */
      async verify(code: string, options?: CallOptions): Promise<string[]> {
        const { recovery_codes: codes } = await post('/auth/2fa/verify', { code }, options)
        return Array.isArray(codes) ? codes.map(String) : []
      },
      /** Turns it off, with a code of the app or for recovery. */
      disable: async (code: string, options?: CallOptions) => void (await post('/auth/2fa/disable', { code }, options)),
    },

    /**
     * Where to send the browser for a login at the identity provider; in a browser, it goes there.
     *
     * @example
     * button.onclick = () => svc.auth.startLogin()
     *
     * @throws {SvcError} `IDP_NOT_CONFIGURED`
     */
    async startLogin({ signal }: CallOptions = {}): Promise<string> {
      const { body } = await send({ method: 'GET', path: `${store}/login-idp`, isAnonymous: true, signal })
      const url = String(asObject(recordEnvelopes[(await dialect()).record].read(body)).url)
      browser().location?.assign(url)
      return url
    },

    /**
     * What a login at the identity provider has come to, on the page it ends at: signed in, or the reason why not.
     * Nothing if the address says neither. The token is taken out of the address bar.
     *
     * @param address left out, that of the page
     */
    async finishLogin(address: string = browser().location?.href ?? ''): Promise<RedirectResult<Data> | undefined> {
      const url = new URL(address)
      const token = url.searchParams.get('svc-super-token')
      const error = url.searchParams.get('svc-error')
      for (const name of ['svc-super-token', 'svc-error']) url.searchParams.delete(name)
      if (address === browser().location?.href) browser().history?.replaceState(null, '', url)
      if (token) return use(token)
      return error ? { error } : undefined
    },

    /** Login at a named provider without a page of the service in between. Contract 7.6. */
    provider: (name: string) => ({
      /** Where to send the browser, and the state to send back with the code. */
      async url(input: { redirectUrl: string; scopes?: readonly string[] }, options?: CallOptions) {
        const { url, state } = await post(`/auth/oauth/${encodeURIComponent(name)}/url`, input, options, true)
        return { url: String(url), state: String(state) }
      },
      callback: (input: { code: string; state: string }, options?: CallOptions) =>
        signIn(`/auth/oauth/${encodeURIComponent(name)}/callback`, input, options),
      /** With a token that the provider gave to the app. @throws {SvcError} `INVALID_TOKEN` */
      token: (input: { idToken: string; platform: 'web' | 'ios' | 'android'; nonce?: string }, options?: CallOptions) =>
        signIn(`/auth/oauth/${encodeURIComponent(name)}/token`, input, options),
    }),
  }
}

export type Auth<Data extends object = Fields> = ReturnType<typeof openAuth<Data>>

/** The page, where there is one. */
function browser(): Partial<Pick<typeof globalThis, 'location' | 'history'>> {
  return globalThis
}
