import { expect, test } from 'vitest'
import { compilePattern } from './pattern.js'

function compile(pattern: string) {
  const compiled = compilePattern(pattern)
  if ('problem' in compiled) throw new Error(compiled.problem)
  return compiled
}

const patterns = [
  '',
  'a',
  'ab|c',
  '(ab|c)*d',
  '[a-z0-9]+(?:-[a-z0-9]+)*',
  '^[A-Z]{2}\\d{4}$',
  'a{2,3}',
  'a{2,}b?',
  '(a+)+b',
  '(a|aa)*?b',
  '(?<year>\\d{4})-(\\d\\d)',
  '.+@.+',
  '[^a]\\]*',
  '[\\]a]+',
  '\\p{Lu}\\u00e9*',
  '\\u{1F600}+',
  '\\uD83D\\uDE00',
  'x{0}y',
  '(|a)b',
  '()*a',
  '(a*)*',
  '(a?){3}',
  '[]',
  '[^]',
  '\\.\\*\\x41',
  'é|ü',
  'a{1,2}',
]
const texts = [
  '',
  'a',
  'ab',
  'c',
  'abcd',
  'd',
  'aa',
  'aaa',
  'aaaa',
  'aab',
  'aaaab',
  'b',
  'AB1234',
  'ab-c1-d',
  'ab-',
  '2026-01',
  'a@b',
  'é',
  'Éé',
  'Aéé',
  '😀',
  '😀😀',
  ']',
  ']a',
  'y',
  'xy',
  '.*A',
  '\n',
  'ü',
]

test.each(patterns)('matches the whole text like JavaScript: %s', (pattern) => {
  const { matches } = compile(pattern)
  const expression = new RegExp(`^(?:${pattern})$`, 'u')

  for (const text of texts) expect([text, matches(text)]).toEqual([text, expression.test(text)])
})

test.each([
  ['(', 'valid'],
  ['[z-a]', 'valid'],
  ['a{2,1}', 'valid'],
  ['(a)\\1', 'linear'],
  ['(?<n>a)\\k<n>', 'linear'],
  ['(?=a)b', 'linear'],
  ['(?!a)b', 'linear'],
  ['(?<=a)b', 'linear'],
  ['(?<!a)b', 'linear'],
  ['\\ba', 'linear'],
  ['a^b', 'linear'],
  ['(a{99}){99}', 'steps'],
  ['(((a{50}){50}){50}){50}', 'steps'],
  ['.{601}', 'steps'],
])('refuses %s', (pattern, word) => {
  expect(compilePattern(pattern)).toEqual({ problem: expect.stringContaining(word) })
})

test('remembers a bounded number of states and characters, and stays right', () => {
  const { matches } = compile('(?:a|b)*a(?:a|b){12}')
  const text = Array.from({ length: 5_000 }, (_, at) => ((at * 7_919) % 13 < 6 ? 'a' : 'b')).join('')
  const letters = Array.from({ length: 1_000 }, (_, at) => String.fromCodePoint(0x4e00 + at)).join('')

  expect(matches(`${text}a${'b'.repeat(12)}`)).toBe(true)
  expect(matches(`${text}b${'b'.repeat(12)}`)).toBe(false)
  expect(compile('[^a]*').matches(letters)).toBe(true)
  expect(compile('[^a]*').matches(`${letters}a`)).toBe(false)
})

test('gives up when a text takes more work than allowed, and costs little where states are remembered', () => {
  const { matches } = compile('[ab]*a[ab]{250}')
  const random = { work: 0, most: 1_000_000 }
  const plain = { work: 0, most: 1_000_000 }

  expect(matches(scramble(40_000), random)).toBe(false)
  expect(random.work).toBeGreaterThan(random.most)
  expect(compile('(?:(?:a+)+)+b').matches(`${'a'.repeat(900_000)}b`, plain)).toBe(true)
  expect(plain.work).toBeLessThan(plain.most)
})

/** Letters without a period, from a linear congruential generator. */
function scramble(length: number): string {
  let seed = 1
  return Array.from({ length }, () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return seed > 1_073_741_824 ? 'a' : 'b'
  }).join('')
}
