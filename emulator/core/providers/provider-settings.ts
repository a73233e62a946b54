/** What a project's settings say of its identity providers. Contract 7.1, 7.2 and 7.4. */
import { SvcError } from '../../../client/protocol/model/errors.js'
import { isLoopbackUrl } from '../../../client/protocol/model/loopback.js'
import type { ProviderClient, ProviderServer } from '../../idp/provider.js'
import type { Context } from '../context.js'
import { presetNames, presetOf, usualScopes } from './provider-presets.js'

type Scope = Pick<Context, 'backend' | 'project'>

/** The provider of the keys without a name, `IDP_*`. */
export const mainProvider = 'idp'

/** The keys of one provider, without the beginning that they share. */
const requiredKeys = ['CLIENT_ID', 'CLIENT_SECRET', 'REDIRECT_URL', 'COMPLETE_URL'] as const
const endpointKeys = ['AUTHORIZATION_URL', 'TOKEN_URL', 'USERINFO_URL'] as const

export type RequiredKey = (typeof requiredKeys)[number]

type Key =
  | RequiredKey
  | (typeof endpointKeys)[number]
  | 'ISSUER'
  | 'EMAILS_URL'
  | 'SCOPES'
  | `${'IOS' | 'ANDROID'}_CLIENT_ID`

/** One provider's keys; what is empty is not there. */
interface Keys {
  readonly beginning: string
  get(key: Key): string | undefined
}

export interface ProviderSetup {
  readonly client: ProviderClient
  /** Where the provider sends the browser back to; empty if that was not asked for. */
  readonly redirectUrl: string
  /** The client ids of the provider's apps on telephones, where they have ids of their own. */
  readonly platforms: { readonly ios: string | undefined; readonly android: string | undefined }
}

/**
 * The provider of that name. With nothing configured but where logins end, the built-in one stands in for the main provider
 * and for all well-known ones.
 *
 * @throws {SvcError} `IDP_NOT_CONFIGURED`, which names all the `needed` keys that are missing; `NOT_FOUND` for no name.
 */
export function readProvider(scope: Scope, name: string, needed: readonly RequiredKey[] = requiredKeys): ProviderSetup {
  const keys = keysOf(scope, name)
  const preset = presetOf(keys.get('ISSUER')?.toLowerCase() ?? name)
  const isBegun = endpointKeys.some((key) => keys.get(key) !== undefined)
  const server = writtenServer(keys) ?? preset?.server ?? (isBegun ? undefined : builtIn(scope))
  const missing = [
    ...needed.filter((key) => keys.get(key) === undefined),
    ...(server ? [] : isBegun ? endpointKeys.filter((key) => keys.get(key) === undefined) : (['ISSUER'] as const)),
  ]
  if (missing.length > 0 || !server) throw notConfigured(missing.map((key) => `${keys.beginning}${key}`))
  return {
    client: {
      authority: authorityOf(scope, server),
      server,
      allowsHttp: allowsHttp(scope, server),
      clientId: keys.get('CLIENT_ID') ?? '',
      clientSecret: keys.get('CLIENT_SECRET') ?? '',
      scopes: scopesOf(server, keys.get('SCOPES')?.split(/[\s,]+/) ?? preset?.scopes ?? usualScopes),
      responseMode: preset?.server === server ? preset.responseMode : undefined,
    },
    redirectUrl: needed.includes('REDIRECT_URL') ? readAddress(keys, 'REDIRECT_URL') : '',
    platforms: { ios: keys.get('IOS_CLIENT_ID'), android: keys.get('ANDROID_CLIENT_ID') },
  }
}

/** Who vouches for those whom a provider of that name knows. @throws {SvcError} as `readProvider` does */
export function authorityOfProvider(scope: Scope, name: string): string {
  return readProvider(scope, name, []).client.authority
}

/** Where a login ends. @throws {SvcError} `IDP_NOT_CONFIGURED`, which names all missing keys */
export function readCompleteUrl(scope: Scope, name: string): string {
  const keys = keysOf(scope, name)
  if (keys.get('COMPLETE_URL') === undefined) readProvider(scope, name)
  return readAddress(keys, 'COMPLETE_URL')
}

/** The addresses that browsers are sent to, as far as they are configured. */
export function configuredPages(scope: Scope, name: string) {
  const keys = keysOf(scope, name)
  return { redirectUrl: keys.get('REDIRECT_URL'), completeUrl: keys.get('COMPLETE_URL') }
}

/** The provider on whose page a login ends of which nothing is known: the main one or, where it has none, another. */
export function providerWithPage(scope: Scope): string {
  const set = Object.keys(whatIsSet(scope.project.settings.idp))
  const others = set.flatMap((key) => pageKey.exec(key)?.[1]?.toLowerCase() ?? [])
  return [mainProvider, ...others].find((name) => hasPage(scope, name)) ?? mainProvider
}

function hasPage(scope: Scope, name: string): boolean {
  const { completeUrl } = configuredPages(scope, name)
  return completeUrl !== undefined && isAddress(completeUrl, 'COMPLETE_URL')
}

const pageKey = /^IDP_([A-Z][A-Z0-9_]{0,40})_COMPLETE_URL$/

function keysOf({ backend, project }: Scope, name: string): Keys {
  if (!/^[a-z][a-z0-9_-]{0,40}$/.test(name)) throw new SvcError('NOT_FOUND', `No provider "${name.slice(0, 80)}".`)
  const set = whatIsSet(project.settings.idp)
  const beginning = name === mainProvider ? 'IDP_' : `IDP_${name.toUpperCase().replaceAll('-', '_')}_`
  const isOwn = name !== mainProvider && Object.keys(set).some((key) => key.startsWith(beginning))
  if (!isOwn && name !== mainProvider && !presetOf(name)) throw noSuchProvider(name, beginning)
  // Where logins end says nothing of who provides them.
  const isNoneConfigured = Object.keys(set).every((key) => key.endsWith('_COMPLETE_URL'))
  const given: Readonly<Record<string, string>> =
    isNoneConfigured && backend.localProvider ? { ...builtInKeys({ backend, project }, beginning), ...set } : set
  return {
    beginning,
    get(key) {
      return Object.hasOwn(given, `${beginning}${key}`) ? given[`${beginning}${key}`]?.trim() : undefined
    },
  }
}

/** What is empty is not there. */
function whatIsSet(settings: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value.trim() !== ''))
}

/** What needs no configuration on a developer's machine. */
function builtInKeys({ backend, project }: Scope, beginning: string): Record<string, string> {
  return {
    [`${beginning}CLIENT_ID`]: `svc-${project.id}`,
    [`${beginning}CLIENT_SECRET`]: 'built-in',
    [`${beginning}REDIRECT_URL`]: `${backend.reachedAt()}/auth-collections/auth-idp-redirect/${project.id}`,
    [`${beginning}COMPLETE_URL`]: `${backend.reachedAt()}/_svc/login-complete`,
    [`${beginning}ISSUER`]: backend.localProvider?.issuer() ?? '',
  }
}

/** Where the provider is, if the keys say so by addresses. An issuer may also be a well-known provider's name. */
function writtenServer(keys: Keys): ProviderServer | undefined {
  const issuer = keys.get('ISSUER')
  if (issuer !== undefined) return presetOf(issuer.toLowerCase()) ? undefined : { issuer: readAddress(keys, 'ISSUER') }
  const [authorization, token, profile] = endpointKeys.map((key) => keys.get(key))
  if (!authorization || !token || !profile) return undefined
  const emails = keys.get('EMAILS_URL')
  return {
    authorizationUrl: readAddress(keys, 'AUTHORIZATION_URL'),
    tokenUrl: readAddress(keys, 'TOKEN_URL'),
    profileUrl: readAddress(keys, 'USERINFO_URL'),
    ...(emails === undefined ? {} : { emailsUrl: readAddress(keys, 'EMAILS_URL') }),
  }
}

function builtIn({ backend }: Scope): ProviderServer | undefined {
  return backend.localProvider && { issuer: backend.localProvider.issuer() }
}

/** Without `openid`, a provider with an issuer would not say who it is. */
function scopesOf(server: ProviderServer, scopes: readonly string[]): readonly string[] {
  return 'issuer' in server ? [...new Set(['openid', ...scopes])] : scopes
}

/** The built-in provider is the same one on whatever port it is. */
export const builtInAuthority = 'local'

function authorityOf(scope: Scope, server: ProviderServer): string {
  if (isBuiltIn(scope, server)) return builtInAuthority
  return 'issuer' in server ? server.issuer : server.profileUrl
}

function allowsHttp(scope: Scope, server: ProviderServer): boolean {
  if (isBuiltIn(scope, server)) return true
  if ('issuer' in server) return isLoopbackUrl(server.issuer)
  const { authorizationUrl, tokenUrl, profileUrl, emailsUrl = profileUrl } = server
  return [authorizationUrl, tokenUrl, profileUrl, emailsUrl].every(isLoopbackUrl)
}

function isBuiltIn({ backend }: Scope, server: ProviderServer): boolean {
  return 'issuer' in server && server.issuer === backend.localProvider?.issuer()
}

function readAddress(keys: Keys, key: Key): string {
  const text = keys.get(key) ?? ''
  if (!isAddress(text, key)) throw unusable(keys, key, 'is not an address')
  if (key === 'REDIRECT_URL' && new URL(text).hash !== '') throw unusable(keys, key, 'has a fragment')
  return text
}

/** A login may also end at an app that is no page. */
function isAddress(text: string, key: Key): boolean {
  if (!URL.canParse(text)) return false
  const { protocol } = new URL(text)
  if (key === 'COMPLETE_URL') return !/^(javascript|data|vbscript|file|blob|about):$/.test(protocol)
  return /^https?:$/.test(protocol)
}

function noSuchProvider(name: string, beginning: string): SvcError {
  const known = `it is none of ${presetNames.join(', ')}, and ${beginning}CLIENT_ID is not set`
  return new SvcError('IDP_NOT_CONFIGURED', `No provider "${name}": ${known}.`)
}

function unusable({ beginning }: Keys, key: Key, problem: string): SvcError {
  return new SvcError('IDP_NOT_CONFIGURED', `${beginning}${key} ${problem}.`)
}

function notConfigured(missing: readonly string[]): SvcError {
  return new SvcError('IDP_NOT_CONFIGURED', missing.map((key) => `${key} is not set.`).join(' '))
}
