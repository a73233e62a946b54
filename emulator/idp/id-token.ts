/** Checks the ID tokens that an app got on its own against the keys that the provider publishes. Contract 7.6. */
import { createRemoteJWKSet, customFetch, type JWTPayload, jwtVerify, type RemoteJWKSet } from 'jose'
import type { ServerMetadata } from 'openid-client'
import type { JsonObject } from '../../client/protocol/model/json.js'
import { openBoundedFetch } from './bounded-fetch.js'
import { resolveIssuer } from './microsoft.js'
import type { ExpectedToken } from './provider.js'

/** The provider whose keys count. */
export interface KeySource {
  readonly metadata: ServerMetadata
  /** Whether the keys may come over plain HTTP. */
  readonly allowsHttp: boolean
}

export interface TokenChecks {
  /** Returns the claims of a token with a good signature, issuer, audience, expiry and nonce. */
  check(source: KeySource, token: string, expected: ExpectedToken): Promise<JsonObject & { readonly sub: string }>
}

/** Only public-key algorithms, because a shared secret could be the client's own. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']
const maxKeySets = 200

export function openTokenChecks(timeoutMilliseconds: number): TokenChecks {
  const known = new Map<string, RemoteJWKSet>()

  function getKeys({ metadata: { jwks_uri: address }, allowsHttp }: KeySource): RemoteJWKSet {
    if (address === undefined) throw new TypeError('The provider publishes no keys.')
    if (!allowsHttp && !address.startsWith('https:'))
      throw new TypeError('The jwks_uri of the provider does not use HTTPS.')
    const kept = known.get(address)
    if (kept) return kept
    const fetch = (url: string, options: RequestInit) =>
      openBoundedFetch(timeoutMilliseconds)(url, { ...options, method: 'GET' })
    const keys = createRemoteJWKSet(new URL(address), { timeoutDuration: timeoutMilliseconds, [customFetch]: fetch })
    if (known.size >= maxKeySets) known.clear()
    known.set(address, keys)
    return keys
  }

  return {
    async check(source, token, { audiences, nonce }) {
      const { payload } = await jwtVerify(token, getKeys(source), {
        algorithms,
        issuer: resolveIssuer(source.metadata.issuer, token),
        audience: [...audiences],
        requiredClaims: ['sub', 'exp', 'iat'],
        clockTolerance: 30,
      })
      requireClaims(payload, audiences, nonce)
      return payload as JsonObject & { sub: string }
    },
  }
}

function requireClaims(
  { sub, aud, azp, nonce: signed }: JWTPayload,
  audiences: readonly string[],
  nonce?: string,
): void {
  if (typeof sub !== 'string' || sub === '' || sub.length > 255) throw new TypeError('The token has no valid "sub".')
  if (nonce !== undefined && signed !== nonce) throw new TypeError('The nonce of the token does not match.')
  // OpenID Connect Core 3.1.3.7: with several audiences, `azp` has to name the client that asked.
  if (Array.isArray(aud) && aud.length > 1 && !audiences.includes(String(azp))) {
    throw new TypeError('The token was issued to another client.')
  }
}
