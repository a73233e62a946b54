import { PassThrough, Readable, Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { watchParts } from './watch-parts.js'

const form = [
  '--x\r\ncontent-disposition: form-data; name="a"; filename=""\r\n\r\none\r\n',
  '--x\r\ncontent-disposition: form-data; name="b"\r\n\r\nfilename=""\r\n',
  `--x\r\ncontent-type: text/plain\r\nContent-Disposition: form-data; name="c"; filename*=UTF-8''\r\n\r\n\r\n`,
  '--x\r\ncontent-disposition: form-data; name="d"; filename="d.txt"\r\n\r\nfour\r\n',
  '--x--\r\n',
].join('')

const headers = { 'content-type': 'multipart/form-data; boundary=x' }

function inChunks(text: string, bytes: number) {
  const chunks = Array.from({ length: Math.ceil(text.length / bytes) }, (_, at) =>
    Buffer.from(text.slice(at * bytes, (at + 1) * bytes)),
  )
  return Object.assign(Readable.from(chunks), { headers })
}

afterEach(() => vi.restoreAllMocks())

describe('the heads of the parts of a form', () => {
  it.each([1, 2, 7, 50, 1000])('are read in chunks of %i bytes', async (bytes) => {
    const body = inChunks(form, bytes)

    const heads = watchParts(body, new PassThrough())
    await finished(body)

    expect(heads.begun()).toBe(4)
    expect([0, 1, 2, 3].filter(heads.isNameless)).toEqual([0, 2])
  })

  it.each([
    ['boundary lines alone', '--x\r\n', 50_000],
    ['heads that are cut off', '--x\r\na: b\r\n', 20_000],
    ['whole heads', '--x\r\na: b\r\n\r\n', 20_000],
    ['one head without an end', `--x\r\n${'a: b\r\n'.repeat(100_000)}`, 1],
  ])('are each looked at once: %s', async (_, part, times) => {
    const text = `${part.repeat(times)}\r\n\r\n`
    const body = inChunks(text, 64 * 1024)
    let bytesLookedAt = 0
    const { indexOf, toString: decode } = Buffer.prototype
    vi.spyOn(Buffer.prototype, 'indexOf').mockImplementation(function (this: Buffer, value, from) {
      const at = indexOf.call(this, value, from)
      bytesLookedAt += (at < 0 ? this.length : at) - Number(from ?? 0)
      return at
    })
    vi.spyOn(Buffer.prototype, 'toString').mockImplementation(function (this: Buffer, ...how: unknown[]) {
      const [, from = 0, to = this.length] = how as Parameters<Buffer['toString']>
      bytesLookedAt += Math.min(to, this.length) - from
      return Reflect.apply(decode, this, how)
    })

    const heads = watchParts(body, new PassThrough())
    await finished(body)

    expect(heads.begun()).toBe(times)
    // Counts each byte for the boundary search, the search for the end of the head, and decoding.
    expect(bytesLookedAt).toBeLessThan(4 * text.length)
  })

  it('are no longer read once the form is refused', async () => {
    const body = inChunks(form.repeat(1_000), 1_000)
    const parser = new Writable({ write: (_bytes, _encoding, done) => done() })

    const heads = watchParts(body, parser)
    body.pipe(parser).once('pipe', () => {})
    body.once('data', () => body.unpipe(parser).resume())
    await finished(body)

    expect(heads.begun()).toBeLessThan(20)
  })
})
