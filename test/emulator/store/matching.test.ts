/** The cost of matching a document: counted, since times on a busy machine say nothing. Contract 10.11. */
import fc from 'fast-check'
import { afterEach, expect, it, vi } from 'vitest'
import type { Test } from '../../../client/protocol/model/where.js'
import { type Matchable, predicateOf } from '../../../emulator/core/realtime/matching.js'
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
  const filters = numbers(10).map((at) => predicateOf(aFilter('icontains', String(at))))
  const lowered = vi.spyOn(String.prototype, 'toLowerCase')

  for (const matches of filters) expect(matches(document)).toBe(false)

  expect(lowered).toHaveBeenCalledTimes(1)
})

it('contract 10.11 a text is looked through once for everything that a filter looks for', () => {
  const text = 'Q'.repeat(100_000)
  const matches = predicateOf(aFilter('contains', 'Q'))
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
  const filters = numbers(5).map(() => predicateOf({ all: [{ any }] }))

  const document = { ...aDocument(''), data: { list } }
  for (const matches of filters) expect(matches(document)).toBe(false)

  expect(reads).toBeLessThanOrEqual(items.length)
})

const someText = (maxLength: number) => fc.string({ unit: fc.constantFrom('a', 'b', 'é', '🍵'), maxLength })

it('a search finds what looking for one part after the other finds', () => {
  fc.assert(
    fc.property(fc.array(someText(6), { maxLength: 20 }), someText(40), (parts, start) => {
      // Long enough that the parts are not searched for one by one.
      const text = start + 'c'.repeat(60_000)
      const found = parts.flatMap((part, at) => (text.includes(part) ? [at] : []))
      expect([...searchFor(parts)(text)].sort((one, other) => one - other)).toEqual(found)
    }),
    { numRuns: 200 },
  )
})
