import { expect, test } from 'vitest'
import { merge, withTheirs } from './merge.js'

test('merges fields that only one side changed, and offers a choice for the others', () => {
  const base = { same: 1, mine: 1, theirs: 1, both: 1, alike: 1, goneMine: 1, goneTheirs: 1, fought: 1 }
  const mine = { same: 1, mine: 2, theirs: 1, both: 2, alike: 2, goneTheirs: 1, fought: 2, newMine: [1] }
  const theirs = { same: 1, mine: 1, theirs: 3, both: 3, alike: 2, goneMine: 1, newTheirs: { a: 1 } }

  const { data, choices } = merge(base, mine, theirs)

  expect(data).toEqual({ same: 1, mine: 2, theirs: 3, both: 2, alike: 2, fought: 2, newMine: [1], newTheirs: { a: 1 } })
  expect(choices).toEqual([
    { field: 'both', mine: 2, theirs: 3 },
    { field: 'fought', mine: 2, theirs: undefined },
  ])
  const chosen = choices.reduce(withTheirs, data)
  expect(chosen).toEqual({ same: 1, mine: 2, theirs: 3, both: 3, alike: 2, newMine: [1], newTheirs: { a: 1 } })
})

test('a field called __proto__ is a field', () => {
  const mine = JSON.parse('{"__proto__": {"a": 1}}')

  const { data } = merge({}, mine, {})

  expect(JSON.stringify(data)).toBe('{"__proto__":{"a":1}}')
  expect(Object.getPrototypeOf(data)).toBe(Object.prototype)
})
