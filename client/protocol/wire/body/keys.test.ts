import { expect, test } from 'vitest'
import { objectOfMany } from '../../model/json.js'

test('any key is an ordinary one, and the last of its name holds', () => {
  const members = objectOfMany([
    ['__proto__', 1],
    ['constructor', 2],
    ['a', 3],
    ['a', 4],
  ])

  expect(JSON.stringify(members)).toBe('{"__proto__":1,"constructor":2,"a":4}')
})
