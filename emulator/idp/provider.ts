/** The ports to identity providers: for all of them, and for the settings of the built-in one. */
import type { JsonObject } from '../../client/protocol/model/json.js'
import type {
  LoginFailure,
  LoginFlow,
  LoginHop,
  ProviderAccount,
  StandingFault,
} from '../../client/protocol/model/provider-login.js'

/** A provider as configured for a project. */
export interface ProviderClient {
  /** Identifies the issuer of subjects: with the same authority, the same subject is the same person. */
  readonly authority: string
  readonly server: ProviderServer
  /** Whether plain HTTP is allowed: only for our provider on this machine. */
  readonly allowsHttp: boolean
  readonly clientId: string
  readonly clientSecret: string
  readonly scopes: readonly string[]
  /** The provider's way to send the browser back. Default: a query. */
  readonly responseMode?: 'form_post' | undefined
}

/** The addresses of a provider: discovered from its issuer, or configured. */
export type ProviderServer =
  | { readonly issuer: string }
  | {
      readonly authorizationUrl: string
      readonly tokenUrl: string
      readonly profileUrl: string
      /** The list of emails, if the profile does not say which one is verified. */
      readonly emailsUrl?: string
      /** The profile's name for `email_verified`. Default: `email_verified`. */
      readonly verifiedName?: string
    }

/** The values of a login that travel with the browser and are checked when it comes back. */
export interface Challenge {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  readonly redirectUrl: string
  /** Whether an app passes on the provider's parameters, perhaps not all of them. */
  readonly isHandedOn?: boolean
}

/** A user as a provider describes them. */
export interface ProviderProfile {
  readonly subject: string
  /** Set only if the provider has verified it. */
  readonly email: string | undefined
  readonly name: string | undefined
  /** The issuer, for providers with one for each tenant. */
  readonly authority?: string
}

export interface IdentityProviders {
  /** Returns the provider's login address for the browser. @throws {SvcError} `UNAVAILABLE` if it cannot be found */
  loginUrl(client: ProviderClient, challenge: Challenge): Promise<string>
  /** Finds the user by the parameters that the browser came back with. @throws {LoginRefused} within ten seconds */
  fetchProfile(client: ProviderClient, challenge: Challenge, parameters: URLSearchParams): Promise<ProviderProfile>
  /** Finds the user of an ID token for one of these audiences. @throws {LoginRefused} within ten seconds */
  readTokenProfile(client: ProviderClient, idToken: string, expected: ExpectedToken): Promise<ProviderProfile>
}

export interface ExpectedToken {
  readonly audiences: readonly string[]
  readonly nonce: string | undefined
  /** Apple's `user`, as JSON text: it names the person, because the token does not. */
  readonly user?: string | undefined
}

/** Ends a login without a user, for a reason that the app may learn. */
export class LoginRefused extends Error {
  override readonly name = 'LoginRefused'
  constructor(
    readonly reason: LoginFailure,
    cause?: unknown,
  ) {
    super(reason, cause === undefined ? undefined : { cause })
  }
}

/**
 * The provider that runs inside the service on a developer's machine. Logins use HTTP; this interface configures it.
 */
export interface LocalProvider {
  readonly issuer: () => string
  readonly accounts: ProviderAccounts
  readonly faults: ProviderFaults
  /** The logins through any provider. */
  readonly flows: LoginFlows
}

type Pairs = Iterable<readonly [name: string, value: string]>

/** A request as sent. Its secrets are masked before it is kept. */
export interface SentHop extends Pick<LoginHop, 'kind' | 'from' | 'to' | 'method' | 'url'> {
  readonly request: Pairs
}

export interface AnsweredHop {
  readonly status: number | null
  readonly answer?: Pairs
  readonly claims?: JsonObject
  /** Default: the time since the hop began. */
  readonly milliseconds?: number
}

/** Keeps the last logins, identified by the `state` that travels with the browser. Ignores hops of other logins. */
export interface LoginFlows {
  open(state: string, of: Pick<LoginFlow, 'project' | 'provider'>): void
  /** Adds a hop. Call the result to add the response. */
  begin(state: string, hop: SentHop): (answered: AnsweredHop) => void
  end(state: string, outcome: NonNullable<LoginFlow['outcome']>): void
  /** The logins of a project, or all. Newest first. */
  list(project?: string): LoginFlow[]
}

export interface ProviderAccounts {
  list(): Promise<ProviderAccount[]>
  get(id: string): Promise<ProviderAccount | undefined>
  /** @throws {SvcError} `VALIDATION_ERROR` if the id is taken */
  add(account: ProviderAccount): Promise<ProviderAccount>
  /** @throws {SvcError} `NOT_FOUND` */
  change(id: string, changes: Partial<Omit<ProviderAccount, 'id'>>): Promise<ProviderAccount>
  /** @throws {SvcError} `NOT_FOUND` */
  remove(id: string): Promise<void>
}

export interface ProviderFaults {
  set(fault: StandingFault): void
  clear(client?: string): void
  list(): StandingFault[]
}
