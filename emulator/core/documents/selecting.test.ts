import { expect, test } from 'vitest'
import { JsonText } from '../../../client/protocol/model/json.js'
import type { Path } from '../../../client/protocol/model/path.js'
import { type Branches, buildSelection, selectFields } from './selecting.js'

/** Counts how often all selected fields are walked. */
class CountedBranches extends Map<string, Branches> implements Branches {
  walks = 0

  override [Symbol.iterator]() {
    this.walks++
    return super[Symbol.iterator]()
  }
}

test('the work of a selection depends on the fields of the items, not on the number of selected fields', () => {
  const names = Array.from({ length: 200 }, (_, at) => `name${at}`)
  const below = new CountedBranches(names.map((name) => [name, new Map()]))
  const items = new JsonText(JSON.stringify({ items: [...Array(1_000).fill({}), { name7: 1, other: 2 }] }))

  const selected = selectFields(items, new Map([['items', below]]), new Map())

  expect(selected.toJSON()).toEqual({ items: [...Array(1_000).fill({}), { name7: 1 }] })
  expect(below.walks).toBe(0)
})

test('a selection keeps names that JavaScript has a meaning for', () => {
  const paths: Path[] = [['__proto__', 'a'], ['constructor']]
  const data = new JsonText('{"__proto__":{"a":1,"b":2},"constructor":3,"toString":4}')

  expect(selectFields(data, buildSelection(paths), new Map()).text).toBe('{"__proto__":{"a":1},"constructor":3}')
})
