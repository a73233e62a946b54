import { expect, test } from 'vitest'
import type { Json } from '../../../client/protocol/model/json.js'
import { formatPath, isIndexSegment, parsePath, valueAt } from '../../../client/protocol/model/path.js'

const data: Json = { maker: { city: 'Delft', '0': 'zero' }, tags: ['hot', ['green', 'iced']], note: 'text', none: null }

const values: readonly (readonly [path: string, value: Json | undefined])[] = [
  ['note', 'text'],
  ['none', null],
  ['missing', undefined],
  ['maker.city', 'Delft'],
  ['maker.0', 'zero'],
  ['maker.missing', undefined],
  ['tags.0', 'hot'],
  ['tags.+0', 'hot'],
  ['tags. 0', 'hot'],
  ['tags.-1', ['green', 'iced']],
  ['tags.1.1', 'iced'],
  ['tags.2', undefined],
  ['tags.city', undefined],
  ['tags.length', undefined],
  ['note.0', undefined],
  ['note.length', undefined],
  ['none.city', undefined],
  ['maker.toString', undefined],
  ['maker.__proto__', undefined],
]

test.each(values)('the value at %s is %j', (path, value) => {
  expect(valueAt(data, parsePath(path))).toEqual(value)
})

test('a path of no names leads to the data themselves, where there are any', () => {
  expect(valueAt(data, [])).toBe(data)
  expect(valueAt(undefined, ['note'])).toBeUndefined()
})

test.each(['author', 'author.name', 'a..b', ''])('the path "%s" is written as it was read', (dotted) => {
  const path = parsePath(dotted)

  expect(path).toHaveLength(dotted.split('.').length)
  expect(formatPath(path)).toBe(dotted)
})

// As PostgreSQL parses integers.
const segments: readonly (readonly [segment: string, isIndex: boolean])[] = [
  ['0', true],
  ['12', true],
  ['+1', true],
  ['-12', true],
  [' \t\n\v\f\r1', true],
  ['', false],
  ['a', false],
  ['a1', false],
  ['1a', false],
  ['1 ', false],
  ['1.5', false],
  ['--1', false],
  ['+', false],
  ['*1', false],
  ['\u00a01', false],
]

test.each(segments)('whether the segment %j picks an item of an array: %s', (segment, isIndex) => {
  expect(isIndexSegment(segment)).toBe(isIndex)
})
