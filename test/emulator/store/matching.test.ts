/** The cost of matching a document: counted, since times on a busy machine say nothing. Contract 10.11. */
import fc from 'fast-check'
import { afterEach, expect, it, vi } from 'vitest'
import { sizes } from '../../../client/protocol/model/limits.js'
import type { Matchable } from '../../../client/protocol/model/matching.js'
import type { Test } from '../../../client/protocol/model/where.js'
import { compileFilter } from '../../../emulator/core/realtime/matching.js'
import { searchFor } from '../../../emulator/core/realtime/text-search.js'

afterEach(() => void vi.restoreAllMocks())

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at)

function aDocument(text: string): Matchable {
  return { id: 'x', createdAt: 't', updatedAt: 't', data: { v: text, list: [text, text] } }
}

/** A filter of two hundred tests, none of which a document meets. */
function aFilter(operator: 'contains' | 'icontains', salt: string) {
  const any = numbers(200).map(
    (at): Test => ({ path: [at % 2 ? 'v' : 'list'], operator, value: `Q${salt}${at}`.repeat(5) }),
  )
  return { all: [{ any }] }
}

it('contract 10.11 a text is lower-cased once for all tests of all filters', () => {
  const document = aDocument('Tea and Toast '.repeat(2_000))
  const filters = numbers(10).map((at) => compileFilter(aFilter('icontains', String(at))))
  const lowered = vi.spyOn(String.prototype, 'toLowerCase')

  for (const matches of filters) expect(matches(document)).toBe(false)

  expect(lowered).toHaveBeenCalledTimes(1)
})

it('contract 10.11 a text is looked through once for everything that a filter looks for', () => {
  const text = 'Q'.repeat(100_000)
  const matches = compileFilter(aFilter('contains', 'Q'))
  matches(aDocument(`${text} warm`))
  const includes = vi.spyOn(String.prototype, 'includes')
  const looked = vi.spyOn(String.prototype, 'charCodeAt')

  expect(matches(aDocument(text))).toBe(false)

  expect(includes.mock.calls.length).toBeLessThan(10)
  expect(looked.mock.calls.length).toBe(text.length)
})

it('contract 10.11 many tests of a long array go through it once', () => {
  const items = numbers(20_000)
  let reads = 0
  const list = new Proxy(items, {
    get(target, key, receiver) {
      if (typeof key === 'string' && /^\d+$/.test(key)) reads++
      return Reflect.get(target, key, receiver)
    },
  })
  const any = numbers(200).map((at): Test => ({ path: ['list'], operator: 'eq', value: `none ${at}` }))
  const filters = numbers(5).map(() => compileFilter({ all: [{ any }] }))

  const document = { ...aDocument(''), data: { list } }
  for (const matches of filters) expect(matches(document)).toBe(false)

  expect(reads).toBeLessThanOrEqual(items.length)
})

const byNumber = (one: number, other: number) => one - other
/** The parts that a text holds, by looking for one after the other. */
const held = (parts: readonly string[], text: string) => parts.flatMap((part, at) => (text.includes(part) ? [at] : []))
const found = (parts: readonly string[], text: string) => [...searchFor(parts)(text)].sort(byNumber)
/** Without a letter of any part, and long enough that the parts are not searched for one by one. */
const filler = '-'.repeat(60_000)

it.each([
  { how: 'whole', parts: ['ab', 'cd'], text: 'cdab' },
  { how: 'one in the other', parts: ['abc', 'b', 'bc', 'c'], text: 'abc' },
  { how: 'one as the start of another', parts: ['ab', 'abcd'], text: 'abc' },
  { how: 'at the end of a longer one that goes on differently', parts: ['abcx', 'bcd'], text: 'abcd' },
  { how: 'two levels up, in a part that is listed later', parts: ['abcd', 'bcx', 'cd'], text: 'abcd' },
  { how: 'two levels up, beyond one that goes on', parts: ['abcd', 'bcdx', 'cd'], text: 'abcd' },
  { how: 'at the end of ends', parts: ['xabc', 'yxabc', 'c', 'abc'], text: 'zyxabc' },
  { how: 'after what it begins with', parts: ['aab'], text: 'aaaab' },
  { how: 'twice in the list', parts: ['a', 'b', 'a'], text: 'a' },
  { how: 'empty', parts: ['', 'b'], text: 'a' },
])('a part is found in a short and in a long text: $how', ({ parts, text }) => {
  expect(found(parts, text)).toEqual(held(parts, text))
  expect(found(parts, filler + text)).toEqual(held(parts, text))
})

it('as many parts as a filter may have, as long as they may be, are not taken for one another', () => {
  const length = sizes.maxSearchCharacters
  const aPart = fc.string({ unit: fc.constantFrom(...'abcd'), minLength: length, maxLength: length })
  const parts = fc.sample(aPart, { numRuns: sizes.maxFilterTests, seed: 17 })

  expect(found(parts, parts.slice(0, 50).join('-'))).toEqual(numbers(50))
})

it('contract 10.11 a text is looked through until all parts are found, and each is recorded once', () => {
  const parts = ['a', 'aa', 'aaa', 'aaaa']
  const looked = vi.spyOn(String.prototype, 'charCodeAt')
  const recorded = vi.spyOn(Set.prototype, 'add')
  const searchAll = searchFor(parts)
  const searchMore = searchFor([...parts, 'b'])
  for (const search of [searchAll, searchMore]) search(filler)
  for (const calls of [looked, recorded]) calls.mockClear()

  searchAll(`aaaa${filler}`)
  const untilFound = looked.mock.calls.length
  searchMore(filler.replaceAll('-', 'a'))

  expect(untilFound).toBe(4)
  expect(recorded).toHaveBeenCalledTimes(2 * parts.length)
})

it('contract 10.11 few comparisons need nothing that is built first', () => {
  const looked = vi.spyOn(String.prototype, 'charCodeAt')

  searchFor(['ab', 'cd'])('abab')

  expect(looked).not.toHaveBeenCalled()
})

const someText = (maxLength: number) => fc.string({ unit: fc.constantFrom('a', 'b', 'é', '🍵'), maxLength })

it('a search finds what looking for one part after the other finds', () => {
  fc.assert(
    fc.property(fc.array(someText(6), { maxLength: 20 }), someText(40), (parts, text) => {
      expect(found(parts, text + filler)).toEqual(held(parts, text))
    }),
    { numRuns: 200 },
  )
})
