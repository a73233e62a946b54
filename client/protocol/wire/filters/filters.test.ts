import { describe, expect, test } from 'vitest'
import { sizes } from '../../model/limits.js'
import { requireCountable, requireSearchable, requireShort, requireSpeakable } from './bounds.js'
import { filterSuffixes } from './decode.js'
import { suffixEncoders } from './encode.js'

describe('How a filter is spelled', () => {
  const { double, single, both } = filterSuffixes

  test.each([
    [double, 'views__gte', 'views', 'gte'],
    [double, 'a__b__contains', 'a__b', 'icontains'],
    [double, '__proto__', '__proto__', 'eq'],
    [double, 'a__9b', 'a__9b', 'eq'],
    [double, 'views_gte', 'views_gte', 'eq'],
    [single, 'views_gte', 'views', 'gte'],
    [single, 'views_contains', 'views', 'contains'],
    [single, 'views__gte', 'views__gte', 'eq'],
    [single, '_gte', '_gte', 'eq'],
    [both, 'views_gte', 'views', 'gte'],
    [both, 'views__gte', 'views', 'gte'],
    [both, 'views', 'views', 'eq'],
  ] as const)('%# %s', (family, name, field, operator) => {
    expect(family.decode(name)).toEqual({ field, operator })
  })

  test.each(['__gte', 'views__foo'])('"%s" has no such suffix', (name) => {
    expect(() => double.decode(name)).toThrow(
      expect.objectContaining({ code: 'INVALID_FILTER', message: expect.stringContaining('Known: __eq, __ne, __gt,') }),
    )
  })

  test.each([
    ['double', 'views', 'eq', 'views'],
    ['double', 'limit', 'eq', 'limit__eq'],
    ['double', 'a__b', 'eq', 'a__b__eq'],
    ['double', 'a__b__9', 'eq', 'a__b__9'],
    ['double', 'a__bcd__9', 'eq', 'a__bcd__9'],
    ['double', 'views', 'gte', 'views__gte'],
    ['double', 'views', 'contains', 'views__contains'],
    ['double', 'views', 'icontains', 'views__contains'],
    ['single', 'views', 'eq', 'views_eq'],
    ['single', 'views_', 'eq', undefined],
    ['single', 'views', 'startswith', undefined],
    ['both', 'views', 'eq', 'views'],
    ['both', 'views', 'contains', 'views_contains'],
    ['both', 'checked_in', 'eq', 'checked_in_eq'],
  ] as const)('%s: %s %s is written %s', (family, field, operator, name) => {
    expect(suffixEncoders[family](field, operator)).toBe(name)
  })
})

describe('How much a filter may ask', () => {
  const failure = (code: string, message: RegExp) =>
    expect.objectContaining({ code, message: expect.stringMatching(message) })

  test('as many tests as the limit says, counted together', () => {
    const count = { tests: 0 }

    expect(() => requireCountable(count, sizes.maxFilterTests - 1)).not.toThrow()
    expect(() => requireCountable(count, 1)).not.toThrow()
    expect(count.tests).toBe(sizes.maxFilterTests)
    expect(() => requireCountable(count, 1)).toThrow(failure('INVALID_FILTER', /at most \d+ tests/))
  })

  test.each(['contains', 'icontains', 'startswith', 'endswith'] as const)(
    'a text of %s is bounded by characters',
    (operator) => {
      const most = sizes.maxSearchCharacters

      expect(() => requireSearchable('name', operator, '🍵'.repeat(most))).not.toThrow()
      expect(() => requireSearchable('name', operator, 'x'.repeat(most + 1))).toThrow(
        failure('INVALID_FILTER', new RegExp(`^The text of "name" is too long \\(max ${most} characters`)),
      )
      expect(() => requireSearchable('n'.repeat(100), operator, 'x'.repeat(most + 1))).toThrow(
        failure('INVALID_FILTER', /of "n{80}" is too long/),
      )
      expect(() => requireSearchable('name', 'eq', 'x'.repeat(most + 1))).not.toThrow()
    },
  )

  test('as JSON, as many bytes as a query', () => {
    const filters = (bytes: number) => ({ a: 'x'.repeat(bytes - 8) })

    expect(() => requireShort(filters(sizes.maxQueryBytes))).not.toThrow()
    expect(() => requireShort(filters(sizes.maxQueryBytes + 1))).toThrow(failure('INVALID_QUERY', /max \d+ bytes/))
  })

  test('only what a database can be asked for', () => {
    expect(() => requireSpeakable('tea 🍵')).not.toThrow()
    expect(() => requireSpeakable('a\0')).toThrow(failure('INVALID_QUERY', /U\+0000/))
    expect(() => requireSpeakable('\ud83c')).toThrow(failure('INVALID_QUERY', /surrogate/))
  })
})
