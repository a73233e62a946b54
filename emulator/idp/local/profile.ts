import type { JsonObject } from '../../../client/protocol/model/json.js'
import type { ProviderAccount, ProviderFault } from '../../../client/protocol/model/provider-login.js'

/** Builds the profile of an account, limited by the scopes. */
export function buildProfile(
  { id, name, email, emailVerified, claims }: ProviderAccount,
  scopes: readonly string[],
  fault?: ProviderFault | undefined,
): JsonObject {
  const hasEmail = scopes.includes('email') && email !== null && fault !== 'no-email'
  const profile: JsonObject = {
    ...(scopes.includes('profile') ? { name, preferred_username: id } : {}),
    ...(hasEmail ? { email, email_verified: emailVerified && fault !== 'unverified-email' } : {}),
    ...claims,
  }
  if (fault === 'no-email') delete profile.email
  if (fault === 'unverified-email') profile.email_verified = false
  return profile
}
