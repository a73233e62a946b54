import type { Project } from '../../client/protocol/model/project.js'
import type { GrantedKey } from '../store/projects.js'

/** Who asks: a holder of a key of the project, a signed-in user, or both. Contract 6.5. */
export interface Caller {
  /** The user's id or, without a user token, the key's. */
  readonly id: string
  readonly key: ApiKey | undefined
  readonly user: SignedInUser | undefined
  /** Whether the key is a secret one: it satisfies every role. Contract 5.3. */
  readonly secret: boolean
}

/** A key of the project, and what it is good for. */
export type ApiKey = GrantedKey

/** Of a key that does all that its kind may, for ever. */
export const unscoped = { name: null, scopes: null, expiresAt: null } as const

/** A holder of that key. */
export function callerOf(key: ApiKey): Caller {
  return { id: key.id, key, user: undefined, secret: key.secret }
}

/** A user and the session of the token that was sent. */
export interface SignedInUser {
  readonly id: string
  readonly sessionId: string
  /** `data.role` is among them where the project trusts it and its owner wrote it. Contract 6.2. */
  readonly roles: readonly string[]
  readonly isVerified: boolean
  /** When the password, code or provider was last asked for. */
  readonly signedInAt: string
}

export interface Identity {
  readonly project: Project
  readonly caller: Caller
}

/** Whose a user token is while it has not expired: a cache is no reason to take it for longer. */
export interface TokenIdentity {
  readonly identity: Identity
  /** In milliseconds since 1970, by the project's clock. */
  readonly expiresAt: number
}
