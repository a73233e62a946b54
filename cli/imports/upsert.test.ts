import { expect, test } from 'vitest'
import { inPieces } from './upsert.js'

const words = Array.from({ length: 25 }, (_, at) => `k${at}`)
const numbers = Array.from({ length: 12 }, (_, at) => String(at))

test.each([
  ['words', 'email', words, [10, 10, 5]],
  ['numbers, which may be text too', 'code', numbers, [5, 5, 2]],
  ['ids', 'id', words, [25]],
  ['long texts', 'url', ['x'.repeat(4_000), 'y'.repeat(4_000)], [1, 1]],
])('%s are asked for so many at a time that a large collection is not read whole', (_, field, values, sizes) => {
  const pieces = inPieces(field, values)

  expect(pieces.map((piece) => piece.length)).toEqual(sizes)
  expect(pieces.flat()).toEqual(values)
})
