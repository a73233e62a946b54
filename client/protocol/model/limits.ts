/** Every figure of the specification's "Limits", by name. Each conflicting one is a choice; the default is beside it. */
import { formatCount } from './figures.js'

const kilobyte = 1024
const megabyte = 1024 * kilobyte
const gigabyte = 1024 * megabyte

export const tiers = ['free', 'standard', 'pro', 'enterprise'] as const
export type Tier = (typeof tiers)[number]
export const defaultTier: Tier = 'pro'

/** Requests per window, by tier; `null` is unlimited. A tier that the specification leaves out has no figure. */
export const rateLimits = {
  minute: { seconds: 60, requests: { standard: 100, pro: 1_000, enterprise: null } },
  hour: { seconds: 3_600, requests: { free: 1_000, pro: 10_000 } },
  day: { seconds: 86_400, requests: { free: 1_000, pro: 100_000, enterprise: null } },
} as const satisfies Record<string, { seconds: number; requests: { [Name in Tier]?: number | null } }>
export type RateWindow = keyof typeof rateLimits

/** `off`, the windows that are on with the tier's figures, or figures of one's own. */
export type RateLimit = 'off' | readonly RateWindow[] | { readonly [Window in RateWindow]?: number }
export const defaultRateLimit: RateLimit = 'off'

/** What the setting takes, in words. */
export const rateLimitWords =
  '"off", windows whose figures come from the tier (["minute"], ["hour"], ["day"], or several), or numbers of your own ({"minute": 100})'

/** What a tier may ask for in a window; nothing where the specification has no figure. */
export function tierFigure(window: RateWindow, tier: Tier): number | undefined {
  const requests: { readonly [Name in Tier]?: number | null } = rateLimits[window].requests
  return requests[tier] ?? undefined
}

/** The windows that have a figure for a tier. */
export function windowsOfTier(tier: Tier): RateWindow[] {
  return (Object.keys(rateLimits) as RateWindow[]).filter((window) => tierFigure(window, tier) !== undefined)
}

/** Page sizes of variant A (`small`) and variant B (`large`); the `paging` axis picks one. */
export const pageSizes = {
  small: { default: 20, most: 100 },
  large: { default: 50, most: 500 },
} as const

/** What lists of the control API have where `limit` is left out, and at most. */
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

/** What the `limit` of such a list is, in words. */
export function limitWords(listed: Listed): string {
  const { usual, most } = listLimits[listed]
  return `maximum number of ${listed} to list (default ${formatCount(usual)}, at most ${formatCount(most)})`
}

export const mostBatchItems = 1_000

/** What one request and one document may weigh. Contract 2.4, 3.6, 10.3, 10.7 and 10.11. */
export const sizes = {
  mostBodyBytes: 10 * megabyte,
  mostDocumentBytes: megabyte,
  mostDocumentDepth: 64,
  mostDocumentKeys: 10_000,
  /** Members of objects and items of arrays, at all levels. Our choice, as for a body: what each takes is not seen in its bytes. */
  mostDocumentValues: 200_000,
  mostBodyValues: 1_000_000,
  mostFieldNameBytes: 255,
  mostBatchItems,
  mostQueryBytes: 8 * kilobyte,
  mostQueryParameters: 200,
  mostFilterTests: 200,
  /** What `contains`, `startswith` and `endswith` look for. */
  mostSearchCharacters: 1_000,
  mostPopulateDepth: 5,
  mostPopulatePaths: 20,
  mostPopulatedRecords: 10_000,
  mostAnswerBytes: 32 * megabyte,
  /** What a refusal lists of what is wrong; those beyond are found once these are mended. Our choice. */
  mostIssues: 1_000,
  mostStatementSeconds: 10,
  mostFileNameBytes: 255,
  mostPathBytes: 1_000,
  /** One file that comes with a document or a user. */
  mostDocumentFileBytes: 50 * megabyte,
  mostFilesPerRequest: 100,
  /** Fields that the permissions of a collection hide, and those that they make read-only. Our choice: each document is asked for each. */
  mostFieldRules: 50,
} as const

/**
 * What one stored file and all of a project's files may take, by tier; `null` is unlimited. Our choice: `standard`, for
 * which the specification has no figures, has those of `pro`.
 */
export const storageLimits: { readonly [Name in Tier]: { readonly file: number; readonly total: number | null } } = {
  free: { file: 10 * megabyte, total: gigabyte },
  standard: { file: 100 * megabyte, total: 100 * gigabyte },
  pro: { file: 100 * megabyte, total: 100 * gigabyte },
  enterprise: { file: gigabyte, total: null },
}
