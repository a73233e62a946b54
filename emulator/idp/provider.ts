/** The ports to identity providers: what the core asks of any, and what can be set for the built-in one only. */
import type { JsonObject } from '../../client/protocol/model/json.js'
import type {
  LoginFailure,
  LoginFlow,
  LoginHop,
  ProviderAccount,
  StandingFault,
} from '../../client/protocol/model/provider-login.js'

/** One provider as a project has set it up. */
export interface ProviderClient {
  /** Who vouches for a subject: of two clients with one authority, the same subject is the same person. */
  readonly authority: string
  readonly server: ProviderServer
  /** Whether it may be talked to without encryption: on this machine only, and our own. */
  readonly mayBePlain: boolean
  readonly clientId: string
  readonly clientSecret: string
  readonly scopes: readonly string[]
  /** How the provider sends the browser back; left out, with a query. */
  readonly responseMode?: 'form_post' | undefined
}

/** Where a provider answers: what it publishes about itself, or configured addresses. */
export type ProviderServer =
  | { readonly issuer: string }
  | {
      readonly authorizationUrl: string
      readonly tokenUrl: string
      readonly profileUrl: string
      /** Where the addresses are, if the profile does not say which of them is verified. */
      readonly emailsUrl?: string
      /** What the profile calls that its address is verified; left out, `email_verified`. */
      readonly verifiedName?: string
    }

/** What goes out with the browser, and has to come back or be shown. */
export interface Challenge {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  readonly redirectUrl: string
  /** Whether an app hands on what the provider sent to it, which may be less than all of it. */
  readonly isHandedOn?: boolean
}

/** A user as a provider describes them. */
export interface ProviderProfile {
  readonly subject: string
  /** Only an address that the provider has verified. */
  readonly email: string | undefined
  readonly name: string | undefined
  /** Who vouches, where that is another one for each tenant of the provider. */
  readonly authority?: string
}

export interface IdentityProviders {
  /** The address at the provider to send the browser to. @throws {SvcError} `UNAVAILABLE` if it does not say where */
  loginUrl(client: ProviderClient, challenge: Challenge): Promise<string>
  /** Who logged in, by the parameters that the browser came back with. @throws {LoginRefused} within ten seconds */
  profileOf(client: ProviderClient, challenge: Challenge, parameters: URLSearchParams): Promise<ProviderProfile>
  /** Who an ID token is about, made for one of these audiences. @throws {LoginRefused} within ten seconds */
  profileOfToken(client: ProviderClient, idToken: string, expected: ExpectedToken): Promise<ProviderProfile>
}

export interface ExpectedToken {
  readonly audiences: readonly string[]
  readonly nonce: string | undefined
}

/** A login that ends without a user, for a reason that the app may know. */
export class LoginRefused extends Error {
  override readonly name = 'LoginRefused'
  constructor(
    readonly reason: LoginFailure,
    cause?: unknown,
  ) {
    super(reason, cause === undefined ? undefined : { cause })
  }
}

/** The provider that comes with the service on a developer's machine. It is talked to by HTTP; this is what can be set for it. */
export interface LocalProvider {
  readonly issuer: () => string
  readonly accounts: ProviderAccounts
  readonly faults: ProviderFaults
  /** Of logins through any provider. */
  readonly flows: LoginFlows
}

type Pairs = Iterable<readonly [name: string, value: string]>

/** A request as it is sent: what is secret in it is masked before it is kept. */
export interface SentHop extends Pick<LoginHop, 'kind' | 'from' | 'to' | 'method' | 'url'> {
  readonly request: Pairs
}

export interface AnsweredHop {
  readonly status: number | null
  readonly answer?: Pairs
  readonly claims?: JsonObject
  /** Left out, since it began. */
  readonly milliseconds?: number
}

/** The last logins, told apart by the `state` that goes with the browser; what belongs to none of them is not kept. */
export interface LoginFlows {
  open(state: string, of: Pick<LoginFlow, 'project' | 'provider'>): void
  /** The answer is added once it is there. */
  begin(state: string, hop: SentHop): (answered: AnsweredHop) => void
  end(state: string, outcome: NonNullable<LoginFlow['outcome']>): void
  /** Those of a project, or all; the last one first. */
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
