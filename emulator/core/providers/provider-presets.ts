import type { ProviderServer } from '../../idp/provider.js'

interface ProviderPreset {
  readonly server: ProviderServer
  readonly scopes: readonly string[]
  /** How the provider sends the browser back, if not with a query. */
  readonly responseMode?: 'form_post'
}

const openId = ['openid', 'email', 'profile']

/** Providers with known URLs, which need no `IDP_<NAME>_ISSUER`. Contract 7.1. */
const presets: { readonly [name: string]: ProviderPreset } = {
  // Apple answers requests for more than the subject with a POST.
  apple: {
    server: { issuer: 'https://appleid.apple.com' },
    scopes: ['openid', 'name', 'email'],
    responseMode: 'form_post',
  },
  discord: {
    server: {
      authorizationUrl: 'https://discord.com/oauth2/authorize',
      tokenUrl: 'https://discord.com/api/oauth2/token',
      profileUrl: 'https://discord.com/api/users/@me',
      verifiedName: 'verified',
    },
    scopes: ['identify', 'email'],
  },
  github: {
    server: {
      authorizationUrl: 'https://github.com/login/oauth/authorize',
      tokenUrl: 'https://github.com/login/oauth/access_token',
      profileUrl: 'https://api.github.com/user',
      emailsUrl: 'https://api.github.com/user/emails',
    },
    scopes: ['read:user', 'user:email'],
  },
  gitlab: { server: { issuer: 'https://gitlab.com' }, scopes: openId },
  google: { server: { issuer: 'https://accounts.google.com' }, scopes: openId },
  linkedin: { server: { issuer: 'https://www.linkedin.com/oauth' }, scopes: openId },
  microsoft: { server: { issuer: 'https://login.microsoftonline.com/common/v2.0' }, scopes: openId },
  slack: { server: { issuer: 'https://slack.com' }, scopes: openId },
}

export const presetNames: readonly string[] = Object.keys(presets)

/** Finds the preset of a well-known provider. */
export function findPreset(name: string): ProviderPreset | undefined {
  return Object.hasOwn(presets, name) ? presets[name] : undefined
}

/** Scopes requested from a provider without a preset. */
export const usualScopes: readonly string[] = openId
