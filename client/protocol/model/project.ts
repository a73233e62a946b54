import { defaultRateLimit, defaultTier, type RateLimit, rateLimitWords, type Tier, tiers } from './limits.js'

/** What `allowedOrigins` may hold: a scheme and a host, whose name has at most 253 characters, with an optional port. */
export const originForm = /^[A-Za-z][A-Za-z0-9+.-]{0,30}:\/\/(?:[^/?#\s@*:[\]]{1,253}|\[[0-9a-fA-F:.]+\])(?::\d{1,5})?$/

/** How an origin is written, for people who wrote another one. */
export const originWords =
  'is not an origin: write scheme and host, such as https://app.example or capacitor://localhost, and name each host, without wildcards, paths, user names or passwords'

/** What the project's owner may set. */
export interface ProjectSettings {
  /** As in the `svc-dialect` header: `a`, or `a, document=flat`. */
  readonly dialect: string
  /** Origins such as `https://app.example` whose pages may call the service. */
  readonly allowedOrigins: readonly string[]
  readonly rateLimit: RateLimit
  readonly tier: Tier
  /** Roles that a user may take at sign-up. Contract 6.2. */
  readonly selfRoles: readonly string[]
  /** Whether `data.role` counts as a role: as the owner alone writes it from then on. Contract 6.2. */
  readonly trustDataRole: boolean
  /** Whether every login needs a second factor; users without an authenticator get a code by mail. Contract 6.7. */
  readonly require2fa: boolean
  /** Whether users with an unverified address may only read. Contract 6.9. */
  readonly requireVerifiedEmail: boolean
  /** What failed logins are counted by: the account alone, or the address of the client too. Contract 6.12. */
  readonly loginThrottle: 'account' | 'address'
  /** Seconds that a user token lives. Contract 6.4. */
  readonly tokenTtl: number
  /** Address of the app whose pages verify addresses and reset passwords; left out, the service's own do. Contract 6.8. */
  readonly appUrl: string | null
  /** `listed` takes only the types that the specification names as uploads to storage. Contract 8.4. */
  readonly fileTypes: 'any' | 'listed'
  /** What one file with a document or a user may weigh: `fixed` is 50 MB, `tier` the tier's figure. Contract 8.4. */
  readonly documentFiles: 'fixed' | 'tier'
  /** Which files browsers show instead of downloading them. Contract 8.3. */
  readonly inlineFiles: 'safe' | 'any'
  /** Whether the emulator keeps its last requests in memory. Contract 11. */
  readonly requestLog: boolean
  /** `IDP_*` and `IDP_<NAME>_*`: the keys of the identity providers. Contract 7.1. */
  readonly idp: Readonly<Record<string, string>>
}

export const defaultSettings: ProjectSettings = {
  dialect: 'a',
  allowedOrigins: [],
  rateLimit: defaultRateLimit,
  tier: defaultTier,
  selfRoles: [],
  trustDataRole: false,
  require2fa: false,
  requireVerifiedEmail: false,
  loginThrottle: 'account',
  tokenTtl: 7 * 86_400,
  appUrl: null,
  fileTypes: 'any',
  documentFiles: 'fixed',
  inlineFiles: 'safe',
  requestLog: true,
  idp: {},
}

/**
 * Has a project hold the keys `to` of providers alone, where it may hold those of `from`: keys are set one by one, as nobody can read those
 * that are there, and an empty one is taken away.
 */
export function onlyKeys(from: readonly string[], to: ProjectSettings['idp'] = {}): ProjectSettings['idp'] {
  return { ...Object.fromEntries(from.map((key) => [key, ''])), ...to }
}

export interface Project {
  readonly id: string
  readonly name: string
  readonly settings: ProjectSettings
}

/** What each setting does, for help and documentation. */
export const settingWords: { readonly [Name in keyof ProjectSettings]: string } = {
  dialect: 'The forms that the project speaks: a, b, c, or "a, document=flat".',
  allowedOrigins: 'Origins whose pages may call the service, such as https://app.example.',
  rateLimit: `Requests in a window of time; it takes ${rateLimitWords}.`,
  tier: `The plan whose limits for files hold: ${tiers.join(', ')}. It switches no rate limit on.`,
  selfRoles: 'Roles that a user may take at sign-up.',
  trustDataRole: 'Whether data.role counts as a role, which only the owner then writes.',
  require2fa: 'Whether every login needs a second factor: a code of an authenticator, or one by mail.',
  requireVerifiedEmail: 'Whether users with an unverified address may only read.',
  loginThrottle: 'What failed logins are counted by: account, or address as well.',
  tokenTtl: 'Seconds that a user token is valid.',
  appUrl: 'Address of the app whose pages verify addresses and reset passwords; null for those of the service.',
  fileTypes: 'Types that storage takes: any, or those that are listed in the specification.',
  documentFiles: 'The most that a file with a document or user may weigh: fixed (50 MB), or what the tier has.',
  inlineFiles:
    'Files that browsers show instead of downloading them: safe (those that run nothing), or any, in a sandbox.',
  requestLog: 'Whether the emulator keeps the last requests in memory, for svc requests.',
  idp: 'The keys of identity providers, IDP_* and IDP_<NAME>_*, each set by itself; an empty one is removed.',
}

/** The content of `svc.json`. */
export interface SvcConfig {
  /** Where commands go. Commands run no code, so these three are read from `svc.json` only. */
  readonly url?: string
  readonly profile?: string
  readonly dialect?: string
  readonly dev?: DevSettings
  /** Settings of the project, in effect as soon as the file is saved. */
  readonly settings?: Partial<ProjectSettings>
}

/** How `svc dev` runs; its flags beat these. Paths begin at the folder of the file. */
export interface DevSettings {
  readonly port?: number
  /** The state folder. */
  readonly data?: string
  readonly memory?: boolean
  /** Keeps the data of each git branch apart. */
  readonly perBranch?: boolean
  /** Id of the project that the keys belong to. */
  readonly project?: string
  /** PostgreSQL's `shared_buffers` in the embedded database, from 16 (the default) to 1,024. */
  readonly sharedBuffersMb?: number
  readonly databaseUrl?: string
  /** The same server past a pooler in transaction mode. */
  readonly databaseListenUrl?: string
  readonly filesUrl?: string
  readonly mailFrom?: string
  readonly trustedProxies?: number
  /** Files to fill collections from. */
  readonly seed?: string | readonly string[]
  /** File of types that is kept up to date, as `svc types generate` writes it. */
  readonly types?: string
  /** Milliseconds that answers come later: 200, or "100-500". In effect as soon as the file is saved. */
  readonly latency?: number | string
}
