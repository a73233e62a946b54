/** Reads a project's settings for identity providers. Contract 7.1, 7.2 and 7.4. */
import { SvcError } from '../../../client/protocol/model/errors.js'
import { isLoopbackUrl } from '../../../client/protocol/model/loopback.js'
import type { ProviderClient, ProviderServer } from '../../idp/provider.js'
import type { Context } from '../context.js'
import { findPreset, presetNames, usualScopes } from './provider-presets.js'

type Scope = Pick<Context, 'backend' | 'project'>

/** Name of the provider with the unnamed keys, `IDP_*`. */
export const mainProvider = 'idp'

/** The keys of one provider, without their common prefix. */
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

/** Keys of one provider. Empty keys count as missing. */
interface Keys {
  readonly prefix: string
  get(key: Key): string | undefined
}

export interface ProviderSetup {
  readonly client: ProviderClient
  /** URL that the provider redirects to; empty if not requested. */
  readonly redirectUrl: string
  /** Client ids of the provider's mobile apps, if they differ. */
  readonly platforms: { readonly ios: string | undefined; readonly android: string | undefined }
}

/**
 * Reads the provider with that name. If at most the pages where logins end are configured, the built-in provider stands
 * in for the main provider and all well-known ones.
 *
 * @throws {SvcError} `IDP_NOT_CONFIGURED`, which lists all missing `needed` keys; `NOT_FOUND` for an invalid name.
 */
export function readProvider(scope: Scope, name: string, needed: readonly RequiredKey[] = requiredKeys): ProviderSetup {
  const keys = readKeys(scope, name)
  const preset = findPreset(keys.get('ISSUER')?.toLowerCase() ?? name)
  const isBegun = endpointKeys.some((key) => keys.get(key) !== undefined)
  const server = writtenServer(keys) ?? preset?.server ?? (isBegun ? undefined : builtIn(scope))
  const missing = [
    ...needed.filter((key) => keys.get(key) === undefined),
    ...(server ? [] : isBegun ? endpointKeys.filter((key) => keys.get(key) === undefined) : (['ISSUER'] as const)),
  ]
  if (missing.length > 0 || !server) throw notConfigured(missing.map((key) => `${keys.prefix}${key}`))
  return {
    client: {
      authority: findAuthority(scope, server),
      server,
      allowsHttp: allowsHttp(scope, server),
      clientId: keys.get('CLIENT_ID') ?? '',
      clientSecret: keys.get('CLIENT_SECRET') ?? '',
      scopes: addOpenId(server, keys.get('SCOPES')?.split(/[\s,]+/) ?? preset?.scopes ?? usualScopes),
      responseMode: preset?.server === server ? preset.responseMode : undefined,
    },
    redirectUrl: needed.includes('REDIRECT_URL') ? readUrl(keys, 'REDIRECT_URL') : '',
    platforms: { ios: keys.get('IOS_CLIENT_ID'), android: keys.get('ANDROID_CLIENT_ID') },
  }
}

/** Returns the authority that identifies users of that provider. @throws {SvcError} as `readProvider` does */
export function findProviderAuthority(scope: Scope, name: string): string {
  return readProvider(scope, name, []).client.authority
}

/** Returns the page where logins end. @throws {SvcError} `IDP_NOT_CONFIGURED`, which lists all missing keys */
export function readCompleteUrl(scope: Scope, name: string): string {
  const keys = readKeys(scope, name)
  if (keys.get('COMPLETE_URL') === undefined) readProvider(scope, name)
  return readUrl(keys, 'COMPLETE_URL')
}

/** Returns the configured URLs that browsers are redirected to. */
export function configuredPages(scope: Scope, name: string) {
  const keys = readKeys(scope, name)
  return { redirectUrl: keys.get('REDIRECT_URL'), completeUrl: keys.get('COMPLETE_URL') }
}

/** Picks the provider whose page ends an unknown login: the main one or, if it has no page, another. */
export function providerWithPage(scope: Scope): string {
  const set = Object.keys(dropEmpty(scope.project.settings.idp))
  const others = set.flatMap((key) => pageKey.exec(key)?.[1]?.toLowerCase() ?? [])
  return [mainProvider, ...others].find((name) => hasPage(scope, name)) ?? mainProvider
}

function hasPage(scope: Scope, name: string): boolean {
  const { completeUrl } = configuredPages(scope, name)
  return completeUrl !== undefined && isUrl(completeUrl, 'COMPLETE_URL')
}

const pageKey = /^IDP_([A-Z][A-Z0-9_]{0,40})_COMPLETE_URL$/

function readKeys({ backend, project }: Scope, name: string): Keys {
  if (!/^[a-z][a-z0-9_-]{0,40}$/.test(name)) throw new SvcError('NOT_FOUND', `No provider "${name.slice(0, 80)}".`)
  const set = dropEmpty(project.settings.idp)
  const prefix = name === mainProvider ? 'IDP_' : `IDP_${name.toUpperCase().replaceAll('-', '_')}_`
  const isOwn = name !== mainProvider && Object.keys(set).some((key) => key.startsWith(prefix))
  if (!isOwn && name !== mainProvider && !findPreset(name)) throw noSuchProvider(name, prefix)
  // Ignores the pages where logins end, because they don't configure a provider.
  const isUnconfigured = Object.keys(set).every((key) => key.endsWith('_COMPLETE_URL'))
  const given: Readonly<Record<string, string>> =
    isUnconfigured && backend.localProvider ? { ...builtInKeys({ backend, project }, prefix), ...set } : set
  return {
    prefix,
    get(key) {
      return Object.hasOwn(given, `${prefix}${key}`) ? given[`${prefix}${key}`]?.trim() : undefined
    },
  }
}

/** Drops empty settings. */
function dropEmpty(settings: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value.trim() !== ''))
}

/** Keys of the built-in provider, which needs no configuration on a developer's machine. */
function builtInKeys({ backend, project }: Scope, prefix: string): Record<string, string> {
  return {
    [`${prefix}CLIENT_ID`]: `svc-${project.id}`,
    [`${prefix}CLIENT_SECRET`]: 'built-in',
    [`${prefix}REDIRECT_URL`]: `${backend.reachedAt()}/auth-collections/auth-idp-redirect/${project.id}`,
    [`${prefix}COMPLETE_URL`]: `${backend.reachedAt()}/_svc/login-complete`,
    [`${prefix}ISSUER`]: backend.localProvider?.issuer() ?? '',
  }
}

/** Reads the provider's server if the keys contain URLs. The issuer may also name a well-known provider. */
function writtenServer(keys: Keys): ProviderServer | undefined {
  const issuer = keys.get('ISSUER')
  if (issuer !== undefined) return findPreset(issuer.toLowerCase()) ? undefined : { issuer: readUrl(keys, 'ISSUER') }
  const [authorization, token, profile] = endpointKeys.map((key) => keys.get(key))
  if (!authorization || !token || !profile) return undefined
  const emails = keys.get('EMAILS_URL')
  return {
    authorizationUrl: readUrl(keys, 'AUTHORIZATION_URL'),
    tokenUrl: readUrl(keys, 'TOKEN_URL'),
    profileUrl: readUrl(keys, 'USERINFO_URL'),
    ...(emails === undefined ? {} : { emailsUrl: readUrl(keys, 'EMAILS_URL') }),
  }
}

function builtIn({ backend }: Scope): ProviderServer | undefined {
  return backend.localProvider && { issuer: backend.localProvider.issuer() }
}

/** Adds `openid`, because without it a provider with an issuer would not return the user. */
function addOpenId(server: ProviderServer, scopes: readonly string[]): readonly string[] {
  return 'issuer' in server ? [...new Set(['openid', ...scopes])] : scopes
}

/** One authority for the built-in provider, whatever its port. */
export const builtInAuthority = 'local'

function findAuthority(scope: Scope, server: ProviderServer): string {
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

function readUrl(keys: Keys, key: Key): string {
  const text = keys.get(key) ?? ''
  if (!isUrl(text, key)) throw unusable(keys, key, 'is not a URL')
  if (key === 'REDIRECT_URL' && new URL(text).hash !== '') throw unusable(keys, key, 'has a fragment')
  return text
}

/** Accepts app URLs for the end of a login, which need not be web pages. */
function isUrl(text: string, key: Key): boolean {
  if (!URL.canParse(text)) return false
  const { protocol } = new URL(text)
  if (key === 'COMPLETE_URL') return !/^(javascript|data|vbscript|file|blob|about):$/.test(protocol)
  return /^https?:$/.test(protocol)
}

function noSuchProvider(name: string, prefix: string): SvcError {
  const fix = `Set it, or use ${presetNames.join(', ')}`
  return new SvcError('IDP_NOT_CONFIGURED', `No provider "${name}": ${prefix}CLIENT_ID is not set. ${fix}.`)
}

function unusable({ prefix }: Keys, key: Key, problem: string): SvcError {
  return new SvcError('IDP_NOT_CONFIGURED', `${prefix}${key} ${problem}.`)
}

function notConfigured(missing: readonly string[]): SvcError {
  return new SvcError('IDP_NOT_CONFIGURED', missing.map((key) => `${key} is not set.`).join(' '))
}
