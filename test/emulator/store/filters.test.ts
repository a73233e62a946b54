/**
 * What filters mean, as tables: which documents a subscription's filter matches.
 * `where-parity.test.ts` holds the meaning in SQL to this one.
 */
import { describe, expect, test } from 'vitest'
import type { Json } from '../../../client/protocol/model/json.js'
import { lowerCase, type Matchable, matches } from '../../../client/protocol/model/matching.js'
import type { Path } from '../../../client/protocol/model/path.js'
import {
  canHold,
  type Operator,
  ownField,
  parseMeanings,
  parseNumber,
  type Test,
} from '../../../client/protocol/model/where.js'
import { compileFilter } from '../../../emulator/core/realtime/matching.js'

function aTest(path: Path, operator: Operator, value: string | readonly string[] | boolean): Test {
  if (operator === 'isnull') return { path, operator, isNull: value as boolean }
  if (operator === 'exists') return { path, operator, exists: value as boolean }
  if (operator === 'in' || operator === 'notin') return { path, operator, values: value as readonly string[] }
  return { path, operator, value: value as string }
}

const document = (field?: Json): Matchable => ({
  id: '01900000-0000-7000-8000-000000000001',
  createdAt: '2026-01-02T03:04:05.678Z',
  updatedAt: '2027-01-02T03:04:05.678Z',
  data: field === undefined ? {} : { field },
})
const holds = (test: Test, field?: Json) => matches({ all: [{ any: [test] }] }, document(field))

type Case = readonly [
  operator: Operator,
  value: string | readonly string[] | boolean,
  field: Json | undefined,
  holds: boolean,
]
const cases: readonly Case[] = [
  ['eq', 'tea', 'tea', true],
  ['eq', 'tea', 'Tea', false],
  ['eq', '5', 5, true],
  ['eq', '5', '5', true],
  ['eq', '5.0', 5, true],
  ['eq', '05', 5, false],
  ['eq', 'true', true, true],
  ['eq', 'true', false, false],
  ['eq', 'false', false, true],
  ['eq', 'null', null, true],
  ['eq', 'null', undefined, false],
  ['eq', 'undefined', undefined, false],
  ['eq', 'tea', ['x', 'tea'], true],
  ['eq', '5', ['x', 5], true],
  ['eq', 'tea', ['x', ['tea']], false],
  ['eq', 'tea', [], false],
  ['eq', 'tea', { a: 'tea' }, false],
  ['eq', 'a\0', 'a', false],
  ['ne', 'a\0', 'a', true],
  ['ne', 'tea', 'tea', false],
  ['ne', 'tea', 'x', true],
  ['ne', 'tea', undefined, true],
  ['ne', 'tea', ['x', 'tea'], false],
  ['in', ['x', '5'], 5, true],
  ['in', ['x', 'y'], 'y', true],
  ['in', ['x', 'y'], 'z', false],
  ['in', [], 'z', false],
  ['notin', ['x', 'y'], 'y', false],
  ['notin', ['x', 'y'], 'z', true],
  ['notin', ['x', 'y'], undefined, true],
  ['isnull', true, null, true],
  ['isnull', true, undefined, true],
  ['isnull', true, 0, false],
  ['isnull', false, null, false],
  ['isnull', false, undefined, false],
  ['isnull', false, '', true],
  ['gt', '5', 6, true],
  ['gt', '5', 5, false],
  ['gt', '5', 4, false],
  ['gte', '5', 5, true],
  ['gte', '5', 4.9, false],
  ['lt', '5', 4, true],
  ['lt', '5', 5, false],
  ['lte', '5', 5, true],
  ['lte', '5', 5.1, false],
  ['gt', '5', '50', true],
  ['gt', '5', '5', false],
  ['gt', 'b', 'a', false],
  ['gt', 'a', 'b', true],
  ['lt', 'ab', 'a', true],
  ['lt', 'a', 'ab', false],
  ['gte', 'a', 'a', true],
  ['lte', 'a', 'a', true],
  ['gt', 'tea', 5, false],
  ['lt', 'tea', 5, false],
  ['gt', '', 5, false],
  ['gt', '0', true, false],
  ['gt', '0', [5], false],
  ['gt', '0', null, false],
  ['gte', '-1', undefined, false],
  ['gt', '\uffff', '🍵', true],
  ['lt', '🍵', '\uffff', true],
  ['lt', '\ue000', '\ud7ff', true],
  ['gt', '🍵', '🍶', true],
  ['lt', '\ue000', '\uefff', false],
  ['gt', '\uffff', '\u{10000}', true],
  ['gt', 'a\0', 'b', false],
  ['lt', 'b\0', 'a', false],
  ['contains', '\ud83c', '🍵', false],
  ['contains', 'ea', 'tea', true],
  ['contains', 'EA', 'tea', false],
  ['contains', '', 'tea', true],
  ['contains', 'ea', ['x', 'tea'], true],
  ['contains', 'ea', ['x', ['tea']], false],
  ['contains', 'ea', ['x', 5], false],
  ['contains', '5', 5, false],
  ['contains', 'ea', null, false],
  ['contains', 'ea', undefined, false],
  ['contains', 'ea', { a: 'tea' }, false],
  ['icontains', 'EA', 'tea', true],
  ['icontains', 'ea', 'TEA', true],
  ['icontains', 'eb', 'TEA', false],
  ['icontains', 'EA', ['x', 'Tea'], true],
  ['icontains', 'ΑΣ', 'ας', false],
  ['icontains', 'ΑΣ', 'ασ', true],
  ['icontains', 'i', 'İ', true],
  ['startswith', 'te', 'tea', true],
  ['startswith', 'ea', 'tea', false],
  ['startswith', 'te', ['tea'], false],
  ['startswith', '5', 5, false],
  ['endswith', 'ea', 'tea', true],
  ['endswith', 'te', 'tea', false],
  ['endswith', 'ea', ['tea'], false],
  ['endswith', '5', 5, false],
]

describe('Which documents a filter holds for', () => {
  test.each(cases)('%s %j of %j: %s', (operator, value, field, isMet) => {
    expect(holds(aTest(['field'], operator, value), field)).toBe(isMet)
  })

  test("the service's own fields win over those of the data, and a longer path leads into the data", () => {
    const own = { ...document(), data: { id: 'mine', createdAt: { at: 'x' } } }
    const one = (path: Path, value: string) => matches({ all: [{ any: [aTest(path, 'eq', value)] }] }, own)

    expect(one(['id'], own.id)).toBe(true)
    expect(one(['id'], 'mine')).toBe(false)
    expect(one(['createdAt'], own.createdAt)).toBe(true)
    expect(one(['updatedAt'], own.updatedAt)).toBe(true)
    expect(one(['createdAt', 'at'], 'x')).toBe(true)
  })

  test('every clause holds, and any test of a clause is enough', () => {
    const [yes, no] = [aTest(['field'], 'eq', 'tea'), aTest(['field'], 'eq', 'x')]
    const where = (...all: Test[][]) => matches({ all: all.map((any) => ({ any })) }, document('tea'))

    expect(where()).toBe(true)
    expect(where([yes], [yes])).toBe(true)
    expect(where([yes], [no])).toBe(false)
    expect(where([no, yes], [yes])).toBe(true)
    expect(where([])).toBe(false)
  })

  test('parts of one filter are told apart, in one document after the other', () => {
    const part = (value: string, operator: Operator = 'contains') => ({ any: [aTest(['field'], operator, value)] })
    const both = compileFilter({ all: [part('tea'), part('POT', 'icontains'), part('hot')] })

    expect(both(document('a hot teapot'))).toBe(true)
    expect(both(document('a hot tea'))).toBe(false)
    expect(both(document(['hot', 'tea', 'pot', 'cold']))).toBe(true)
    expect(both(document(['hot', 'tea']))).toBe(false)
    expect(both(document('a hot teapot'))).toBe(true)
  })

  test('each letter has its lower case by itself', () => {
    expect(lowerCase('ΑΣ ÀİI')).toBe('ας àii'.replace('ς', 'σ'))
  })
})

describe('What a text means', () => {
  test.each<[string, readonly Json[]]>([
    ['tea', ['tea']],
    ['5', ['5', 5]],
    ['true', ['true', true]],
    ['false', ['false', false]],
    ['null', ['null', null]],
    ['toString', ['toString']],
    ['', ['']],
  ])('%j equals %j', (text, meanings) => {
    expect(parseMeanings(text)).toEqual(meanings)
  })

  test.each([
    ['0', 0],
    ['-0', -0],
    ['10', 10],
    ['-12.50', -12.5],
    ['1e3', 1_000],
    ['1E+3', 1_000],
    ['12e-10', 12e-10],
    ['1.25', 1.25],
    ...[
      '',
      '-',
      '+1',
      '01',
      '00',
      '.5',
      '5.',
      'x5',
      '5x',
      '1e',
      '1e+',
      '1e400',
      '0x1',
      ' 5',
      '5 ',
      'NaN',
      'Infinity',
      '1.e5',
      '1ee5',
      '1.x',
      'e5',
    ].map((text) => [text, undefined] as const),
  ] as const)('%j spells the number %s', (text, number) => {
    expect(parseNumber(text)).toBe(number)
  })

  test('no document holds U+0000 or half of a character', () => {
    expect(canHold('tea 🍵')).toBe(true)
    expect(canHold('a\0')).toBe(false)
    expect(canHold('\ud83c')).toBe(false)
  })

  test('the service has three fields of its own', () => {
    expect(['id', 'createdAt', 'updatedAt', 'field'].map((name) => ownField([name]))).toEqual([
      ...['id', 'createdAt', 'updatedAt'],
      undefined,
    ])
    expect(ownField(['id', 'id'])).toBeUndefined()
  })
})
