/** Where a client is. Contract 6.12: proxies are believed only as far as the configured number of them reaches. */
import type { IncomingMessage } from 'node:http'
import { isIPv6 } from 'node:net'
import { isLoopbackAddress, isLoopbackUrl } from '../../../client/protocol/model/loopback.js'

/**
 * The address that the outermost trusted proxy was called from; with none, that of the connection. Of IPv6 it is the
 * network, since a client that has one address there has 2^64 of them.
 */
export function clientAddress({ headers, socket }: IncomingMessage, trustedProxies: number): string {
  const header = headers['x-forwarded-for']
  if (header === undefined) return networkOf(socket.remoteAddress ?? '')
  const forwarded = Array.isArray(header) ? header.join(',') : header
  // Each proxy writes down, at the end, who called it.
  const hops = [...forwarded.split(','), socket.remoteAddress ?? '']
    .map((hop) => hop.trim())
    .filter((hop) => hop !== '')
  return networkOf(hops[Math.max(0, hops.length - 1 - trustedProxies)] ?? '')
}

/**
 * Whether a request begins on this machine. A proxy on it speaks for others; a tunnel may not say so, but is called by a name of
 * its own.
 */
export function isFromThisMachine({ headers, socket }: IncomingMessage): boolean {
  const isForwarded = headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined
  return !isForwarded && isLoopbackAddress(socket.remoteAddress ?? '') && isLoopbackUrl(`http://${headers.host}`)
}

function networkOf(address: string): string {
  if (/^[\d.]{7,15}$/.test(address)) return address
  const host = address.replace(/^\[(.*)\].*$/, '$1').replace(/^(\d+(?:\.\d+){3}):\d+$/, '$1')
  const plain = host.replace(/^::ffff:(?=\d+\.)/i, '')
  if (!isIPv6(plain)) return plain.slice(0, 80)
  const [before = '', after] = plain.toLowerCase().split('::')
  const head = before === '' ? [] : before.split(':')
  const tail = after ? after.split(':') : []
  const filled = after === undefined ? head : [...head, ...Array(8 - head.length - tail.length).fill('0'), ...tail]
  return `${filled
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`
}
