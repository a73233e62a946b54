/**
 * Logs users in through identity providers: with a browser redirect, through an app, or with an ID token. Contract 7.
 */
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
  cookiePath,
  keepLogin,
  newLoginState,
  readState,
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
import { findOrCreateUser } from './provider-users.js'

type Scope = Pick<Context, 'backend' | 'db' | 'project'>

/** A login that sends a browser to the provider and back through the service to the app's page. */
export interface BrowserLogin {
  readonly provider?: string
  /** The app's page, if it differs from the settings. */
  readonly completeUrl?: string
  /** A page chosen by the app, on an origin that the project allows. */
  readonly returnTo?: string | undefined
  /** Whether only the browser that starts the login may finish it. Contract 7.3. */
  readonly isBound?: boolean
}

/** Returns the URL at the provider. Spec, "Authentication" 7. @throws {SvcError} `IDP_NOT_CONFIGURED`, `UNAVAILABLE` */
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
  /** The app's page that the provider redirects to. Defaults to the one in the settings. */
  readonly redirectUrl?: string | undefined
  readonly scopes?: readonly string[] | undefined
  /** Whether only the browser that starts the login may finish it, if the code goes to the service. */
  readonly isBound: boolean
}

/**
 * Returns the URL at the provider for an app that handles the code itself. If the callback is the service's own, it
 * works like `startLogin`.
 *
 * @throws {SvcError} as `startLogin` does, and `ORIGIN_NOT_ALLOWED`
 */
export async function startAppLogin(
  scope: Scope,
  provider: string,
  { redirectUrl, scopes = [], isBound }: AppLogin,
): Promise<{ url: string; state: string }> {
  const isOwn = redirectUrl === undefined
  const to = isOwnCallback(scope, redirectUrl ?? configuredPages(scope, provider).redirectUrl) ? 'service' : 'app'
  const setup = readProvider(scope, provider, [
    ...(['CLIENT_ID', 'CLIENT_SECRET'] as const),
    ...(isOwn ? (['REDIRECT_URL'] as const) : []),
    ...(to === 'service' ? (['COMPLETE_URL'] as const) : []),
  ])
  // Checks the page before the login starts, because the service has to redirect there at the end.
  if (to === 'service') readCompleteUrl(scope, provider)
  if (!isOwn) requireAllowed(scope, redirectUrl, configuredPages(scope, provider).redirectUrl)
  // Apps cannot receive a POST. If the provider would send one, requests fewer scopes, so that it redirects with a
  // query.
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
  const url = client.authority === builtInAuthority ? makeReachable(scope, address) : address
  const binds = isBound && isOwnCallback(scope, redirectUrl)
  await keepLogin(scope, state, { ...login, verifier, nonce, loginUrl: binds ? url : null })
  if (!binds) return { url, state }
  const start = `${new URL(redirectUrl).origin}${cookiePath(redirectUrl)}/start`
  return { url: withQuery(start, 'state', state), state }
}

/**
 * Rewrites the built-in provider's URL to one that the browser can reach. The service itself uses the internal address.
 */
function makeReachable({ backend }: Scope, address: string): string {
  const { pathname, search } = new URL(address)
  return backend.reachedAt() + pathname + search
}

/** Checks whether the redirect goes to the service's own callback. Only then does the service see the browser. */
function isOwnCallback({ project }: Scope, redirectUrl = ''): boolean {
  return URL.canParse(redirectUrl) && cookiePath(redirectUrl).endsWith(`/auth-idp-redirect/${project.id}`)
}

/** A redirect for a browser, and the cookie it has to bring back. */
export interface SentOn {
  readonly location: string
  readonly headers?: { readonly 'set-cookie': string }
  /** Whether the browser brought a state or cookie that matches no login. */
  readonly isRefused?: boolean
}

/** Sends the browser to the provider and binds the login to it. @throws {SvcError} as `finishLogin` does */
export async function setOut(
  backend: Backend,
  projectId: string,
  { state, cookies }: { state: string; cookies: string | undefined },
): Promise<SentOn> {
  const scope = { backend, db: backend.db, project: await requireProject(backend, projectId) }
  const departure = await bindToBrowser(scope, state, cookies)
  if (departure) return { location: departure.loginUrl, headers: { 'set-cookie': departure.cookie } }
  const completeUrl = await findPage(scope, state)
  return { location: withQuery(completeUrl, outcomeNames.failure, 'authentication_failed'), isRefused: true }
}

/**
 * Finishes a browser's login. Returns the URL to redirect to, with a token or an error. Contract 7.3.
 *
 * @throws {SvcError} `NOT_FOUND`; `IDP_NOT_CONFIGURED` if no page is configured
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
  const completeUrl = login?.completeUrl ?? (await findPage(scope, shown.state))
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

/**
 * Finds the page where a login ends, whether or not it succeeded. @throws {SvcError} `IDP_NOT_CONFIGURED` if there is
 * none
 */
async function findPage(scope: Scope, state: string): Promise<string> {
  const { provider, page } = await readState(scope, state)
  return page ?? readCompleteUrl(scope, provider)
}

/**
 * Finishes a login whose code went to the app. @throws {SvcError} `INVALID_CREDENTIALS` and the other codes in
 * `refusals`
 */
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
  /** The person as Apple describes them beside the token, as JSON text. */
  readonly user?: string | undefined
}

/** Logs in with an ID token that the app got from the provider. Contract 7.6. @throws {SvcError} `INVALID_TOKEN` */
export async function logInWithIdToken(
  scope: Scope,
  provider: string,
  { idToken, platform, nonce, user }: IdTokenLogin,
): Promise<Login> {
  const { client, platforms } = readProvider(scope, provider, ['CLIENT_ID'])
  if (!('issuer' in client.server))
    throw new SvcError('INVALID_TOKEN', `Provider "${provider}" does not issue ID tokens.`)
  const own = platform === 'web' ? undefined : platforms[platform]
  // Accepts the server's client id too, because mobile apps can request tokens for their server.
  const audiences = [client.clientId, ...(own === undefined ? [] : [own])]
  const profile = await scope.backend.providers
    .readTokenProfile(client, idToken, { audiences, nonce, user })
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
  return openLoginSession(scope, await findOrCreateUser(scope, profile.authority ?? authority, profile))
}

/** Allows pages on origins that the project allows, on the configured origin, and on this machine. */
function requireAllowed({ backend, project }: Scope, page: string, configured: string | undefined): void {
  const address = URL.canParse(page) ? new URL(page) : undefined
  const origins = [...project.settings.allowedOrigins, ...(configured === undefined ? [] : [configured])]
  const isAllowed =
    address && /^https?:$/.test(address.protocol) && origins.some((origin) => hasOrigin(origin, address))
  if (isAllowed || (backend.localProvider && isLoopbackUrl(page))) return
  throw new SvcError(
    'ORIGIN_NOT_ALLOWED',
    `The project does not allow the origin of "${page.slice(0, 200)}". Add it to "allowedOrigins" in the project's settings.`,
  )
}

function hasOrigin(origin: string, address: URL): boolean {
  return URL.canParse(origin) && new URL(origin).origin === address.origin
}

/** Appends to the page's own query. `new URL` escapes non-ASCII characters, which headers cannot carry. */
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

/** Logs the cause that the app does not see. */
function report({ backend, project }: Scope, refused: LoginRefused): LoginRefused {
  backend.events.add(loginEvent(project.id, 'failed', { why: refused.reason }))
  if (refused.cause !== undefined) backend.report('provider login', refused)
  return refused
}

/** Maps an error to the reason for a login that an app finished. */
export function toLoginFailure(error: unknown): LoginFailure {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof LoginRefused ? cause.reason : 'authentication_failed'
}

/** Error for an app in cases where a browser gets redirected. */
const refusals: { readonly [Failure in Exclude<LoginFailure, 'database_error'>]: readonly [ErrorCode, string] } = {
  invalid_authorization_code: ['INVALID_CREDENTIALS', 'The provider rejected the code.'],
  failed_to_get_user_info: ['INVALID_CREDENTIALS', 'The provider did not return the user.'],
  no_email_provided: ['EMAIL_NOT_VERIFIED', 'The provider returned no verified email address.'],
  email_already_registered_with_password: ['EMAIL_ALREADY_EXISTS', 'This email belongs to a user with a password.'],
  authentication_failed: ['INVALID_CREDENTIALS', 'The login failed.'],
}

function asAnswer(scope: Scope): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof LoginRefused) || error.reason === 'database_error') throw error
    const [code, message] = refusals[report(scope, error).reason as keyof typeof refusals]
    throw new SvcError(code, message, [], { cause: error })
  }
}
