import { expect, test } from 'vitest'
import { parseExactJson, withExactIntegers } from './exact-json.js'

test.each([
  ['9007199254740993', '9007199254740993'],
  ['-9007199254740993', '-9007199254740993'],
  ['12345678901234567890', '12345678901234567890'],
  [`1${'0'.repeat(400)}`, `1${'0'.repeat(400)}`],
  ['9007199254740992', 9007199254740992],
  ['12345678901234567000', 12345678901234567000],
  ['1000000000000000000000', 1e21],
  ['1234567890123456.5', 1234567890123456.5],
  ['1e20', 1e20],
  ['"12345678901234567890"', '12345678901234567890'],
  ['"\\"12345678901234567890"', '"12345678901234567890'],
])('%.40s is read as a number only if a number holds it', (text, value) => {
  const kept: string[] = []

  expect(parseExactJson(`{"a": [${text}], "12345678901234567890": 1}`, (literal) => kept.push(literal))).toEqual({
    a: [value],
    '12345678901234567890': 1,
  })
  expect(kept).toEqual(value === text ? [text] : [])
})

test('what is not JSON is refused as it was written', () => {
  expect(() => parseExactJson('{12345678901234567890: 1}')).toThrow(SyntaxError)
  expect(() => parseExactJson('[12345678901234567890x]')).toThrow(SyntaxError)
})

test('comments hold no number', () => {
  const text = '{ // don"t 12345678901234567890\n"a": 1 /* " 12345678901234567890 */, "b": 12345678901234567890 }'

  expect(withExactIntegers(text)).toBe(text.replace(/12345678901234567890 }$/, '"12345678901234567890" }'))
})
