/** Login through an identity provider: how it may end, and how the built-in provider can be made to fail. */
import type { JsonObject } from './json.js'

/** What `svc-error` says. Spec, "Authentication" 8. */
export const loginFailures = [
  'invalid_authorization_code',
  'failed_to_get_user_info',
  'no_email_provided',
  'email_already_registered_with_password',
  'database_error',
  'authentication_failed',
] as const

export type LoginFailure = (typeof loginFailures)[number]

/** The names of the two parameters that the app's page finds in its address. */
export const outcomeNames = { token: 'svc-super-token', failure: 'svc-error' } as const

/** Ways in which the built-in provider fails on demand: what it does, and how the login then ends. Contract 7.2. */
export const providerFaults = {
  'bad-code': { says: 'refuses the code', endsIn: 'invalid_authorization_code' },
  'no-profile': { says: 'does not give the profile', endsIn: 'failed_to_get_user_info' },
  'no-email': { says: 'gives a profile without an email', endsIn: 'no_email_provided' },
  'unverified-email': { says: 'has not verified the email', endsIn: 'no_email_provided' },
  slow: { says: 'does not answer in time', endsIn: 'authentication_failed' },
  down: { says: 'drops the connection', endsIn: 'authentication_failed' },
  'wrong-audience': { says: 'signs for another client', endsIn: 'authentication_failed' },
  'wrong-issuer': { says: 'signs as somebody else', endsIn: 'authentication_failed' },
  'wrong-nonce': { says: 'signs another nonce', endsIn: 'authentication_failed' },
  'wrong-key': { says: 'signs with another key', endsIn: 'authentication_failed' },
  cancelled: { says: 'is made to cancel', endsIn: 'authentication_failed' },
} as const satisfies Record<string, { says: string; endsIn: LoginFailure }>

export type ProviderFault = keyof typeof providerFaults

/** How the next logins fail. */
export interface StandingFault {
  readonly fault: ProviderFault
  /** Logins that are going to meet it; `null` until it is changed. */
  readonly times: number | null
  /** The client id whose logins are meant; left out, all. */
  readonly client?: string | undefined
}

export function isProviderFault(text: string): text is ProviderFault {
  return Object.hasOwn(providerFaults, text)
}

/** An account of the built-in provider. */
export interface ProviderAccount {
  /** The subject: what the provider calls the person, and what never changes. */
  readonly id: string
  readonly name: string
  readonly email: string | null
  readonly emailVerified: boolean
  /** What the profile says beside these; one of the same name wins over them. */
  readonly claims: JsonObject
}

/** What the requests of a login are for, in the order in which they come. */
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

/** A request of a login and its answer; secrets, codes and tokens are "…" with their length. */
export interface LoginHop {
  readonly kind: HopKind
  readonly from: 'browser' | 'service'
  readonly to: 'service' | 'provider' | 'app'
  readonly method: string
  /** Without its query, which is in `request`. */
  readonly url: string
  readonly at: string
  /** `null` while nothing is answered, and where others answer. */
  readonly milliseconds: number | null
  readonly status: number | null
  readonly request: Readonly<Record<string, string>>
  readonly answer: Readonly<Record<string, string>>
  /** What the ID token or the profile says of the account. */
  readonly claims: Readonly<Record<string, string>> | null
}

export interface LoginFlow {
  readonly id: string
  readonly at: string
  readonly project: string
  readonly provider: string
  /** `null` until the browser, or the app, has come back. */
  readonly outcome: 'succeeded' | LoginFailure | null
  readonly hops: readonly LoginHop[]
}
