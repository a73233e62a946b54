import { isLoopbackUrl } from '../../../client/protocol/model/loopback.js'

/**
 * Returns the address at which a caller reached the service, if answers should use it for their addresses. Call it only with a
 * host that was let in. Requests to loopback keep the service's own address, because a development server that proxies to the
 * emulator passes on a `localhost` with its own port.
 */
export function requestedOrigin(host: string | undefined): string | undefined {
  const origin = `http://${host?.toLowerCase()}`
  return host === undefined || isLoopbackUrl(origin) ? undefined : origin
}
