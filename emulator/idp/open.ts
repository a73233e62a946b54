import type { OidcOptions } from './oidc.js'
import type { IdentityProviders } from './provider.js'

/** Loads the provider code at the first login, so that no start waits for it. */
export function openIdentityProviders(options: OidcOptions): IdentityProviders {
  let opened: Promise<IdentityProviders> | undefined
  const ready = () => {
    opened ??= import('./oidc.js').then(({ openOidc }) => openOidc(options))
    return opened
  }
  return {
    loginUrl: async (...given) => (await ready()).loginUrl(...given),
    fetchProfile: async (...given) => (await ready()).fetchProfile(...given),
    readTokenProfile: async (...given) => (await ready()).readTokenProfile(...given),
  }
}
