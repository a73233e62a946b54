/** Logs in through any OpenID Connect or OAuth 2 provider. All requests are bounded in time. */
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  ClientSecretBasic,
  ClientSecretPost,
  Configuration,
  calculatePKCECodeChallenge,
  customFetch,
  enableNonRepudiationChecks,
  fetchProtectedResource,
  fetchUserInfo,
  ResponseBodyError,
  type ServerMetadata,
} from 'openid-client'
import { SvcError } from '../../client/protocol/model/errors.js'
import { isObject, type JsonObject } from '../../client/protocol/model/json.js'
import { type BoundedFetch, openBoundedFetch } from './bounded-fetch.js'
import { openTokenChecks } from './id-token.js'
import { isForAllTenants, isMicrosoft, withVerified } from './microsoft.js'
import { readNameInForm, readProfile, readSubject } from './profiles.js'
import {
  type Challenge,
  type IdentityProviders,
  type LoginFlows,
  LoginRefused,
  type ProviderClient,
  type ProviderProfile,
} from './provider.js'
import { openServers } from './servers.js'
import { watchedFetch } from './watched-fetch.js'

/** The error codes for an invalid code. GitHub has its own. */
const badCode = ['invalid_grant', 'bad_verification_code']

export interface OidcOptions {
  /** The time that a provider has for all requests of one login. */
  readonly timeoutMilliseconds: number
  /** Records the requests to a provider, if given. */
  readonly flows?: LoginFlows | undefined
}

export function openOidc({ timeoutMilliseconds, flows }: OidcOptions): IdentityProviders {
  const servers = openServers()
  const tokens = openTokenChecks(timeoutMilliseconds)
  const openWatched = ({ state }: Challenge) => watchedFetch(openBoundedFetch(timeoutMilliseconds), flows, state)

  async function configure(
    client: ProviderClient,
    fetch: BoundedFetch,
    more: Partial<ServerMetadata> = {},
  ): Promise<Configuration> {
    return buildConfiguration(client, { ...(await servers.fetchMetadata(client, fetch)), ...more }, fetch)
  }

  /** Checks the ID token here, because the library expects one issuer and each tenant has its own. */
  async function exchangeByTenant(
    config: Configuration,
    client: ProviderClient,
    challenge: Challenge,
    parameters: URLSearchParams,
  ): Promise<Exchanged> {
    let idToken = ''
    config[customFetch] = withoutIdTokens(openWatched(challenge), (token) => {
      idToken = token
    })
    const { accessToken } = await exchange(config, client, challenge, parameters)
    const source = { metadata: config.serverMetadata(), allowsHttp: client.allowsHttp }
    const expected = { audiences: [client.clientId], nonce: challenge.nonce }
    return { accessToken, claims: await tokens.check(source, idToken, expected).catch(refuseLogin) }
  }

  return {
    async loginUrl(client, challenge) {
      const config = await configure(client, openBoundedFetch(timeoutMilliseconds)).catch((cause) => {
        throw unreachable(client, cause)
      })
      return buildAuthorizationUrl(config, await buildParameters(client, challenge)).href
    },
    async fetchProfile(client, challenge, parameters) {
      const fetch = openWatched(challenge)
      const isWithoutIssuer = challenge.isHandedOn === true && !parameters.has('iss')
      const more = isWithoutIssuer ? { authorization_response_iss_parameter_supported: false } : {}
      const config = await configure(client, withRedirect(fetch, challenge), more).catch(refuseLogin)
      const exchanged = await (hasManyIssuers(client)
        ? exchangeByTenant(config, client, challenge, parameters)
        : exchange(config, client, challenge, parameters))
      const person = await readPerson(config, client, exchanged).catch((cause) => {
        throw new LoginRefused('failed_to_get_user_info', cause)
      })
      return { ...person, name: person.name ?? readNameInForm(parameters.get('user')) }
    },
    async readTokenProfile(client, idToken, expected) {
      const fetch = openBoundedFetch(timeoutMilliseconds)
      const metadata = await servers.fetchMetadata(client, fetch).catch(refuseLogin)
      const source = { metadata, allowsHttp: client.allowsHttp }
      const claims = await tokens.check(source, idToken, expected).catch(refuseLogin)
      const person = readClaims(client, claims)
      return { ...person, name: person.name ?? readNameInForm(expected.user ?? null) }
    },
  }
}

function buildConfiguration(client: ProviderClient, metadata: ServerMetadata, fetch: BoundedFetch): Configuration {
  const { clientId, clientSecret } = client
  const methods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  const authenticate = methods.includes('client_secret_post') ? ClientSecretPost : ClientSecretBasic
  const config = new Configuration(metadata, clientId, {}, authenticate(clientSecret))
  config[customFetch] = isPublished(client) ? fetch : withoutIdTokens(fetch)
  if (client.allowsHttp) allowInsecureRequests(config)
  enableNonRepudiationChecks(config)
  return config
}

async function buildParameters(client: ProviderClient, challenge: Challenge): Promise<Record<string, string>> {
  return {
    redirect_uri: normalizeUrl(challenge.redirectUrl),
    scope: client.scopes.join(' '),
    state: challenge.state,
    code_challenge: await calculatePKCECodeChallenge(challenge.verifier),
    code_challenge_method: 'S256',
    ...(expectsIdToken(client) ? { nonce: challenge.nonce } : {}),
    ...(client.responseMode === undefined ? {} : { response_mode: client.responseMode }),
  }
}

interface Exchanged {
  readonly accessToken: string
  /** The claims of the ID token, if there is one. */
  readonly claims: JsonObject | undefined
}

/** @throws {LoginRefused} */
async function exchange(
  config: Configuration,
  client: ProviderClient,
  { state, nonce, verifier, redirectUrl }: Challenge,
  parameters: URLSearchParams,
): Promise<Exchanged> {
  if (!parameters.has('error') && !parameters.get('code')) throw new LoginRefused('invalid_authorization_code')
  const checks = {
    expectedState: state,
    pkceCodeVerifier: verifier,
    ...(expectsIdToken(client) && !hasManyIssuers(client) ? { expectedNonce: nonce, idTokenExpected: true } : {}),
  }
  const cameBack = new URL(redirectUrl)
  cameBack.search = String(parameters)
  const tokens = await authorizationCodeGrant(config, cameBack, checks).catch((cause) => {
    const isBadCode = cause instanceof ResponseBodyError && badCode.includes(cause.error)
    throw new LoginRefused(isBadCode ? 'invalid_authorization_code' : 'authentication_failed', cause)
  })
  return { accessToken: tokens.access_token, claims: tokens.claims() as JsonObject | undefined }
}

/** Reads the person from the profile if the provider has one, else from the ID token. */
async function readPerson(
  config: Configuration,
  client: ProviderClient,
  { accessToken, claims }: Exchanged,
): Promise<ProviderProfile> {
  if (claims && isMicrosoft(serverAddress(client))) return readClaims(client, claims)
  if (claims && typeof claims.sub === 'string') {
    const hasProfile = config.serverMetadata().userinfo_endpoint !== undefined
    const profile = hasProfile ? ((await fetchUserInfo(config, accessToken, claims.sub)) as JsonObject) : {}
    // Takes the email and whether it is verified from the same source.
    const { email, email_verified, ...rest } = claims
    return readProfile(claims.sub, { ...('email' in profile ? rest : claims), ...profile })
  }
  if ('issuer' in client.server) throw new TypeError('The provider returned no ID token.')
  const { profileUrl, emailsUrl, verifiedName } = client.server
  const profile = await fetchJson(config, accessToken, profileUrl)
  const subject = isObject(profile) ? readSubject(profile) : undefined
  if (!isObject(profile) || subject === undefined) throw new TypeError('The profile has no "sub" or "id".')
  const emails = emailsUrl === undefined ? undefined : await fetchJson(config, accessToken, emailsUrl)
  return readProfile(subject, profile, { emails, verifiedName })
}

function readClaims(client: ProviderClient, claims: JsonObject): ProviderProfile {
  const isVouching = isMicrosoft(serverAddress(client))
  const profile = readProfile(String(claims.sub), isVouching ? withVerified(claims) : claims)
  return hasManyIssuers(client) ? { ...profile, authority: String(claims.iss) } : profile
}

function hasManyIssuers({ server }: ProviderClient): boolean {
  return 'issuer' in server && isForAllTenants(server.issuer)
}

function serverAddress({ server }: ProviderClient): string {
  return 'issuer' in server ? server.issuer : server.authorizationUrl
}

async function fetchJson(config: Configuration, accessToken: string, address: string): Promise<unknown> {
  const headers = new Headers({ accept: 'application/json' })
  const response = await fetchProtectedResource(config, accessToken, new URL(address), 'GET', null, headers)
  if (!response.ok) throw new TypeError(`The request for the profile failed with status ${response.status}.`)
  return response.json()
}

function isPublished({ server }: ProviderClient): boolean {
  return 'issuer' in server
}

function expectsIdToken(client: ProviderClient): boolean {
  return isPublished(client) && client.scopes.includes('openid')
}

/** Sends the redirect URL with its query, which the library strips. */
function withRedirect(fetch: BoundedFetch, { redirectUrl }: Challenge): BoundedFetch {
  return (url, options) => {
    const { body } = options
    if (body instanceof URLSearchParams && body.has('redirect_uri')) body.set('redirect_uri', normalizeUrl(redirectUrl))
    return fetch(url, options)
  }
}

/**
 * Drops ID tokens of providers without an issuer, because their keys are unknown; the profile counts instead. Turns
 * errors that come with status 200 into 400.
 */
function withoutIdTokens(fetch: BoundedFetch, take: (idToken: string) => void = () => undefined): BoundedFetch {
  return async (url, options) => {
    const response = await fetch(url, options)
    if (options.method !== 'POST') return response
    const text = await response.text()
    const body = parsed(text)
    if (!isObject(body)) return new Response(text, response)
    const { id_token: idToken, ...rest } = body
    if (typeof idToken === 'string') take(idToken)
    const status = response.status === 200 && typeof body.error === 'string' ? 400 : response.status
    return new Response(JSON.stringify(rest), { status, headers: { 'content-type': 'application/json' } })
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Normalizes the address, because it is both sent and compared. */
function normalizeUrl(redirectUrl: string): string {
  return new URL(redirectUrl).href
}

function refuseLogin(cause: unknown): never {
  throw cause instanceof LoginRefused ? cause : new LoginRefused('authentication_failed', cause)
}

function unreachable(client: ProviderClient, cause: unknown): SvcError {
  const message = `Could not read how to log in from the identity provider at "${serverAddress(client)}".`
  return new SvcError('UNAVAILABLE', message, [], { retryAfterSeconds: 5, cause })
}
