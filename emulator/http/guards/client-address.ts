/** Finds the address of a client. Contract 6.12: trusts only the configured number of proxies. */
import type { IncomingMessage } from 'node:http'
import { isIPv6 } from 'node:net'
import { isLoopbackAddress, isLoopbackUrl } from '../../../client/protocol/model/loopback.js'

/**
 * Returns the address that called the outermost trusted proxy, or without proxies the address of the connection. For IPv6 it
 * returns the network, because a client with one address usually has 2^64 of them.
 */
export function clientAddress({ headers, socket }: IncomingMessage, trustedProxies: number): string {
  const header = headers['x-forwarded-for']
  if (header === undefined) return toNetwork(socket.remoteAddress ?? '')
  const forwarded = Array.isArray(header) ? header.join(',') : header
  // Each proxy appends the address of its caller.
  const hops = [...forwarded.split(','), socket.remoteAddress ?? '']
    .map((hop) => hop.trim())
    .filter((hop) => hop !== '')
  return toNetwork(hops[Math.max(0, hops.length - 1 - trustedProxies)] ?? '')
}

/**
 * Whether a request comes from this machine. A local proxy forwards for others. A tunnel may not announce itself, but is called
 * under its own host name.
 */
export function isFromThisMachine({ headers, socket }: IncomingMessage): boolean {
  const isForwarded = headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined
  return !isForwarded && isLoopbackAddress(socket.remoteAddress ?? '') && isLoopbackUrl(`http://${headers.host}`)
}

function toNetwork(address: string): string {
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
