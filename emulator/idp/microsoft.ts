/**
 * What is particular about Microsoft: one address for all tenants, each of which is an issuer of its own, and no
 * `email_verified`. https://learn.microsoft.com/entra/identity-platform/id-token-claims-reference
 */
import { decodeJwt } from 'jose'
import type { JsonObject } from '../../client/protocol/model/json.js'

const origin = 'https://login.microsoftonline.com'

/** Of personal accounts, whose addresses Microsoft has verified itself. */
const personalTenant = '9188040d-6c67-4c5b-b112-36a304b66dad'

export function isMicrosoft(issuer: string): boolean {
  return issuer.startsWith(`${origin}/`)
}

/** Whether tokens from there are issued by as many issuers as there are tenants. */
export function isForAllTenants(issuer: string): boolean {
  return isMicrosoft(issuer) && /^\/(common|organizations|consumers)\/v2\.0\/?$/.test(new URL(issuer).pathname)
}

/** The issuer that a token has to name: the published one or, where that has a gap for the tenant, the token's own. */
export function issuerOf(published: string, token: string): string {
  if (!published.startsWith(`${origin}/{tenantid}/`)) return published
  const { tid } = decodeJwt(token)
  if (typeof tid !== 'string' || !/^[0-9a-f-]{36}$/.test(tid)) throw new TypeError('The token names no tenant.')
  return published.replace('{tenantid}', tid)
}

/**
 * The claims, with `email_verified` where Microsoft vouches for the address: of personal accounts, and where the app's
 * optional claim `xms_edov` says that the owner of the domain has been verified. Any tenant's administrator may write
 * any other address.
 */
export function withVerified(claims: JsonObject): JsonObject {
  const { tid, xms_edov: isDomainVerified } = claims
  const isVerified = tid === personalTenant || [true, 'true', 1, '1'].some((yes) => yes === isDomainVerified)
  return { ...claims, email_verified: isVerified }
}
