/** Checks the SQL of field tests and which index it can use. where-parity.test.ts compares the results. */
import { describe, expect, it } from 'vitest'
import type { Path } from '../../../client/protocol/model/path.js'
import type { Operator, PlainTest } from '../../../client/protocol/model/where.js'
import { type Fragment, sql } from '../../database/port.js'
import { comparesAll, fieldTest, looksUpValues } from './field-test.js'
import { isOdd, isRegular } from './fields.js'
import type { KnownFields } from './indexes.js'

type Kind = Parameters<KnownFields['has']>[1]

const known = (...kinds: Kind[]): KnownFields => ({
  isSmall: false,
  has: (path, kind) => path.join('.') === 'field' && kinds.includes(kind),
})

function worded(test: PlainTest, help: Parameters<typeof fieldTest>[1] = {}): string {
  return plain(fieldTest(test, help))
}

/** Inserts the parameters into the text. */
const plain = ({ text, values }: Fragment) =>
  text.replaceAll(/\$(\d+)/g, (_, number) => JSON.stringify(values[Number(number) - 1])).replaceAll(/\s+/g, ' ')
const texts = (count: number) => Array.from({ length: count }, (_, at) => `text ${at}`)
const field: Path = ['field']
const collection = '01900000-0000-7000-8000-000000000000'
/** The SQL for the index over all data, and for looking up single values in it. */
const contained = '@>'
const lookedUp = 'gin_clean_pending_list'

describe('one of many values', () => {
  it.each<[Operator, number, boolean]>([
    ['in', 10, false],
    ['in', 11, true],
    ['notin', 11, false],
  ])('%s of %i', (operator, count, wanted) => {
    expect(looksUpValues({ path: field, operator, values: texts(count) } as PlainTest)).toBe(wanted)
  })

  it.each<[string, readonly string[], { foundIn?: string }, { contains: number; looksUp: boolean }]>([
    ['one', ['tea'], {}, { contains: 2, looksUp: false }],
    ['a number, which can also be a text', ['5'], {}, { contains: 4, looksUp: false }],
    ['as many as the index is used for', texts(10), { foundIn: collection }, { contains: 20, looksUp: false }],
    ['more', texts(11), {}, { contains: 1, looksUp: false }],
    ['more, where all matches are wanted', texts(11), { foundIn: collection }, { contains: 3, looksUp: true }],
    ['a repeated value', Array(200).fill('tea'), { foundIn: collection }, { contains: 2, looksUp: false }],
    ['only values that no document can contain', ['a\0'], {}, { contains: 0, looksUp: false }],
  ])('%s', (_, values, help, { contains, looksUp }) => {
    const words = worded({ path: field, operator: 'in', values }, help)

    expect([words.split(contained).length - 1, words.includes(lookedUp)]).toEqual([contains, looksUp])
  })

  it('of an array item is compared directly, because containment cannot express it', () => {
    const words = worded({ path: ['field', '0'], operator: 'eq', value: 'tea' })

    expect(words).not.toContain(`d.data ${contained}`)
    expect(words).toContain(`(d.data #> ["field","0"]::text[]) = any(["\\"tea\\""]::jsonb[])`)
  })

  it('in an object is tested as an object', () => {
    expect(worded({ path: ['a', 'b'], operator: 'eq', value: 'tea' })).toContain(JSON.stringify('{"a":{"b":"tea"}}'))
  })
})

describe('a field that no document can have', () => {
  it.each<[PlainTest, string]>([
    [{ path: ['a\0'], operator: 'isnull', isNull: true }, 'true'],
    [{ path: ['a\0'], operator: 'isnull', isNull: false }, 'false'],
    [{ path: ['a', '\ud83c'], operator: 'ne', value: 'x' }, 'true'],
    [{ path: ['a\0'], operator: 'notin', values: ['x'] }, 'true'],
    [{ path: ['a\0'], operator: 'eq', value: 'x' }, 'false'],
    [{ path: ['a\0'], operator: 'in', values: ['x'] }, 'false'],
    [{ path: ['a\0'], operator: 'gt', value: 'x' }, 'false'],
    [{ path: ['a\0'], operator: 'contains', value: 'x' }, 'false'],
  ])('%o', (test, wanted) => {
    expect(worded(test)).toBe(wanted)
  })

  it('has more levels than documents can have', () => {
    const path = (levels: number): Path => ['a', ...Array(levels - 1).fill('a')]
    const bounds = [{ path: path(65), operator: 'gt', value: 'x' }] as const

    expect(worded({ path: path(65), operator: 'eq', value: 'x' })).toBe('false')
    expect(worded({ path: path(64), operator: 'eq', value: 'x' })).not.toBe('false')
    expect(plain(comparesAll(path(65), bounds, {}))).toBe('false')
  })
})

describe('a text that no document can contain', () => {
  it.each<Operator>(['contains', 'icontains', 'startswith', 'endswith', 'gt', 'lte'])('%s', (operator) => {
    expect(worded({ path: field, operator, value: 'a\0' } as PlainTest)).toBe('false')
  })
})

describe('a comparison', () => {
  const regular = plain(isRegular(field))
  const odd = plain(isOdd(field))
  const countTimes = (words: string, part: string) => words.split(part).length - 1

  it.each<[string, string, KnownFields | undefined, { regular: number; odd: number; ranges: number }]>([
    ['of a text without an index', 'tea', undefined, { regular: 0, odd: 0, ranges: 1 }],
    ['of a text with an index over texts', 'tea', known('text'), { regular: 0, odd: 0, ranges: 1 }],
    ['of a text with an ascending index', 'tea', known('asc'), { regular: 1, odd: 1, ranges: 2 }],
    ['of a text with a descending index', 'tea', known('desc'), { regular: 1, odd: 1, ranges: 2 }],
    ['of a number without an index', '5', undefined, { regular: 0, odd: 0, ranges: 2 }],
    ['of a number with an index', '5', known('asc'), { regular: 2, odd: 1, ranges: 3 }],
  ])('%s', (_, value, fields, wanted) => {
    const words = worded({ path: field, operator: 'gt', value }, { known: fields })

    expect({
      regular: countTimes(words, regular),
      odd: countTimes(words, odd),
      ranges: countTimes(words, ' > in_order('),
    }).toEqual(wanted)
  })

  it.each<[Operator, string, KnownFields | undefined, boolean]>([
    ['gt', '5', undefined, true],
    ['gte', 'tea', known('text'), true],
    ['lt', '5', undefined, true],
    // The condition excludes the last value of its range.
    ['lte', '5', undefined, false],
    ['gt', '5', known('asc'), false],
    ['gt', '5', known('desc'), false],
  ])(
    '%s of %s extracts the field only once from most documents, if possible without an index',
    (operator, value, fields, wanted) => {
      const words = worded({ path: field, operator, value } as PlainTest, { known: fields })

      expect(words.includes('width_bucket')).toBe(wanted)
    },
  )

  it.each<[Operator, string, string]>([
    ['lt', 'tea', `>= in_order('""'::jsonb)`],
    ['lte', 'tea', `>= in_order('""'::jsonb)`],
    ['gt', 'tea', "< in_order('-1.7976931348623157e308'::jsonb)"],
    ['gte', 'tea', "< in_order('-1.7976931348623157e308'::jsonb)"],
    ['lt', '5', ">= in_order('-1.7976931348623157e308'::jsonb)"],
    ['lte', '5', ">= in_order('-1.7976931348623157e308'::jsonb)"],
    ['gt', '5', "< in_order('false'::jsonb)"],
    ['gte', '5', "< in_order('false'::jsonb)"],
  ])('%s of %s excludes other types', (operator, value, bound) => {
    expect(worded({ path: field, operator, value } as PlainTest)).toContain(bound)
  })
})

describe('a part of a text', () => {
  const first = 'lower('

  it.each<[Operator, KnownFields | undefined, boolean]>([
    ['startswith', undefined, false],
    ['startswith', known('asc', 'desc'), false],
    ['startswith', known('text'), true],
    ['endswith', undefined, false],
    ['endswith', known('asc', 'desc'), false],
    ['endswith', known('text'), true],
  ])('%s uses the index over texts only if it exists', (operator, fields, wanted) => {
    expect(worded({ path: field, operator, value: 'tea' } as PlainTest, { known: fields }).includes(first)).toBe(wanted)
  })

  it('matches any text in the index where JSON escapes characters', () => {
    const words = worded({ path: field, operator: 'contains', value: 'a"b\\c\nd%' })

    expect(words).toContain(plain(sql`${'%a%b%c%d\\%%'}::text`))
  })
})
