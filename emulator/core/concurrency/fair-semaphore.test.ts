import { expect, it } from 'vitest'
import { createFairSemaphore } from './fair-semaphore.js'

/** Work that ends on command, and the names of the work that has begun. */
function aWorkplace() {
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const work = (name: string) => () => {
    begun.push(name)
    return new Promise<void>((resolve) => ends.set(name, resolve))
  }
  async function end(name: string): Promise<void> {
    ends.get(name)?.()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { begun, work, end }
}

it('lets owners take turns, regardless of order and amount', async () => {
  const semaphore = createFairSemaphore({ limit: 1 })
  const { begun, work, end } = aWorkplace()

  for (const name of ['a1', 'a2', 'a3']) void semaphore.run(['a'], work(name))
  void semaphore.run(['b'], work('b1'))
  void semaphore.run(['c'], work('urgent'), { isFirst: true })
  expect(semaphore.waiting()).toBe(4)
  for (const name of ['a1', 'urgent', 'a2', 'b1', 'a3']) await end(name)

  expect(begun).toEqual(['a1', 'urgent', 'a2', 'b1', 'a3'])
  expect(semaphore.waiting()).toBe(0)
})

it('lets owners take turns in the work that goes first', async () => {
  const semaphore = createFairSemaphore({ limit: 1 })
  const { begun, work, end } = aWorkplace()

  for (const name of ['a1', 'a2', 'a3']) void semaphore.run(['a'], work(name), { isFirst: true })
  void semaphore.run(['b'], work('b1'), { isFirst: true })
  for (const name of ['a1', 'a2', 'b1', 'a3']) await end(name)

  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3'])
})

it('limits an owner to its share and gives the rest to others at once', async () => {
  const semaphore = createFairSemaphore({ limit: 4, maxPerOwner: 2 })
  const { begun, work, end } = aWorkplace()

  for (const name of ['a1', 'a2', 'a3', 'a4']) void semaphore.run(['a', name], work(name))
  for (const name of ['b1', 'b2', 'b3']) void semaphore.run(['b'], work(name))
  void semaphore.run(['c'], work('c1'))
  expect(begun).toEqual(['a1', 'a2', 'b1', 'b2'])
  await end('b1')
  await end('a1')
  await end('b2')

  expect(begun.slice(4)).toEqual(['b3', 'a3', 'c1'])
})

it('rejects work that has waited too long and frees its place', async () => {
  const patience = { maxMilliseconds: 1, tooLate: () => new Error('Too late.') }
  const semaphore = createFairSemaphore({ limit: 1, patience })
  const { begun, work, end } = aWorkplace()

  void semaphore.run(['a'], work('a1'))
  await expect(semaphore.run(['b'], work('b1'))).rejects.toThrow('Too late.')
  expect(semaphore.waiting()).toBe(0)
  await end('a1')
  void semaphore.run(['c'], work('c1'))

  expect(begun).toEqual(['a1', 'c1'])
})

it('frees the place of work that fails', async () => {
  const semaphore = createFairSemaphore({ limit: 1 })

  await expect(semaphore.run(['a'], () => Promise.reject(new Error('No.')))).rejects.toThrow('No.')

  expect(await semaphore.run(['a'], async () => 'done')).toBe('done')
})
