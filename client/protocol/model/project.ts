import type { CreateOnWrite } from './create-on-write.js'
import { defaultRateLimit, defaultTier, type RateLimit, rateLimitWords, type Tier, tiers } from './limits.js'

/** Matches origins in `allowedOrigins`: scheme, host of at most 253 characters, optional port. */
export const originForm = /^[A-Za-z][A-Za-z0-9+.-]{0,30}:\/\/(?:[^/?#\s@*:[\]]{1,253}|\[[0-9a-fA-F:.]+\])(?::\d{1,5})?$/

/** Error for invalid origins. */
export const originProblem =
  'is not a valid origin: write scheme and host, such as https://app.example or capacitor://localhost, without wildcards, paths, user names or passwords'

/** Settings that the owner of a project can change. */
export interface ProjectSettings {
  /** Default dialect, as in the `svc-dialect` header: `a`, or `a, document=flat`. */
  readonly dialect: string
  /** Origins whose pages may call the service, such as `https://app.example`. */
  readonly allowedOrigins: readonly string[]
  readonly rateLimit: RateLimit
  readonly tier: Tier
  /** Roles that users may choose at sign-up. Contract 6.2. */
  readonly selfRoles: readonly string[] | 'any'
  /** Treats `data.role` as a role, which then only the owner can write. Contract 6.2. */
  readonly trustDataRole: boolean
  /** Requires two-factor login. Users without an authenticator get a code by email. Contract 6.7. */
  readonly require2fa: boolean
  /** Limits users with an unverified email address to reading. Contract 6.9. */
  readonly requireVerifiedEmail: boolean
  /** Counts failed logins per account, or per account and client address. Contract 6.12. */
  readonly loginThrottle: 'account' | 'address'
  /** Lifetime of user tokens in seconds. Contract 6.4. */
  readonly tokenTtl: number
  /** URL of the app with pages for email verification and password reset. `null` uses the pages of the service. Contract 6.8. */
  readonly appUrl: string | null
  /** `listed` allows only the file types that the specification lists. Contract 8.4. */
  readonly fileTypes: 'any' | 'listed'
  /** Size limit of files of documents and users: `fixed` is 50 MB, `tier` the limit of the tier. Contract 8.4. */
  readonly documentFiles: 'fixed' | 'tier'
  /** Files that browsers display instead of downloading. Contract 8.3. */
  readonly inlineFiles: 'safe' | 'any'
  /** Requests that make a missing collection. `null` uses the choice of the dialect. */
  readonly createOnWrite: CreateOnWrite | null
  /** Keeps recent requests in memory. Contract 11. */
  readonly requestLog: boolean
  /** Keys of identity providers: `IDP_*` and `IDP_<NAME>_*`. Contract 7.1. */
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
  createOnWrite: null,
  requestLog: true,
  idp: {},
}

/**
 * Builds a change that leaves a project with only the keys of `to`. Empties the other keys, which removes them, because
 * stored keys cannot be read.
 */
export function onlyKeys(from: readonly string[], to: ProjectSettings['idp'] = {}): ProjectSettings['idp'] {
  return { ...Object.fromEntries(from.map((key) => [key, ''])), ...to }
}

export interface Project {
  readonly id: string
  readonly name: string
  readonly settings: ProjectSettings
}

/** Describes each setting, for help and documentation. */
export const settingWords: { readonly [Name in keyof ProjectSettings]: string } = {
  dialect: 'Default dialect: a, b, c, d, or overrides such as "a, document=flat".',
  allowedOrigins: 'Origins whose pages may call the service, such as https://app.example.',
  rateLimit: `Rate limit: ${rateLimitWords}.`,
  tier: `Plan with the limits for files: ${tiers.join(', ')}. It does not turn rate limits on.`,
  selfRoles: 'Roles that users may choose at sign-up: a list, or any.',
  trustDataRole: 'Treats data.role as a role, which then only the owner can write.',
  require2fa: 'Requires two-factor login, with a code from an authenticator app or by email.',
  requireVerifiedEmail: 'Limits users with an unverified email address to reading.',
  loginThrottle: 'Counts failed logins per account, or per account and client address (address).',
  tokenTtl: 'Lifetime of user tokens in seconds.',
  appUrl: 'URL of the app with pages for email verification and password reset; null uses the pages of the service.',
  fileTypes: 'File types that you can upload: any, or only those listed in the specification.',
  documentFiles: 'Size limit of files of documents and users: fixed (50 MB), or the limit of the tier.',
  inlineFiles:
    'Files that browsers display instead of downloading: safe (types that cannot run code), or any, in a sandbox.',
  createOnWrite:
    'Requests that make a missing collection: off (none), create (a new document), touch (any request for documents), or null (create in dialect d, otherwise off).',
  requestLog: 'Keeps recent requests in memory, for svc requests.',
  idp: 'Keys of identity providers, IDP_* and IDP_<NAME>_*. Set them one by one; an empty value removes a key.',
}

/** Content of `svc.json`. */
export interface SvcConfig {
  /** Target of commands. `url`, `profile` and `dialect` are read only from `svc.json`, because commands do not run code. */
  readonly url?: string
  readonly profile?: string
  readonly dialect?: string
  /** Profile of the hosted service. Only `svc pull`, `push`, `diff` and `parity`, and commands with `--remote`, use it. */
  readonly remote?: string
  readonly dev?: DevSettings
  /** Project settings. They apply as soon as you save the file. */
  readonly settings?: Partial<ProjectSettings>
}

/** Options of `svc dev`. Flags override them. Paths are relative to the file. */
export interface DevSettings {
  readonly port?: number
  /** State folder. */
  readonly data?: string
  readonly memory?: boolean
  /** Separates the data of each git branch. */
  readonly perBranch?: boolean
  /** Id of the project that the keys belong to. */
  readonly project?: string
  /** PostgreSQL's `shared_buffers` in the embedded database, from 16 (the default) to 1,024. */
  readonly sharedBuffersMb?: number
  readonly databaseUrl?: string
  /** Direct connection to the same server, if `databaseUrl` is a pooler in transaction mode. */
  readonly databaseListenUrl?: string
  readonly filesUrl?: string
  readonly mailFrom?: string
  readonly trustedProxies?: number
  /** Seed files. */
  readonly seed?: string | readonly string[]
  /** File for generated types, which `svc dev` keeps up to date. */
  readonly types?: string
  /** Delay of responses in milliseconds: 200 or "100-500". Applies as soon as you save the file. */
  readonly latency?: number | string
}
