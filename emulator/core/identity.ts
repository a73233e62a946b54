import type { Project } from '../../client/protocol/model/project.js'
import type { GrantedKey } from '../store/projects.js'

/** The caller of a request: the holder of a project key, a signed-in user, or both. Contract 6.5. */
export interface Caller {
  /** The user's id, or the key's id without a user token. */
  readonly id: string
  readonly key: ApiKey | undefined
  readonly user: SignedInUser | undefined
  /** Whether the key is secret, which satisfies every role. Contract 5.3. */
  readonly secret: boolean
}

/** A key of the project with its scopes and expiry. */
export type ApiKey = GrantedKey

/** For keys with full rights that never expire. */
export const unscoped = { name: null, scopes: null, expiresAt: null } as const

/** Creates the caller for a key without a user. */
export function callerFor(key: ApiKey): Caller {
  return { id: key.id, key, user: undefined, secret: key.secret }
}

/** Creates the caller for work of a project's owner, who has all rights. */
export function callerAsOwner(project: string): Caller {
  return callerFor({ id: project, secret: true, ...unscoped })
}

/** A user, and the session of the token. */
export interface SignedInUser {
  readonly id: string
  readonly sessionId: string
  /** Includes `data.role` if the project trusts it and its owner set it. Contract 6.2. */
  readonly roles: readonly string[]
  readonly isVerified: boolean
  /** Time of the last login with a password, code or provider. */
  readonly signedInAt: string
}

export interface Identity {
  readonly project: Project
  readonly caller: Caller
}

/** The identity of a user token. Callers check the expiry, because a cached token may have expired. */
export interface TokenIdentity {
  readonly identity: Identity
  /** Milliseconds since 1970, by the project's clock. */
  readonly expiresAt: number
}
