import { randomUUID } from 'node:crypto'
import { decodeJwt, jwtVerify, SignJWT } from 'jose'
import { isId } from '../../../client/protocol/model/document.js'
import { plainError } from '../../../client/protocol/model/error-words.js'
import type { SvcError } from '../../../client/protocol/model/errors.js'
import type { CredentialsProblem } from '../../../client/protocol/model/requests/reason.js'

/** Claims of a user token. Contract 6.4. */
export interface Claims {
  readonly user: string
  readonly project: string
  readonly session: string
}

const algorithm = 'HS256'

/** Signs a unique token with the project's secret. Both times are in seconds since 1970. */
export function signToken(
  { user, project, session }: Claims,
  secret: string,
  { issuedAt, expiresAt }: { issuedAt: number; expiresAt: number },
): Promise<string> {
  return new SignJWT({ pid: project, sid: session })
    .setProtectedHeader({ alg: algorithm, typ: 'JWT' })
    .setSubject(user)
    .setJti(randomUUID())
    .setIssuedAt(issuedAt)
    .setExpirationTime(expiresAt)
    .sign(encodeSecret(secret))
}

/** Reads the claims before the signature is verified. @throws {SvcError} `INVALID_TOKEN` */
export function readClaims(token: string): Claims {
  const { sub, pid, sid } = decode(token)
  if (typeof sub !== 'string' || typeof pid !== 'string' || typeof sid !== 'string') throw badToken('malformed token')
  if (!isId(sub) || !isId(sid) || pid.includes('\0')) throw badToken('malformed token')
  return { user: sub, project: pid, session: sid }
}

/**
 * Verifies a token and returns its expiry in milliseconds since 1970. @throws {SvcError} `INVALID_TOKEN` if the
 * signature is wrong or it has expired.
 */
export async function requireSigned(token: string, secret: string, now: Date): Promise<number> {
  try {
    const options = { algorithms: [algorithm], currentDate: now, requiredClaims: ['exp'] }
    const { payload } = await jwtVerify(token, encodeSecret(secret), options)
    // `requiredClaims` guarantees that `exp` is there.
    return (payload.exp ?? 0) * 1_000
  } catch {
    throw badToken('wrong signature or expired')
  }
}

/** Tells tokens from API keys by their form. */
export function looksLikeToken(text: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]*$/.test(text)
}

function decode(token: string) {
  try {
    return decodeJwt(token)
  } catch {
    throw badToken('malformed token')
  }
}

export function badToken(problem: CredentialsProblem): SvcError {
  return plainError('INVALID_TOKEN', { reason: { kind: 'credentials', problem } })
}

function encodeSecret(secret: string): Uint8Array {
  return new TextEncoder().encode(secret)
}
