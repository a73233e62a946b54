/** What providers publish about themselves, asked once in ten minutes. */
import { allowInsecureRequests, customFetch, discovery, type ServerMetadata } from 'openid-client'
import { isLoopbackUrl } from '../../client/model/loopback.js'
import type { BoundedFetch } from './bounded-fetch.js'
import type { ProviderServer } from './provider.js'

export interface Servers {
  /** @throws whatever goes wrong; it is asked again the next time */
  metadataOf(server: ProviderServer, fetch: BoundedFetch): Promise<ServerMetadata>
}

const keptMilliseconds = 10 * 60_000
const mostServers = 200

export function openServers(): Servers {
  const known = new Map<string, { readonly metadata: ServerMetadata; readonly until: number }>()
  return {
    async metadataOf(server, fetch) {
      if (!('issuer' in server)) return writtenDown(server)
      const kept = known.get(server.issuer)
      if (kept && kept.until > Date.now()) return kept.metadata
      const metadata = await discover(server.issuer, fetch)
      if (known.size >= mostServers) known.clear()
      known.set(server.issuer, { metadata, until: Date.now() + keptMilliseconds })
      return metadata
    },
  }
}

/** Only this machine's own providers may be talked to without encryption. */
export function mayBePlain(address: string): boolean {
  return new URL(address).protocol === 'http:' && isLoopbackUrl(address)
}

async function discover(issuer: string, fetch: BoundedFetch): Promise<ServerMetadata> {
  const options = { [customFetch]: fetch, ...(mayBePlain(issuer) ? { execute: [allowInsecureRequests] } : {}) }
  // The client is of no matter for what a provider says to everybody.
  const found = await discovery(new URL(issuer), 'svc', undefined, undefined, options)
  const { supportsPKCE: _, ...metadata } = found.serverMetadata()
  return metadata
}

function writtenDown(server: Exclude<ProviderServer, { issuer: string }>): ServerMetadata {
  return {
    issuer: new URL(server.authorizationUrl).origin,
    authorization_endpoint: server.authorizationUrl,
    token_endpoint: server.tokenUrl,
    userinfo_endpoint: server.profileUrl,
    token_endpoint_auth_methods_supported: ['client_secret_post'],
  }
}
