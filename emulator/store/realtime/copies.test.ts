import { expect, it } from 'vitest'
import { inGroups } from './copies.js'

it.each([2, 15, 16, 17, 32, 33, 100])('groups %i documents by sixteen, in order', (count) => {
  const documents = Array.from({ length: count }, (_, n) => ({ json: JSON.stringify({ n, text: '],[' }) }))

  const groups: { n: number }[][] = JSON.parse(inGroups(documents))

  expect(groups.flat().map(({ n }) => n)).toEqual(documents.map((_, n) => n))
  expect(groups.slice(0, -1).every(({ length }) => length === 16)).toBe(true)
  expect(groups).toHaveLength(Math.ceil(count / 16))
})
