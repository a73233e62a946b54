/**
 * Handles Microsoft, which has one address for all tenants, an issuer for each tenant, and no `email_verified`.
 * https://learn.microsoft.com/entra/identity-platform/id-token-claims-reference
 */
import { decodeJwt } from 'jose'
import type { JsonObject } from '../../client/protocol/model/json.js'

const origin = 'https://login.microsoftonline.com'

/** The tenant of personal accounts. Microsoft verifies their email addresses itself. */
const personalTenant = '9188040d-6c67-4c5b-b112-36a304b66dad'

export function isMicrosoft(issuer: string): boolean {
  return issuer.startsWith(`${origin}/`)
}

/** Whether each tenant behind this address issues its own tokens. */
export function isForAllTenants(issuer: string): boolean {
  return isMicrosoft(issuer) && /^\/(common|organizations|consumers)\/v2\.0\/?$/.test(new URL(issuer).pathname)
}

/** Fills the tenant of the token into the published issuer, if that has a placeholder for it. */
export function resolveIssuer(published: string, token: string): string {
  if (!published.startsWith(`${origin}/{tenantid}/`)) return published
  const { tid } = decodeJwt(token)
  if (typeof tid !== 'string' || !/^[0-9a-f-]{36}$/.test(tid))
    throw new TypeError('The token has no valid "tid" (tenant).')
  return published.replace('{tenantid}', tid)
}

/**
 * Sets `email_verified` only where Microsoft vouches for the email: for personal accounts, and if the optional claim
 * `xms_edov` says that the domain's owner is verified. A tenant's administrator can write any other email.
 */
export function withVerified(claims: JsonObject): JsonObject {
  const { tid, xms_edov: isDomainVerified } = claims
  const isVerified = tid === personalTenant || [true, 'true', 1, '1'].some((yes) => yes === isDomainVerified)
  return { ...claims, email_verified: isVerified }
}
