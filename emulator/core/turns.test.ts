import { expect, it } from 'vitest'
import { openTurns } from './turns.js'

it('lets what is first go before all that waits, and does no more than so much at once', async () => {
  const turns = openTurns(1)
  const done: string[] = []
  let atWork = 0
  const work = (name: string) => async () => {
    expect(++atWork).toBe(1)
    await Promise.resolve()
    atWork -= 1
    done.push(name)
  }

  await Promise.all([
    turns.take(work('begun')),
    turns.take(work('waits')),
    turns.take(work('waits too')),
    turns.take(work('urgent'), { isFirst: true }),
  ])

  expect(done).toEqual(['begun', 'urgent', 'waits', 'waits too'])
})
