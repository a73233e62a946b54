import { expect, test } from 'vitest'
import { cut, textWidth } from './text-width.js'

const widths: readonly (readonly [text: string, columns: number])[] = [
  ['Hello', 5],
  ['日本語', 6],
  ['🎉', 2],
  ['👩‍👩‍👧', 2],
  ['🇨🇭', 2],
  ['☕', 2],
  ['é', 1],
  ['©™®', 3],
  ['✔ ❤', 3],
  ['❤️', 2],
  ['1️⃣', 2],
]

test.each(widths)('"%s" takes %i columns', (text, columns) => {
  expect(textWidth(text)).toBe(columns)
  expect(cut(text, columns)).toBe(text)
})

test('what is cut is never wider than its place, and no character is broken', () => {
  expect(cut('日本語', 5)).toBe('日本…')
  expect(cut('a👩‍👩‍👧b', 3)).toBe('a…')
})
