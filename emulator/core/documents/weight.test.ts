import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../client/protocol/model/json.js'
import { maxValuesIn, requireLight, requireStorable, requireWalkedLight } from './weight.js'

describe('what cannot be stored', () => {
  it.each([
    ['a NUL in a text', '{"a":{"b":["\\u0000"]}}', ['a', 'b', 0]],
    ['a NUL in a name', '{"a\\u0000":1}', ['a\0']],
    ['half of a surrogate pair', '{"a":"\\ud83d"}', ['a']],
    ['a number beyond doubles', '{"a":1e400}', ['a']],
    ['an empty name', '{"a":{"":1}}', ['a', '']],
    ['a name of over 255 bytes', `{"${'é'.repeat(128)}":1}`, ['é'.repeat(80)]],
  ])('is refused: %s', (_what, text, path) => {
    const issue = expect.objectContaining({ path })
    expect(() => requireStorable(JSON.parse(text))).toThrow(
      expect.objectContaining({ code: 'VALIDATION_ERROR', issues: [issue] }),
    )
  })

  it.each(['{"__proto__":{"constructor":1}}', '{"a":"😀","b":[null,true,1.5]}', `{"${'e'.repeat(255)}":1}`])(
    'is not %s',
    (text) => {
      expect(() => requireStorable(JSON.parse(text))).not.toThrow()
    },
  )
})

describe('the weight of a document', () => {
  const nested = (levels: number): JsonObject => (levels === 1 ? {} : { a: nested(levels - 1) })
  const withKeys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, at]))

  const values = (count: number) => ({
    a: Array.from({ length: count / 2 }, () => []),
    b: Array(count / 2 - 2).fill(0),
  })

  it('may be 64 levels, 10,000 keys, 200,000 values and 1 MB', () => {
    for (const fields of [nested(64), withKeys(10_000), values(200_000), { a: 'x'.repeat(1_048_568) }]) {
      expect(() => requireLight(fields)).not.toThrow()
    }
  })

  it('is refused beyond', () => {
    for (const fields of [nested(65), withKeys(10_001), values(200_002), { a: 'x'.repeat(1_048_569) }]) {
      expect(() => requireLight(fields)).toThrow(expect.objectContaining({ code: 'PAYLOAD_TOO_LARGE' }))
    }
  })

  it('is refused beyond after a walk, by itself and as the data of a body', () => {
    for (const fields of [nested(65), withKeys(10_001), values(200_002), { a: 'x'.repeat(1_048_569) }]) {
      requireStorable(fields)
      expect(() => requireWalkedLight(fields)).toThrow(expect.objectContaining({ code: 'PAYLOAD_TOO_LARGE' }))
      const data = { ...fields }
      requireStorable({ data })
      expect(() => requireWalkedLight(data)).toThrow(expect.objectContaining({ code: 'PAYLOAD_TOO_LARGE' }))
    }
  })

  it('is found by one walk where it is large', () => {
    const large = { a: 'x'.repeat(100_000) }
    requireStorable(large)

    expect(requireLight(large)).toBe(0)
  })

  it.each(['{}', '{"a":1}', '{"a":[1,1,1,1],"b":[[],[],{}]}', '{"a":{"b":{"c":[0,0]}}}'])(
    'has at least the values of a short text: %s',
    (text) => {
      const fields = JSON.parse(text)
      const long = { ...fields, z: 'x'.repeat(500) }

      const values = maxValuesIn(long, JSON.stringify(long)) - 1

      expect(maxValuesIn(fields, text)).toBeGreaterThanOrEqual(values)
    },
  )
})
