import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { describe, expect, it } from 'vitest'
import { watchParts } from './watch-parts.js'

const form = [
  '--x\r\ncontent-disposition: form-data; name="a"; filename=""\r\n\r\none\r\n',
  '--x\r\ncontent-disposition: form-data; name="b"\r\n\r\nfilename=""\r\n',
  `--x\r\ncontent-type: text/plain\r\nContent-Disposition: form-data; name="c"; filename*=UTF-8''\r\n\r\n\r\n`,
  '--x\r\ncontent-disposition: form-data; name="d"; filename="d.txt"\r\n\r\nfour\r\n',
  '--x--\r\n',
].join('')

describe('the heads of the parts of a form', () => {
  it.each([1, 2, 7, 50, 1000])('are read in chunks of %i bytes', async (bytes) => {
    const chunks = Array.from({ length: Math.ceil(form.length / bytes) }, (_, at) =>
      Buffer.from(form.slice(at * bytes, (at + 1) * bytes)),
    )
    const headers = { 'content-type': 'multipart/form-data; boundary=x' }
    const body = Object.assign(Readable.from(chunks), { headers })

    const heads = watchParts(body)
    await finished(body)

    expect(heads.begun()).toBe(4)
    expect([0, 1, 2, 3].filter(heads.isNameless)).toEqual([0, 2])
  })
})
