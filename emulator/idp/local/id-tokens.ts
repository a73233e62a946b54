import { exportJWK, type GenerateKeyPairResult, generateKeyPair, type JWK, SignJWT } from 'jose'
import type { JsonObject } from '../../../client/protocol/model/json.js'
import type { ProviderFault } from '../../../client/protocol/model/provider-login.js'

export const signingAlgorithm = 'ES256'

/** Signs ID tokens with a key that is created on first use, one for each process. */
export interface TokenSigner {
  /** The public keys, as `jwks_uri` returns them. */
  keys(): Promise<{ keys: JWK[] }>
  sign(claims: IdClaims, fault: ProviderFault | undefined): Promise<string>
}

export interface IdClaims {
  readonly issuer: string
  readonly client: string
  readonly subject: string
  readonly nonce: string | undefined
  readonly issuedAt: number
  readonly profile: JsonObject
}

const tokenSeconds = 3_600
const keyId = 'svc-local'

export function openTokenSigner(): TokenSigner {
  const ownKey = keyMadeOnce()
  /** An unpublished key. */
  const otherKey = keyMadeOnce()
  return {
    async keys() {
      const { publicKey } = await ownKey()
      return { keys: [{ ...(await exportJWK(publicKey)), kid: keyId, alg: signingAlgorithm, use: 'sig' }] }
    },
    async sign({ issuer, client, subject, nonce, issuedAt, profile }, fault) {
      const { privateKey } = await (fault === 'wrong-key' ? otherKey() : ownKey())
      const claims = nonce === undefined ? profile : { ...profile, nonce: orFaulty(nonce, fault === 'wrong-nonce') }
      return new SignJWT(claims)
        .setProtectedHeader({ alg: signingAlgorithm, kid: keyId, typ: 'JWT' })
        .setIssuer(orFaulty(issuer, fault === 'wrong-issuer'))
        .setAudience(orFaulty(client, fault === 'wrong-audience'))
        .setSubject(subject)
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + tokenSeconds)
        .sign(privateKey)
    },
  }
}

function keyMadeOnce(): () => Promise<GenerateKeyPairResult> {
  let made: Promise<GenerateKeyPairResult> | undefined
  return () => {
    made ??= generateKeyPair(signingAlgorithm)
    return made
  }
}

function orFaulty(value: string, isWrong: boolean): string {
  return isWrong ? `${value}-of-another` : value
}
