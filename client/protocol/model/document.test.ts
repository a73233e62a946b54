import { expect, it } from 'vitest'
import { mergeFields } from './document.js'
import type { Json } from './json.js'

/** An array that counts how often an item of it is looked at. */
function counted(items: readonly Json[]) {
  const looks = { count: 0 }
  const array = new Proxy([...items], {
    get(target, key, receiver) {
      if (typeof key === 'string' && /^\d+$/.test(key)) looks.count++
      return Reflect.get(target, key, receiver)
    },
  })
  return { array, looks }
}

const numbers = (from: number, count: number) => Array.from({ length: count }, (_, at) => from + at)

it.each(['append', 'remove'] as const)(
  'contract 10.10 $%s of many items looks at each of them, and of those there are, a few times',
  (operator) => {
    const before = counted(numbers(0, 10_000))
    const sent = counted(numbers(5_000, 6_000))

    const changes = { fields: {}, append: {}, remove: {}, unset: [], [operator]: { a: sent.array } }
    const { a } = mergeFields({ a: before.array }, changes)

    expect(a).toEqual(operator === 'append' ? numbers(0, 11_000) : numbers(0, 5_000))
    expect(before.looks.count).toBeLessThanOrEqual(4 * 10_000)
    expect(sent.looks.count).toBeLessThanOrEqual(4 * 6_000)
  },
)
