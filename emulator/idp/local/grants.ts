/**
 * Codes and access tokens of the built-in provider. They are random, kept in memory, and lost when the process ends.
 */
import { createHash, randomBytes } from 'node:crypto'
import type { ProviderFault } from '../../../client/protocol/model/provider-login.js'

/** The person's consent, and the fault that the login will meet, if any. */
export interface Grant {
  readonly client: string
  readonly redirectUrl: string
  readonly scopes: readonly string[]
  readonly nonce: string | undefined
  /** The PKCE challenge (S256). */
  readonly challenge: string
  readonly account: string
  readonly fault: ProviderFault | undefined
}

export interface Grants {
  /** Creates a code for a grant. It works once, for a minute. */
  newCode(grant: Grant): string
  /** Uses up a code. A second try finds nothing and revokes the token of the first. */
  takeCode(code: string): Grant | undefined
  /** Creates an access token for the grant of that code. */
  newToken(code: string, grant: Grant): string
  findGrant(token: string): Grant | undefined
}

const codeMilliseconds = 60_000
export const tokenSeconds = 3_600
const maxAtOnce = 10_000

interface Kept {
  readonly grant: Grant
  readonly expiresAt: number
}

export function openGrants(now: () => number): Grants {
  const codes = new Map<string, Kept>()
  const tokens = new Map<string, Kept>()
  /** Maps each used code to its token. */
  const used = new Map<string, string>()
  return {
    newCode: (grant) => keep(codes, grant, now() + codeMilliseconds),
    takeCode(code) {
      const token = used.get(code)
      if (token !== undefined) tokens.delete(token)
      const kept = codes.get(code)
      codes.delete(code)
      return kept && kept.expiresAt > now() ? kept.grant : undefined
    },
    newToken(code, grant) {
      const token = keep(tokens, grant, now() + tokenSeconds * 1_000)
      used.set(code, token)
      removeOldest(used)
      return token
    },
    findGrant(token) {
      const kept = tokens.get(token)
      return kept && kept.expiresAt > now() ? kept.grant : undefined
    },
  }
}

/** Whether the challenge was made from this verifier. RFC 7636. */
export function matchesChallenge(challenge: string, verifier: string): boolean {
  return /^[\w.~-]{43,128}$/.test(verifier) && createHash('sha256').update(verifier).digest('base64url') === challenge
}

function keep(all: Map<string, Kept>, grant: Grant, expiresAt: number): string {
  const secret = randomBytes(24).toString('base64url')
  all.set(secret, { grant, expiresAt })
  removeOldest(all)
  return secret
}

/** Relies on maps keeping their insertion order. */
function removeOldest(all: Map<string, unknown>): void {
  const [oldest] = all.keys()
  if (all.size > maxAtOnce && oldest !== undefined) all.delete(oldest)
}
