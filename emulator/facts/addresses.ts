import { StartError } from '../database/start-error.js'

/** @throws {StartError} `PUBLIC_URL_INVALID` unless it is the origin of a service */
export function publicOrigin(publicUrl: string): string {
  const url = URL.canParse(publicUrl) ? new URL(publicUrl) : undefined
  const isOrigin = url && /^https?:$/.test(url.protocol) && url.pathname === '/' && url.search + url.hash === ''
  if (isOrigin) return url.origin
  throw new StartError('PUBLIC_URL_INVALID', `Invalid public URL "${publicUrl}".`, publicUrlHint)
}

export const publicUrlHint =
  'Set the URL that apps use, without a path, for example --public-url https://api.example.com.'

/** Returns the addresses of the parts of a service. */
export function addressesAt(url: string) {
  return { url, wsUrl: url.replace(/^http/, 'ws'), storageUrl: `${url}/files`, dashboardUrl: `${url}/_svc/` }
}
