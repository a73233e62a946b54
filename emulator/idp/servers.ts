/** Caches the metadata that providers publish for ten minutes. */
import { allowInsecureRequests, customFetch, discovery, type ServerMetadata } from 'openid-client'
import { isObject } from '../../client/protocol/model/json.js'
import type { BoundedFetch } from './bounded-fetch.js'
import type { ProviderClient, ProviderServer } from './provider.js'

export interface Servers {
  /** @throws if the metadata cannot be fetched; failures are not cached */
  fetchMetadata(client: Pick<ProviderClient, 'server' | 'allowsHttp'>, fetch: BoundedFetch): Promise<ServerMetadata>
}

const keptMilliseconds = 10 * 60_000
const maxServers = 200

export function openServers(): Servers {
  const known = new Map<string, { readonly metadata: ServerMetadata; readonly until: number }>()
  return {
    async fetchMetadata({ server, allowsHttp }, fetch) {
      if (!('issuer' in server)) return configuredMetadata(server)
      const kept = known.get(server.issuer)
      if (kept && kept.until > performance.now()) return kept.metadata
      const metadata = await discover(server.issuer, allowsHttp, fetch)
      if (known.size >= maxServers) known.clear()
      known.set(server.issuer, { metadata, until: performance.now() + keptMilliseconds })
      return metadata
    },
  }
}

async function discover(issuer: string, allowsHttp: boolean, fetch: BoundedFetch): Promise<ServerMetadata> {
  const options = { [customFetch]: fetch, ...(allowsHttp ? { execute: [allowInsecureRequests] } : {}) }
  // Metadata does not depend on the client id.
  const found = await discovery(new URL(issuer), 'svc', undefined, undefined, options).catch((error) => {
    throw slashError(issuer, error) ?? error
  })
  const { supportsPKCE: _, ...metadata } = found.serverMetadata()
  return metadata
}

/** Explains a mismatch by a trailing slash: issuers are compared exactly, and the slash is easily missed. */
function slashError(issuer: string, error: unknown): Error | undefined {
  const cause = error instanceof Error ? error.cause : undefined
  const found = isObject(cause) && isObject(cause.body) ? cause.body.issuer : undefined
  if (typeof found !== 'string' || found === issuer || withoutSlash(found) !== withoutSlash(issuer)) return undefined
  return new Error(
    `IDP_ISSUER is "${issuer}", but the issuer of the provider is "${found}". Set exactly that, with or without the slash.`,
  )
}

function withoutSlash(address: string): string {
  return address.replace(/\/$/, '')
}

function configuredMetadata(server: Exclude<ProviderServer, { issuer: string }>): ServerMetadata {
  return {
    issuer: new URL(server.authorizationUrl).origin,
    authorization_endpoint: server.authorizationUrl,
    token_endpoint: server.tokenUrl,
    userinfo_endpoint: server.profileUrl,
    token_endpoint_auth_methods_supported: ['client_secret_post'],
  }
}
