/** Login through an identity provider: by a browser that is sent there and back, by an app, or with an ID token. Contract 7. */
import { randomBytes } from 'node:crypto'
import { type ErrorCode, SvcError } from '../../../client/protocol/model/errors.js'
import { isLoopbackUrl } from '../../../client/protocol/model/loopback.js'
import { type LoginFailure, outcomeNames } from '../../../client/protocol/model/provider-login.js'
import { LoginRefused, type ProviderClient, type ProviderProfile } from '../../idp/provider.js'
import type { PendingProviderLogin } from '../../store/providers/idp-logins.js'
import type { Backend, Context } from '../context.js'
import { loginEvent } from '../events/happenings.js'
import { type Login, openLoginSession } from '../logins/sessions.js'
import { requireProject } from '../projects/require-project.js'
import {
  bindToBrowser,
  type CodeGoesTo,
  contentOfState,
  keepLogin,
  newLoginState,
  pathOf,
  takeOpenLogin,
} from './login-state.js'
import {
  builtInAuthority,
  configuredPages,
  mainProvider,
  type ProviderSetup,
  readCompleteUrl,
  readProvider,
} from './provider-settings.js'
import { userOfProfile } from './provider-users.js'

type Scope = Pick<Context, 'backend' | 'db' | 'project'>

/** Sends a browser to a provider and, by way of the service, to the app's page. */
export interface BrowserLogin {
  readonly provider?: string
  /** The page, where it is not the one of the settings. */
  readonly completeUrl?: string
  /** The same, by an app: a page of an origin that the project allows. */
  readonly returnTo?: string | undefined
  /** Whether only the browser that sets out first may finish the login. Contract 7.3. */
  readonly isBound?: boolean
}

/** The address at the provider. Spec, "Authentication" 7. @throws {SvcError} `IDP_NOT_CONFIGURED`, `UNAVAILABLE` */
export async function startLogin(
  scope: Scope,
  { provider = mainProvider, completeUrl, returnTo, isBound = false }: BrowserLogin = {},
): Promise<string> {
  const isElsewhere = completeUrl !== undefined || returnTo !== undefined
  const setup = readProvider(scope, provider, isElsewhere ? browserKeys : undefined)
  if (!isElsewhere) readCompleteUrl(scope, provider)
  if (returnTo !== undefined) requireAllowed(scope, returnTo, configuredPages(scope, provider).completeUrl)
  const { redirectUrl } = setup
  const login = { provider, redirectUrl, completeUrl: completeUrl ?? returnTo ?? null }
  const { url } = await leave(scope, setup, { ...login, to: 'service', isBound })
  return url
}

const browserKeys = ['CLIENT_ID', 'CLIENT_SECRET', 'REDIRECT_URL'] as const

export interface AppLogin {
  /** The app's own page, to which the provider sends the browser; left out, the one of the settings. */
  readonly redirectUrl?: string | undefined
  readonly scopes?: readonly string[] | undefined
  /** Whether only the browser that sets out first may finish the login, where the code comes back to the service. */
  readonly isBound: boolean
}

/**
 * The address at the provider, for an app that takes the code itself. Where the callback is the service's own, the login is one of
 * a browser, as that of `startLogin`.
 *
 * @throws {SvcError} `ORIGIN_NOT_ALLOWED` too
 */
export async function startAppLogin(
  scope: Scope,
  provider: string,
  { redirectUrl, scopes = [], isBound }: AppLogin,
): Promise<{ url: string; state: string }> {
  const isOwn = redirectUrl === undefined
  const to = isCallbackOf(scope, redirectUrl ?? configuredPages(scope, provider).redirectUrl) ? 'service' : 'app'
  const setup = readProvider(scope, provider, [
    ...(['CLIENT_ID', 'CLIENT_SECRET'] as const),
    ...(isOwn ? (['REDIRECT_URL'] as const) : []),
    ...(to === 'service' ? (['COMPLETE_URL'] as const) : []),
  ])
  // Where the service ends the login it has to know the page, before anybody has logged in.
  if (to === 'service') readCompleteUrl(scope, provider)
  if (!isOwn) requireAllowed(scope, redirectUrl, configuredPages(scope, provider).redirectUrl)
  // A page of an app is not posted to: where a provider does that, it is asked for less, which comes with a query.
  const usual = setup.client.responseMode === undefined ? setup.client.scopes : ['openid']
  const client = { ...setup.client, responseMode: undefined, scopes: [...new Set([...usual, ...scopes])] }
  const login = { provider, redirectUrl: redirectUrl ?? setup.redirectUrl, completeUrl: null }
  return leave(scope, { ...setup, client }, { ...login, to, isBound })
}

interface Leaving extends Pick<PendingProviderLogin, 'provider' | 'redirectUrl' | 'completeUrl'> {
  readonly to: CodeGoesTo
  readonly isBound: boolean
}

async function leave(
  scope: Scope,
  { client }: ProviderSetup,
  { to, isBound, ...login }: Leaving,
): Promise<{ url: string; state: string }> {
  const verifier = randomBytes(32).toString('base64url')
  const nonce = randomBytes(18).toString('base64url')
  const state = await newLoginState(scope, to, login)
  const { redirectUrl } = login
  const address = await scope.backend.providers.loginUrl(client, { state, nonce, verifier, redirectUrl })
  const url = client.authority === builtInAuthority ? asReached(scope, address) : address
  const binds = isBound && isCallbackOf(scope, redirectUrl)
  await keepLogin(scope, state, { ...login, verifier, nonce, loginUrl: binds ? url : null })
  if (!binds) return { url, state }
  const start = `${new URL(redirectUrl).origin}${pathOf(redirectUrl)}/start`
  return { url: withQuery(start, 'state', state), state }
}

/** The built-in provider's page, where the browser reaches it. The service asks the provider itself at its own address. */
function asReached({ backend }: Scope, address: string): string {
  const { pathname, search } = new URL(address)
  return backend.reachedAt() + pathname + search
}

/** Only where the address is that of the service's own callback does the service see the browser before and after. */
function isCallbackOf({ project }: Scope, redirectUrl = ''): boolean {
  return URL.canParse(redirectUrl) && pathOf(redirectUrl).endsWith(`/auth-idp-redirect/${project.id}`)
}

/** Where a browser is sent, with what it shows when it comes back. */
export interface SentOn {
  readonly location: string
  readonly headers?: { readonly 'set-cookie': string }
  /** Whether no login here is known by what the browser brought. */
  readonly isRefused?: boolean
}

/** Sends a browser off to the provider, and is the only one it may come back as. @throws {SvcError} as `finishLogin` does */
export async function setOut(
  backend: Backend,
  projectId: string,
  { state, cookies }: { state: string; cookies: string | undefined },
): Promise<SentOn> {
  const scope = { backend, db: backend.db, project: await requireProject(backend, projectId) }
  const departure = await bindToBrowser(scope, state, cookies)
  if (departure) return { location: departure.loginUrl, headers: { 'set-cookie': departure.cookie } }
  const completeUrl = await pageOf(scope, state)
  return { location: withQuery(completeUrl, outcomeNames.failure, 'authentication_failed'), isRefused: true }
}

/**
 * Ends a browser's login: where to send it, with a token or with the reason why there is none. Contract 7.3.
 *
 * @throws {SvcError} `NOT_FOUND`; `IDP_NOT_CONFIGURED` where there is nowhere to send it
 */
export async function finishLogin(
  backend: Backend,
  projectId: string,
  { parameters, cookies }: { parameters: URLSearchParams; cookies: string | undefined },
): Promise<SentOn> {
  const scope = { backend, db: backend.db, project: await requireProject(backend, projectId) }
  const shown = { state: parameters.get('state') ?? '', cookies }
  const found = await takeOpenLogin(scope, 'service', shown).catch(orRefusal('database_error'))
  const login = found instanceof LoginRefused ? undefined : found
  const completeUrl = login?.completeUrl ?? (await pageOf(scope, shown.state))
  try {
    if (found instanceof LoginRefused) throw found
    const { client, profile } = await askProvider(scope, login, parameters, { isHandedOn: false })
    const { token } = await enter(scope, client, profile).catch(orRefused('database_error'))
    return { location: withQuery(completeUrl, outcomeNames.token, token) }
  } catch (error) {
    const { reason } = report(scope, orRefusal('authentication_failed')(error))
    return { location: withQuery(completeUrl, outcomeNames.failure, reason), isRefused: login === undefined }
  }
}

/** The app's page on which a login ends, whatever became of it. @throws {SvcError} `IDP_NOT_CONFIGURED` where there is none */
async function pageOf(scope: Scope, state: string): Promise<string> {
  const { provider, page } = await contentOfState(scope, state)
  return page ?? readCompleteUrl(scope, provider)
}

/** Ends a login whose code came to the app. @throws {SvcError} `INVALID_CREDENTIALS` and the others of `refusals` */
export async function finishAppLogin(scope: Scope, provider: string, parameters: URLSearchParams): Promise<Login> {
  const login = await takeOpenLogin(scope, 'app', { state: parameters.get('state') ?? '' })
  const own = login?.provider === provider ? login : undefined
  const { client, profile } = await askProvider(scope, own, parameters, { isHandedOn: true }).catch(asAnswer(scope))
  return enter(scope, client, profile).catch(asAnswer(scope))
}

export interface IdTokenLogin {
  readonly idToken: string
  readonly platform: 'web' | 'ios' | 'android'
  readonly nonce?: string | undefined
}

/** Logs in with an ID token that the app got from the provider by itself. Contract 7.6. @throws {SvcError} `INVALID_TOKEN` */
export async function logInWithIdToken(
  scope: Scope,
  provider: string,
  { idToken, platform, nonce }: IdTokenLogin,
): Promise<Login> {
  const { client, platforms } = readProvider(scope, provider, ['CLIENT_ID'])
  if (!('issuer' in client.server)) throw new SvcError('INVALID_TOKEN', `"${provider}" gives out no ID tokens.`)
  const own = platform === 'web' ? undefined : platforms[platform]
  // An app on a telephone may ask for tokens that are made for its server.
  const audiences = [client.clientId, ...(own === undefined ? [] : [own])]
  const profile = await scope.backend.providers
    .readTokenProfile(client, idToken, { audiences, nonce })
    .catch((error) => {
      throw new SvcError('INVALID_TOKEN', 'The ID token is not valid.', [], { cause: error })
    })
  return enter(scope, client, profile).catch(asAnswer(scope))
}

async function askProvider(
  scope: Scope,
  login: PendingProviderLogin | undefined,
  parameters: URLSearchParams,
  { isHandedOn }: { isHandedOn: boolean },
): Promise<{ client: ProviderClient; profile: ProviderProfile }> {
  if (!login) throw new LoginRefused('authentication_failed')
  const { provider, verifier, nonce, redirectUrl } = login
  const { client } = readProvider(scope, provider, ['CLIENT_ID', 'CLIENT_SECRET'])
  const challenge = { state: parameters.get('state') ?? '', nonce, verifier, redirectUrl, isHandedOn }
  return { client, profile: await scope.backend.providers.fetchProfile(client, challenge, parameters) }
}

async function enter(scope: Scope, { authority }: ProviderClient, profile: ProviderProfile): Promise<Login> {
  return openLoginSession(scope, await userOfProfile(scope, profile.authority ?? authority, profile))
}

/** The app's page may be of an origin that the project allows, of the one that is configured, or of this machine. */
function requireAllowed({ backend, project }: Scope, page: string, configured: string | undefined): void {
  const address = URL.canParse(page) ? new URL(page) : undefined
  const origins = [...project.settings.allowedOrigins, ...(configured === undefined ? [] : [configured])]
  const isAllowed = address && /^https?:$/.test(address.protocol) && origins.some((origin) => isOf(origin, address))
  if (isAllowed || (backend.localProvider && isLoopbackUrl(page))) return
  throw new SvcError('ORIGIN_NOT_ALLOWED', `"${page.slice(0, 200)}" is of no origin that the project allows.`)
}

function isOf(origin: string, address: URL): boolean {
  return URL.canParse(origin) && new URL(origin).origin === address.origin
}

/** The app's own query stays as it is. What the address holds beyond ASCII is escaped, as a header has no place for it. */
function withQuery(address: string, name: string, value: string): string {
  const [, before = '', fragment = ''] = /^([^#]*)(#.*)?$/.exec(new URL(address).href) ?? []
  return `${before}${before.includes('?') ? '&' : '?'}${name}=${encodeURIComponent(value)}${fragment}`
}

function orRefusal(reason: LoginFailure): (error: unknown) => LoginRefused {
  return (error) => (error instanceof LoginRefused ? error : new LoginRefused(reason, error))
}

function orRefused(reason: LoginFailure): (error: unknown) => never {
  return (error) => {
    throw orRefusal(reason)(error)
  }
}

/** The operator's log says what the app does not see. */
function report({ backend, project }: Scope, refused: LoginRefused): LoginRefused {
  backend.events.add(loginEvent(project.id, 'failed', { why: refused.reason }))
  if (refused.cause !== undefined) backend.report('provider login', refused)
  return refused
}

/** Why a login ended that an app has finished. */
export function failureOf(error: unknown): LoginFailure {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof LoginRefused ? cause.reason : 'authentication_failed'
}

/** What an app is answered where a browser would have been sent on. */
const refusals: { readonly [Failure in Exclude<LoginFailure, 'database_error'>]: readonly [ErrorCode, string] } = {
  invalid_authorization_code: ['INVALID_CREDENTIALS', 'The provider does not take the code.'],
  failed_to_get_user_info: ['INVALID_CREDENTIALS', 'The provider does not say who it is.'],
  no_email_provided: ['EMAIL_NOT_VERIFIED', 'The provider gives no verified email address.'],
  email_already_registered_with_password: ['EMAIL_ALREADY_EXISTS', 'That email belongs to a user with a password.'],
  authentication_failed: ['INVALID_CREDENTIALS', 'The login failed.'],
}

function asAnswer(scope: Scope): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof LoginRefused) || error.reason === 'database_error') throw error
    const [code, message] = refusals[report(scope, error).reason as keyof typeof refusals]
    throw new SvcError(code, message, [], { cause: error })
  }
}
