import { expect, it } from 'vitest'
import { pascalCase } from './names.js'

it.each([
  ['order_lines', 'OrderLines'],
  ['co₂', 'Co'],
  ['fläche_m²', 'FlächeM'],
  ['½', 'T'],
  ['①b', 'B'],
  ['kapitel_Ⅳ', 'KapitelⅣ'],
  ['2nd', 'T2nd'],
])('makes of "%s" the name %s, which a language takes', (text, name) => {
  expect(pascalCase(text)).toBe(name)
  expect(() => new Function(`let ${name}`)).not.toThrow()
})
