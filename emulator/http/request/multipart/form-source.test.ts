import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { openFormSource } from './form-source.js'

const whole = Buffer.from(Array.from({ length: 200_000 }, (_, at) => at % 251))

/** Collects the pieces that a request with chunks of these lengths yields. */
async function readPieces(lengths: readonly number[]): Promise<Buffer[]> {
  const req = new IncomingMessage(new Socket())
  const source = openFormSource(req)
  const pieces: Buffer[] = []
  source.on('data', (piece) => pieces.push(piece))
  for (let at = 0, n = 0; at < whole.length; n++) {
    const length = lengths[n % lengths.length] ?? 1
    req.push(Buffer.from(whole.subarray(at, at + length)))
    at += length
  }
  req.push(null)
  await buffer(source)
  return pieces
}

describe('a form that comes in chunks', () => {
  it.each([
    { lengths: [1] },
    { lengths: [1, 4_096] },
    { lengths: [200, 9_000] },
    { lengths: [1_460] },
    { lengths: [4_095, 4_097] },
    { lengths: [200_000] },
  ])('of $lengths bytes is read in large enough pieces', async ({ lengths }) => {
    const pieces = await readPieces(lengths)

    expect(Buffer.concat(pieces).equals(whole)).toBe(true)
    expect(pieces.slice(0, -1).filter(({ length }) => length < 4_096).length).toBeLessThanOrEqual(100)
  })

  it('reads no more than its reader requests', async () => {
    const req = new IncomingMessage(new Socket())
    const source = openFormSource(req)
    const chunk = Buffer.alloc(100_000)

    for (let n = 0; n < 10; n++) req.push(chunk)
    req.push(null)
    await new Promise(setImmediate)

    expect(source.readableLength).toBe(chunk.length)
    expect((await buffer(source)).length).toBe(10 * chunk.length)
  })
})
