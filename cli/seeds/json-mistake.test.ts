import { expect, test } from 'vitest'
import { lineOfMistake } from './json-mistake.js'

const mistakes: readonly (readonly [text: string, line: number])[] = [
  ['', 1],
  ['\n\noops', 3],
  ['{\n"a": oops}', 2],
  ['[\n1,\n]', 3],
  ['{\n"a": 1,\n}', 3],
  ['{\n"a": 1\n"b": 2}', 3],
  ['[1,\n2 3]', 2],
  ['[1,\n{"a"}]', 2],
  ['[1,\n{a: 1}]', 2],
  ['["a\nb"]', 1],
  ['["x",\n"a\\x"]', 2],
  ['[\n01]', 2],
  ['[\n1.]', 2],
  ['{"a": [1}\n', 1],
  ['{"a": 1}\n{"b": 2}', 2],
  ['{"a": [\n1', 2],
  [']', 1],
]

test.each(mistakes)('%j stops being JSON on line %i', (text, line) => {
  expect(() => JSON.parse(text)).toThrow()
  expect(lineOfMistake(text)).toBe(line)
})

test('in what is JSON there is no mistake before its last line', () => {
  const text = JSON.stringify({ a: [1, -2.5e3, true, null, {}, [], ''], 'b"\\': { c: '\u2028é\n' } }, null, 1)

  expect(lineOfMistake(text)).toBe(text.split('\n').length)
})
