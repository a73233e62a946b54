/** Limits of the specification by name. Conflicting ones are settings, with their default next to them. */
import { formatCount } from './figures.js'

const kilobyte = 1024
const megabyte = 1024 * kilobyte
const gigabyte = 1024 * megabyte

export const tiers = ['free', 'standard', 'pro', 'enterprise'] as const
export type Tier = (typeof tiers)[number]
export const defaultTier: Tier = 'pro'

/** Requests per window, by tier; `null` is unlimited. Omits tiers that the specification does not list. */
export const rateLimits = {
  minute: { seconds: 60, requests: { standard: 100, pro: 1_000, enterprise: null } },
  hour: { seconds: 3_600, requests: { free: 1_000, pro: 10_000 } },
  day: { seconds: 86_400, requests: { free: 1_000, pro: 100_000, enterprise: null } },
} as const satisfies Record<string, { seconds: number; requests: { [Name in Tier]?: number | null } }>
export type RateWindow = keyof typeof rateLimits

/** `off`, the windows to enforce with the limits of the tier, or custom limits. */
export type RateLimit = 'off' | readonly RateWindow[] | { readonly [Window in RateWindow]?: number }
export const defaultRateLimit: RateLimit = 'off'

/** Valid values of the setting, for messages. */
export const rateLimitWords =
  '"off", windows with the limits of the tier (["minute"], ["hour"], ["day"], or several), or numbers of your own ({"minute": 100})'

/** Returns the request limit of a tier; undefined if unlimited or not specified. */
export function tierFigure(window: RateWindow, tier: Tier): number | undefined {
  const requests: { readonly [Name in Tier]?: number | null } = rateLimits[window].requests
  return requests[tier] ?? undefined
}

/** Lists the windows with a limit for the tier. */
export function listWindows(tier: Tier): RateWindow[] {
  return (Object.keys(rateLimits) as RateWindow[]).filter((window) => tierFigure(window, tier) !== undefined)
}

/** Page sizes of variant A (`small`) and variant B (`large`), selected by the `paging` axis. */
export const pageSizes = {
  small: { default: 20, most: 100 },
  large: { default: 50, most: 500 },
} as const

/** Default and maximum `limit` of lists in the control API. */
export const listLimits = {
  entries: { usual: 100, most: 1_000 },
  mails: { usual: 50, most: 200 },
  projects: { usual: 100, most: 1_000 },
  requests: { usual: 50, most: 1_000 },
  rows: { usual: 1_000, most: 5_000 },
  users: { usual: 100, most: 1_000 },
  versions: { usual: 20, most: 100 },
} as const

export type Listed = keyof typeof listLimits

/** Describes the `limit` of a list for help. */
export function limitWords(listed: Listed): string {
  const { usual, most } = listLimits[listed]
  return `maximum number of ${listed} to list (default ${formatCount(usual)}, at most ${formatCount(most)})`
}

export const maxBatchItems = 1_000

/** Maximum sizes of requests and documents. Contract 2.4, 3.6, 10.3, 10.7 and 10.11. */
export const sizes = {
  maxBodyBytes: 10 * megabyte,
  maxDocumentBytes: megabyte,
  maxDocumentDepth: 64,
  maxDocumentKeys: 10_000,
  /** Counts object members and array items at all levels, because bytes do not show their cost. Our choice, as for bodies. */
  maxDocumentValues: 200_000,
  maxBodyValues: 1_000_000,
  maxFieldNameBytes: 255,
  maxBatchItems,
  maxQueryBytes: 8 * kilobyte,
  maxQueryParameters: 200,
  maxFilterTests: 200,
  /** Applies to `contains`, `startswith` and `endswith`. */
  maxSearchCharacters: 1_000,
  maxPopulateDepth: 5,
  maxPopulatePaths: 20,
  /** Our choice: more fields would only cost time. */
  maxSortFields: 10,
  maxSelectedFields: 200,
  maxPopulatedRecords: 10_000,
  maxGroups: 10_000,
  maxAnswerBytes: 32 * megabyte,
  /** Caps the issues in one response. Our choice. */
  maxIssues: 1_000,
  maxStatementSeconds: 10,
  maxFileNameBytes: 255,
  maxPathBytes: 1_000,
  /** Applies to one file of a document or user. */
  maxDocumentFileBytes: 50 * megabyte,
  maxFilesPerRequest: 100,
  /** Applies to hidden and to read-only fields of a collection, because each is checked in each document. Our choice. */
  maxFieldRules: 50,
} as const

/**
 * Maximum bytes of one file and of all files of a project, by tier; `null` is unlimited. Our choice: `standard`, which the
 * specification does not list, has the limits of `pro`.
 */
export const storageLimits: { readonly [Name in Tier]: { readonly file: number; readonly total: number | null } } = {
  free: { file: 10 * megabyte, total: gigabyte },
  standard: { file: 100 * megabyte, total: 100 * gigabyte },
  pro: { file: 100 * megabyte, total: 100 * gigabyte },
  enterprise: { file: gigabyte, total: null },
}
