import { describe, expect, it } from 'vitest'
import { openHostCheck, openToNames, requireOrigin } from './origins.js'

describe('the host check', () => {
  const requireHost = openHostCheck(['api.example'])

  it.each(['localhost', 'LOCALHOST:80', 'app.localhost:3000', '127.0.0.1:4000', '127.1.2.3', '[::1]:5', 'api.example'])(
    'serves %s',
    (host) => {
      expect(() => requireHost(host)).not.toThrow()
    },
  )

  it.each(['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example', '10.0.0.1', '[::2]'])(
    'refuses %s, which a page could have pointed here',
    (host) => {
      expect(() => requireHost(host)).toThrow(expect.objectContaining({ code: 'FORBIDDEN' }))
    },
  )

  it.each([undefined, '', 'a b', '[::1', 'localhost:99999', 'localhost:x', 'user@localhost'])(
    'cannot read %s',
    (host) => {
      expect(() => requireHost(host)).toThrow(expect.objectContaining({ code: 'INVALID_QUERY' }))
    },
  )
})

describe('AUT-04: the origin check', () => {
  const rules = { allowed: ['https://app.example'], isOpenTo: openToNames([]) }
  const check = (origin: string | undefined) => () => requireOrigin(origin, '127.0.0.1:4000', rules)

  it.each([undefined, 'https://app.example', 'http://localhost:5173', 'http://[::1]:80', 'http://127.0.0.1:4000'])(
    'lets %s in',
    (origin) => {
      expect(check(origin)).not.toThrow()
    },
  )

  it.each(['null', 'http://app.example', 'https://app.example.evil.example', 'https://evil.example', 'file://', ''])(
    'refuses %s',
    (origin) => {
      expect(check(origin)).toThrow(expect.objectContaining({ code: 'ORIGIN_NOT_ALLOWED' }))
    },
  )

  it('lets pages under an allowed host in, at any port, and under no other', () => {
    const open = { allowed: [], isOpenTo: openToNames(['Shop.example']) }
    const ask = (origin: string) => () => requireOrigin(origin, 'localhost:4400', open)

    for (const origin of ['https://shop.example', 'http://shop.example:5173']) expect(ask(origin)).not.toThrow()
    for (const origin of ['http://a.shop.example', 'http://shop.example.evil.example', 'capacitor://shop.example']) {
      expect(ask(origin)).toThrow(expect.objectContaining({ code: 'ORIGIN_NOT_ALLOWED' }))
    }
  })

  it('refuses pages of this machine where that is not a developer’s', () => {
    const strict = { allowed: [], isOpenTo: () => false }

    expect(() => requireOrigin('http://localhost:5173', 'api.example', strict)).toThrow()
    expect(() => requireOrigin('https://api.example', 'api.example', strict)).not.toThrow()
  })
})
