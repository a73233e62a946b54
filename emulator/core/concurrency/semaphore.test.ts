import { expect, it } from 'vitest'
import { createSemaphore } from './semaphore.js'

it('runs urgent work before everything that waits, and never exceeds the limit', async () => {
  const semaphore = createSemaphore(1)
  const done: string[] = []
  let atWork = 0
  const work = (name: string) => async () => {
    expect(++atWork).toBe(1)
    await Promise.resolve()
    atWork -= 1
    done.push(name)
  }

  await Promise.all([
    semaphore.run(work('begun')),
    semaphore.run(work('waits')),
    semaphore.run(work('waits too')),
    semaphore.run(work('urgent'), { isFirst: true }),
  ])

  expect(done).toEqual(['begun', 'urgent', 'waits', 'waits too'])
})
