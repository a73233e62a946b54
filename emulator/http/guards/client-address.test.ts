import type { IncomingMessage } from 'node:http'
import { expect, it } from 'vitest'
import { clientAddress } from './client-address.js'

const cases: readonly [trusted: number, forwarded: string | undefined, socket: string, address: string][] = [
  [0, undefined, '203.0.113.7', '203.0.113.7'],
  // Without a proxy, a client can put anything into the header.
  [0, '198.51.100.1', '203.0.113.7', '203.0.113.7'],
  [1, '198.51.100.1', '10.0.0.1', '198.51.100.1'],
  // Everything before the proxy's own entry came with the request.
  [1, '1.1.1.1, 198.51.100.1', '10.0.0.1', '198.51.100.1'],
  [2, '1.1.1.1,198.51.100.1 , 10.0.0.2', '10.0.0.1', '198.51.100.1'],
  [3, '198.51.100.1', '10.0.0.1', '198.51.100.1'],
  [1, undefined, '203.0.113.7', '203.0.113.7'],
  [0, undefined, '::ffff:127.0.0.1', '127.0.0.1'],
  [0, undefined, '::1', '0:0:0:0::/64'],
  [0, undefined, '2001:db8:12:34:56:78:9a:bc', '2001:db8:12:34::/64'],
  [1, '[2001:0DB8:12:34::9]:4711', '10.0.0.1', '2001:db8:12:34::/64'],
  [1, '198.51.100.1:4711', '10.0.0.1', '198.51.100.1'],
  [1, '[::ffff:198.51.100.1]:4711', '10.0.0.1', '198.51.100.1'],
]

it.each(cases)(
  'contract 6.12 behind %i proxies, %s by way of %s is %s',
  (trusted, forwarded, remoteAddress, address) => {
    const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }

    expect(clientAddress({ headers, socket: { remoteAddress } } as IncomingMessage, trusted)).toBe(address)
  },
)
