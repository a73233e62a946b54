import type { OidcOptions } from './oidc.js'
import type { IdentityProviders } from './provider.js'

/** Loads what talks to providers with the first login through one: no start waits for it. */
export function openIdentityProviders(options: OidcOptions): IdentityProviders {
  let opened: Promise<IdentityProviders> | undefined
  const ready = () => {
    opened ??= import('./oidc.js').then(({ openOidc }) => openOidc(options))
    return opened
  }
  return {
    loginUrl: async (...given) => (await ready()).loginUrl(...given),
    profileOf: async (...given) => (await ready()).profileOf(...given),
    profileOfToken: async (...given) => (await ready()).profileOfToken(...given),
  }
}
