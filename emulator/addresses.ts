import { StartError } from './database/start-error.js'

/** @throws {StartError} `PUBLIC_URL_INVALID` for what is not the origin of a service */
export function publicOrigin(publicUrl: string): string {
  const url = URL.canParse(publicUrl) ? new URL(publicUrl) : undefined
  const isOrigin = url && /^https?:$/.test(url.protocol) && url.pathname === '/' && url.search + url.hash === ''
  if (isOrigin) return url.origin
  throw new StartError('PUBLIC_URL_INVALID', `"${publicUrl}" is not the address of a service.`, publicUrlHint)
}

export const publicUrlHint = 'Say where apps reach it, as in --public-url https://api.example.com.'

/** Where the parts of a service are, below its address. */
export function addressesAt(url: string) {
  return { url, wsUrl: url.replace(/^http/, 'ws'), storageUrl: `${url}/files`, dashboardUrl: `${url}/_svc/` }
}
