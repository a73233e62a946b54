import { describe, expect, it } from 'vitest'
import { pieceBytes } from '../../core/concurrency/memory-budget.js'
import { watchMessages } from './message-weight.js'

const text = 0x81
const firstPart = 0x01
const lastPart = 0x80
const ping = 0x89

function frame(first: number, bytes: number): Buffer {
  const head =
    bytes < 126 ? [bytes] : bytes < 65_536 ? [126, bytes >> 8, bytes & 255] : [127, 0, 0, 0, 0, 0, bytes >> 16, 0, 0]
  const [length = 0, ...more] = head
  return Buffer.concat([Buffer.from([first, 0x80 | length, ...more, 1, 2, 3, 4]), Buffer.alloc(bytes, 0x81)])
}

const whole = [frame(text, 0), frame(text, 125), frame(text, 126), frame(ping, 20), frame(text, 65_536)]
const inParts = [frame(firstPart, 10), frame(ping, 125), frame(0, 0), frame(lastPart, 300)]

describe('messages that are not whole', () => {
  it.each([1, 2, 7, 50, 1_000, 1_000_000])('are none once all of them are, read %i bytes at once', (bytes) => {
    const watch = watchMessages()
    const all = Buffer.concat([...whole, ...inParts, ...whole])
    let last = { bytes: 0, weight: 0 }

    for (let at = 0; at < all.length; at += bytes) last = watch.read(all.subarray(at, at + bytes))

    expect(last).toEqual({ bytes: 0, weight: 0 })
  })

  it('count from their beginning, and hold all that was read with them', () => {
    const watch = watchMessages()
    const first = Buffer.concat([...whole, frame(firstPart, 1)])

    expect(watch.read(first)).toEqual({ bytes: 7, weight: first.length + pieceBytes })
    const more = frame(ping, 125)
    expect(watch.read(more)).toEqual({ bytes: 7 + more.length, weight: first.length + more.length + 2 * pieceBytes })
    const next = Buffer.concat([frame(lastPart, 1), Buffer.from([text])])
    expect(watch.read(next)).toEqual({ bytes: 1, weight: next.length + pieceBytes })
  })
})
