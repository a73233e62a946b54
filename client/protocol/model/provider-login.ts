/** Outcomes of logins through an identity provider, and faults of the built-in provider. */
import type { JsonObject } from './json.js'

/** Values of `svc-error`. Spec, "Authentication" 8. */
export const loginFailures = [
  'invalid_authorization_code',
  'failed_to_get_user_info',
  'no_email_provided',
  'email_already_registered_with_password',
  'database_error',
  'authentication_failed',
] as const

export type LoginFailure = (typeof loginFailures)[number]

/** Query parameters that the app's page receives after a login. */
export const outcomeNames = { token: 'svc-super-token', failure: 'svc-error' } as const

/** Faults of the built-in provider, each with its effect and the outcome of the login. Contract 7.2. */
export const providerFaults = {
  'bad-code': { says: 'refuses the code', endsIn: 'invalid_authorization_code' },
  'no-profile': { says: 'does not give the profile', endsIn: 'failed_to_get_user_info' },
  'no-email': { says: 'gives a profile without an email', endsIn: 'no_email_provided' },
  'unverified-email': { says: 'has not verified the email', endsIn: 'no_email_provided' },
  slow: { says: 'does not answer in time', endsIn: 'authentication_failed' },
  down: { says: 'drops the connection', endsIn: 'authentication_failed' },
  'wrong-audience': { says: 'signs for another client', endsIn: 'authentication_failed' },
  'wrong-issuer': { says: 'signs as another issuer', endsIn: 'authentication_failed' },
  'wrong-nonce': { says: 'signs another nonce', endsIn: 'authentication_failed' },
  'wrong-key': { says: 'signs with another key', endsIn: 'authentication_failed' },
  cancelled: { says: 'is made to cancel', endsIn: 'authentication_failed' },
} as const satisfies Record<string, { says: string; endsIn: LoginFailure }>

export type ProviderFault = keyof typeof providerFaults

/** A fault that applies to upcoming logins. */
export interface StandingFault {
  readonly fault: ProviderFault
  /** Number of logins it applies to; `null` until it is removed. */
  readonly times: number | null
  /** Client id it applies to. Default: all. */
  readonly client?: string | undefined
}

export function isProviderFault(text: string): text is ProviderFault {
  return Object.hasOwn(providerFaults, text)
}

/** An account of the built-in provider. */
export interface ProviderAccount {
  /** Subject id, which never changes. */
  readonly id: string
  readonly name: string
  readonly email: string | null
  readonly emailVerified: boolean
  /** Additional claims in the profile. They override the fields above. */
  readonly claims: JsonObject
}

/** Purposes of the requests of a login, in order. */
export const hopKinds = {
  start: 'asks for the address of the login',
  depart: 'sets out, bound to this browser',
  authorize: 'asks to log in',
  account: 'chooses the account',
  callback: 'comes back with the code',
  token: 'exchanges the code',
  profile: 'asks who it is',
  app: 'goes to the page of the app',
} as const

export type HopKind = keyof typeof hopKinds

/** A request of a login and its response. Secrets, codes and tokens are replaced by "…" with their length. */
export interface LoginHop {
  readonly kind: HopKind
  readonly from: 'browser' | 'service'
  readonly to: 'service' | 'provider' | 'app'
  readonly method: string
  /** Without the query, which is in `request`. */
  readonly url: string
  readonly at: string
  /** `null` until the response, and if another server responds. */
  readonly milliseconds: number | null
  readonly status: number | null
  readonly request: Readonly<Record<string, string>>
  readonly answer: Readonly<Record<string, string>>
  /** Claims of the ID token or the profile. */
  readonly claims: Readonly<Record<string, string>> | null
}

export interface LoginFlow {
  readonly id: string
  readonly at: string
  readonly project: string
  readonly provider: string
  /** `null` until the browser or the app returns. */
  readonly outcome: 'succeeded' | LoginFailure | null
  readonly hops: readonly LoginHop[]
}
