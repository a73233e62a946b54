import type { JsonObject } from './json.js'

/** Spec, "App user": the parts anyone may see. Times are ISO 8601 UTC with milliseconds. */
export interface AppUser<Data = JsonObject> {
  readonly id: string
  readonly email: string
  /** Free-form profile data. */
  readonly data: Data
  /** Set by the project's owner, or by the user where the project allows it. Contract 6.2 and 6.11. */
  readonly roles: readonly string[]
  /** The identity provider's subject id; `null` for users who log in by password. */
  readonly oauthId: string | null
  readonly emailVerified: boolean
  readonly createdAt: string
  readonly updatedAt: string
}

/** Whether a user logs in through an identity provider, and never by password. Contract 7.5. */
export function isOfProvider({ oauthId }: Pick<AppUser, 'oauthId'>): boolean {
  return oauthId !== null
}
