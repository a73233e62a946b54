import type { JsonObject } from './json.js'

/** The public part of a user. Times are ISO 8601 UTC with milliseconds. Spec, "App user". */
export interface AppUser<Data = JsonObject> {
  readonly id: string
  readonly email: string
  /** Free-form profile data. */
  readonly data: Data
  /** Set by the project's owner, or by the user if the project allows it. Contract 6.2 and 6.11. */
  readonly roles: readonly string[]
  /** Subject id at the identity provider; `null` for users who log in with a password. */
  readonly oauthId: string | null
  readonly emailVerified: boolean
  readonly createdAt: string
  readonly updatedAt: string
}

/** Tells whether a user logs in through an identity provider instead of a password. Contract 7.5. */
export function isOfProvider({ oauthId }: Pick<AppUser, 'oauthId'>): boolean {
  return oauthId !== null
}
