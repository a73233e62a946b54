import { isLoopbackUrl } from '../../../client/protocol/model/loopback.js'

/**
 * The address that a caller reached the service at, if answers should begin their addresses with it. Call it only with a host
 * that was let in. Requests to loopback keep the service's own address, because a development server that proxies to the emulator
 * passes on a `localhost` with its own port.
 */
export function originAsked(host: string | undefined): string | undefined {
  const origin = `http://${host?.toLowerCase()}`
  return host === undefined || isLoopbackUrl(origin) ? undefined : origin
}
