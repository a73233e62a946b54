import { describe, expect, it } from 'vitest'
import { SvcError } from '../../model/errors.js'
import { formatPath } from '../../model/path.js'
import { type PlainTest, type Where, withoutNot } from '../../model/where.js'
import { dialects, parseDialect } from '../dialects.js'
import { decodeFilters, decodeListQuery, parseQuery } from './decode.js'
import { encodeListQuery } from './encode.js'
import { formatQuery } from './format.js'

const asc = (...path: string[]) => ({ path, direction: 'asc' })
const desc = (...path: string[]) => ({ path, direction: 'desc' })
const shortTruth = (test: PlainTest) => ('isNull' in test ? test.isNull : 'exists' in test && test.exists)

/** A `Where` in short: clauses parted by " and ", tests by " or ". */
function short(where: Where): string {
  const tests = where.all.map(({ any }) =>
    any
      .map((given) => {
        const test = withoutNot(given)
        const value = 'values' in test ? test.values.join('|') : 'value' in test ? test.value : shortTruth(test)
        return `${given === test ? '' : 'not '}${formatPath(test.path)} ${test.operator} ${value}`
      })
      .join(' or '),
  )
  return tests.join(' and ')
}

const read = (dialect: string, query: string) => decodeListQuery(parseDialect(dialect), parseQuery(query))

describe('filters', () => {
  it.each([
    ['a', 'status=published', 'status eq published'],
    ['a', 'views__gte=100&views__lt=200', 'views gte 100 and views lt 200'],
    ['a', 'title__contains=tea', 'title icontains tea'],
    ['b', 'title_contains=tea', 'title contains tea'],
    ['b', 'title_icontains=tea', 'title icontains tea'],
    ['a', 'tags__in=a,b\\,c', 'tags in a|b,c'],
    ['a', 'tags__in=', 'tags in '],
    ['a', 'at__isnull=true', 'at isnull true'],
    ['a', 'checked_in=3', 'checked_in eq 3'],
    ['b', 'checked_in=3', 'checked in 3'],
    ['b', 'first_name=Ada', 'first_name eq Ada'],
    ['filters=single', 'a__gte=1', 'a__gte eq 1'],
    ['b', 'a__gte=1&b_gte=2&first_name=x', 'a gte 1 and b gte 2 and first_name eq x'],
    ['b', 'title__contains=tea', 'title icontains tea'],
    ['c', 'checked_in=3', 'checked_in eq 3'],
    ['a', '__proto__=1', '__proto__ eq 1'],
    ['a', 'author.role=admin', 'author.role eq admin'],
    ['a', 'created_at__gte=2026', 'createdAt gte 2026'],
    ['b', 'createdAt_gte=2026', 'createdAt gte 2026'],
    ['a', 'a=1&[or]b=2&[or]c=3', 'a eq 1 and b eq 2 or c eq 3'],
    ['a', '[or:x]a=1&[or:y]b=2&[or:x]c=3', 'a eq 1 or c eq 3 and b eq 2'],
    ['a', 'a__or__b__contains=t', 'a icontains t or b icontains t'],
    ['b', 'a__or__b_contains=t', 'a contains t or b contains t'],
    ['b', 'a__or__b__contains=t', 'a icontains t or b icontains t'],
    ['filters=single', 'a__or__b_contains=t', 'a contains t or b contains t'],
    ['filters=single', 'a__like__or__b_gte=1', 'a__like gte 1 or b gte 1'],
    ['b', 'checked_in__or__b_eq=3', 'checked_in eq 3 or b eq 3'],
    ['a', 'a__9__or__b__gte=1', 'a__9 gte 1 or b gte 1'],
    ['a', 'a__b__or__a__b__in=1', 'a__b in 1 or a__b in 1'],
    ['a', '[or]a__or__b=1&[or]c__gt=2', 'a eq 1 or b eq 1 or c gt 2'],
    ['a', 'a+b=%C3%BC%26', 'a b eq ü&'],
    ['a', '[not]views__gte=1', 'not views gte 1'],
    ['b', '[not]title_contains=t', 'not title contains t'],
    ['c', '[exists]at=true&[exists]a__or__b=false', 'at exists true and a exists false or b exists false'],
    ['b', '[exists]views_gte=true', 'views_gte exists true'],
    ['a', '[not][exists]at=true', 'not at exists true'],
    ['a', '[not]a__or__b__gt=1', 'not a gt 1 and not b gt 1'],
    ['a', '[not:x]a=1&[not:x]b=2&c=3', 'c eq 3 and not a eq 1 or not b eq 2'],
    ['a', '[not:x]a=1&[not:y]b=2', 'not a eq 1 and not b eq 2'],
    ['a', '[not:x][not]a=1&[not:x]b=2', 'a eq 1 or not b eq 2'],
    ['a', '[not:]a=1', 'not a eq 1'],
    ['a', '[not:x]a__or__b=1&[not:x]c=2', 'not a eq 1 or not c eq 2 and not b eq 1 or not c eq 2'],
    ['a', '[or:x]a=1&[or:x][not]b=2&[not][or:x][exists]c=true', 'a eq 1 or not b eq 2 or not c exists true'],
    ['a', '[or][not]a__or__b=1&[or]c=2', 'not a eq 1 or c eq 2 and not b eq 1 or c eq 2'],
    ['a', '[exists:x]a=true', '[exists:x]a eq true'],
  ])('in dialect %s, "%s" asks: %s', (dialect, query, meaning) => {
    expect(short(read(dialect, query).where)).toBe(meaning)
  })

  it.each([
    ['a', 'a__foo=1', 'INVALID_FILTER'],
    ['b', 'a__foo=1', 'INVALID_FILTER'],
    ['c', 'a__foo=1', 'INVALID_FILTER'],
    ['a', '__gte=1', 'INVALID_FILTER'],
    ['a', 'a__or__=1', 'INVALID_FILTER'],
    ['a', 'a__gte__or__b__gte=1', 'INVALID_FILTER'],
    ['a', 'a__eq__or__b=1', 'INVALID_FILTER'],
    ['b', 'a__like__or__b_contains=t', 'INVALID_FILTER'],
    ['c', '[or]a__or__b__like__or__c=t', 'INVALID_FILTER'],
    ['a', 'a__isnull=maybe', 'INVALID_FILTER'],
    ['a', '=1', 'INVALID_FILTER'],
    ['a', 'limit=-1', 'INVALID_QUERY'],
    ['a', 'limit=1e3', 'INVALID_QUERY'],
    ['a', 'limit=1&limit=2', 'INVALID_QUERY'],
    ['a', 'orderBy=a&sort_by=b', 'INVALID_QUERY'],
    ['a', 'orderBy=a&order=up', 'INVALID_QUERY'],
    ['a', 'orderBy=a,b&order=desc', 'INVALID_QUERY'],
    ['b', 'sort=-a&sort_order=asc', 'INVALID_QUERY'],
    ['a', 'orderBy=a,,b', 'INVALID_QUERY'],
    ['a', 'orderBy=-', 'INVALID_QUERY'],
    ['a', `orderBy=${'a,'.repeat(10)}a`, 'INVALID_QUERY'],
    ['a', 'select=', 'INVALID_QUERY'],
    ['a', 'select=a..b', 'INVALID_QUERY'],
    ['a', `select=${'a,'.repeat(200)}a`, 'INVALID_QUERY'],
    ['a', '[not][not]a=1', 'INVALID_FILTER'],
    ['a', '[or:x][not:y]a=1', 'INVALID_FILTER'],
    ['a', '[exists]a=yes', 'INVALID_FILTER'],
    ['a', '[exists]=true', 'INVALID_FILTER'],
    ['a', '[not]a__like=1', 'INVALID_FILTER'],
    ['a', `[not]a__in=${'x,'.repeat(200)}`, 'INVALID_FILTER'],
    // 3 fields in each of 5 conditions are 243 clauses.
    ['a', Array(5).fill('[not:x]a__or__b__or__c=1').join('&'), 'INVALID_FILTER'],
    // 2 fields in each of 6 conditions are 64 clauses of 6 tests.
    ['a', Array(6).fill('[not:x]a__or__b=1').join('&'), 'INVALID_FILTER'],
    ['a', 'count=perhaps', 'INVALID_QUERY'],
    ['a', 'populate=a.b.c.d.e.f', 'INVALID_QUERY'],
    ['a', Array.from({ length: 21 }, (_, n) => `populate=f${n}`).join('&'), 'INVALID_QUERY'],
    ['a', Array.from({ length: 201 }, (_, n) => `f${n}=1`).join('&'), 'INVALID_QUERY'],
    ['a', `a=${'x'.repeat(8192)}`, 'INVALID_QUERY'],
    ['a', 'a=%E0%A4%A', 'INVALID_QUERY'],
  ])('in dialect %s, "%.40s" is refused as %s', (dialect, query, code) => {
    expect(() => read(dialect, query)).toThrow(expect.objectContaining({ code }))
  })

  it.each([
    ['a', 'a__or__b', 'a eq x or b eq x and a eq y or b eq y'],
    ['b', 'a__or__b_contains', 'a contains x or b contains x and a contains y or b contains y'],
    ['b', '[or]a__or__b_in', 'a in x|y or b in x|y'],
    ['a', '[or:x__y]a', 'a eq x or a eq y'],
    ['a', '[or:x__y]a__in', 'a in x|y'],
  ])('of realtime take a list of values for several fields: in dialect %s, "%s"', (dialect, name, meaning) => {
    expect(short(decodeFilters(parseDialect(dialect), { [name]: ['x', 'y'] }))).toBe(meaning)
  })

  it('that a family has no words for are refused when they are written', () => {
    const where: Where = { all: [{ any: [{ path: ['title'], operator: 'startswith', value: 'T' }] }] }
    expect(() => encodeListQuery({ filters: 'single', order: 'asc' }, { where })).toThrow(SvcError)
    expect(formatQuery(encodeListQuery(dialects.b, { where }))).toBe('title__startswith=T')
  })
})

describe('the page', () => {
  it.each([
    ['a', '', { limit: 20, offset: 0, count: true, sort: [], select: [] }],
    ['b', '', { limit: 50 }],
    ['a', 'limit=1000', { limit: 100 }],
    ['b', 'limit=1000', { limit: 500 }],
    ['a', 'limit=0&offset=7&count=false', { limit: 0, offset: 7, count: false }],
    ['a', 'orderBy=views&order=desc', { sort: [{ path: ['views'], direction: 'desc' }] }],
    ['a', 'sort_by=views', { sort: [{ path: ['views'], direction: 'asc' }] }],
    ['b', 'orderBy=updated_at&order=desc', { sort: [{ path: ['updatedAt'], direction: 'desc' }] }],
    ['a', 'sort=a.b&order=asc', { sort: [{ path: ['a', 'b'], direction: 'asc' }] }],
    ['a', 'order=asc', { sort: [{ path: ['createdAt'], direction: 'asc' }] }],
    ['a', 'populate=a&populate=b.c', { populate: [['a'], ['b', 'c']] }],
    ['a', 'populate=a\\,b,c', { populate: [['a,b'], ['c']] }],
    ['a', 'orderBy=-views', { sort: [{ path: ['views'], direction: 'desc' }] }],
    ['b', 'sort=-a.b,c', { sort: [desc('a', 'b'), asc('c')] }],
    ['c', 'sort_by=a,-b', { sort: [asc('a'), desc('b')] }],
    ['a', 'orderBy=\\-a&order=desc', { sort: [desc('-a')] }],
    ['a', 'orderBy=a\\,b&order=desc', { sort: [desc('a,b')] }],
    ['a', 'orderBy=-\\-a', { sort: [desc('-a')] }],
    ['a', 'select=a,b.c&select=d\\,e', { select: [['a'], ['b', 'c'], ['d,e']] }],
    ['a', 'select=created_at', { select: [['createdAt']] }],
    [
      'a',
      'select__eq=5',
      { select: [], where: { all: [{ any: [{ path: ['select'], operator: 'eq', value: '5' }] }] } },
    ],
    ['b', 'select_eq=5', { select: [], where: { all: [{ any: [{ path: ['select'], operator: 'eq', value: '5' }] }] } }],
  ])('in dialect %s, "%s" is read', (dialect, query, expected) => {
    expect(read(dialect, query)).toMatchObject(expected)
  })
})

describe('svc-dialect', () => {
  it.each([
    ['b', dialects.b],
    ['a, document=flat, errors=detail', { ...dialects.a, document: 'flat', errors: 'detail' }],
    [' a ,document = flat', { ...dialects.a, document: 'flat' }],
    ['errors=detail', { ...dialects.c, errors: 'detail' }],
    ['', dialects.c],
  ])('"%s" is read on top of the project\'s own', (text, dialect) => {
    expect(parseDialect(text, dialects.c)).toEqual(dialect)
  })

  it.each([
    'e',
    'a, b',
    'a, flat',
    'a, colour=red',
    'a, document=round',
    'document=flat, document=snake',
    'a,',
    'constructor',
  ])('"%s" is refused, and the choices are named', (text) => {
    expect(() => parseDialect(text)).toThrow(expect.objectContaining({ code: 'INVALID_DIALECT' }))
  })
})
