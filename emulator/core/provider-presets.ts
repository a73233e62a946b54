import type { ProviderServer } from '../idp/provider.js'

interface ProviderPreset {
  readonly server: ProviderServer
  readonly scopes: readonly string[]
}

const openId = ['openid', 'email', 'profile']

/** Providers whose addresses are known: they need no `IDP_<NAME>_ISSUER`. Contract 7.1. */
const presets: { readonly [name: string]: ProviderPreset } = {
  // Its login page asks for a form to come back once more than this is asked for.
  apple: { server: { issuer: 'https://appleid.apple.com' }, scopes: ['openid'] },
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
  slack: { server: { issuer: 'https://slack.com' }, scopes: openId },
}

/** The well-known provider of that name, if there is one. */
export function presetOf(name: string): ProviderPreset | undefined {
  return Object.hasOwn(presets, name) ? presets[name] : undefined
}

/** What is asked of a provider that nobody has described. */
export const usualScopes: readonly string[] = openId
