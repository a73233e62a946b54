import { expect, it } from 'vitest'
import type { FieldRule } from '../../../client/protocol/model/collection.js'
import { checkAndSerialize, openCompleter } from './check-and-serialize.js'

it('contract 10.10 counts a schema of many fields for each document it checks', async () => {
  const rule: FieldRule = { type: 'string' }
  const schema = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`f${at}`, rule]))
  const collection = { name: 'posts', schema: { ...schema, last: { type: 'integer', default: 7 } as const } }
  const complete = openCompleter(collection)
  let [turns, isDone] = [0, false]
  const count = () => {
    turns++
    if (!isDone) setImmediate(count)
  }

  setImmediate(count)
  const texts = await checkAndSerialize(
    collection,
    Array.from({ length: 200 }, () => ({})),
    complete,
  )
  isDone = true

  expect(texts.map(({ text }) => text.json)).toEqual(Array(200).fill('{"last":7}'))
  // Two documents per turn.
  expect(turns).toBeGreaterThanOrEqual(90)
})
