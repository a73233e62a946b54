import { expect, test } from 'vitest'
import { addressHere } from './here.js'

test.each([
  ['http://127.0.0.1:4400/files/1/a.png?x=y', 'http://box.local:9000/files/1/a.png?x=y'],
  ['http://127.0.0.1:4400', 'http://box.local:9000'],
  ['ws://127.0.0.1:4400/realtime', 'ws://box.local:9000/realtime'],
  // Other addresses and invalid ones stay unchanged.
  ['http://127.0.0.1:44001/files/1/a.png', 'http://127.0.0.1:44001/files/1/a.png'],
  ['https://example.com/?next=http://127.0.0.1:4400/', 'https://example.com/?next=http://127.0.0.1:4400/'],
  ['/files/1/a.png', '/files/1/a.png'],
])('turns the emulator address %s into %s', (address, there) => {
  expect(addressHere(address, 'http://127.0.0.1:4400', 'http://box.local:9000')).toBe(there)
})

test('keeps TLS on a page opened over TLS', () => {
  const here = (address: string) => addressHere(address, 'http://127.0.0.1:4400', 'https://box.local')

  expect(here('http://127.0.0.1:4400/files/1')).toBe('https://box.local/files/1')
  expect(here('ws://127.0.0.1:4400/realtime')).toBe('wss://box.local/realtime')
})
