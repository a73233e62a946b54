import { defaultRateLimit, defaultTier, type RateLimit, type Tier } from './limits.js'

/** What the project's owner may set. */
export interface ProjectSettings {
  /** As in the `svc-dialect` header: `a`, or `a, document=flat`. */
  readonly dialect: string
  /** Origins such as `https://app.example` whose pages may call the service. */
  readonly allowedOrigins: readonly string[]
  readonly rateLimit: RateLimit
  readonly tier: Tier
}

export const defaultSettings: ProjectSettings = {
  dialect: 'a',
  allowedOrigins: [],
  rateLimit: defaultRateLimit,
  tier: defaultTier,
}

export interface Project {
  readonly id: string
  readonly name: string
  readonly settings: ProjectSettings
}
