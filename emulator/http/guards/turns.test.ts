import { expect, it, onTestFinished, vi } from 'vitest'
import { patiently } from '../../../test/fixtures/patience.js'
import { openTurns } from './turns.js'

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

it('limits the starts per turn of the event loop, and lets callers take turns', async () => {
  const turns = openTurns({ maxPerTurn: 2 })
  const begun: string[] = []
  async function begin(name: string, owners: string[]): Promise<void> {
    const wait = turns.take(owners)
    if (wait) await wait
    begun.push(name)
  }

  for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) void begin(name, ['a', 'key'])
  void begin('b1', ['b', 'key'])
  const seen = []
  for (let n = 0; n < 4; n++) {
    seen.push(begun.splice(0).join(' '))
    await turn()
  }

  expect(seen).toEqual(['a1 a2', 'a3 b1', 'a4 a5', ''])
  expect(turns.take(['a'])).toBeUndefined()
})

it('contract 10.10 begins 20 requests per turn', () => {
  const turns = openTurns()

  const waits = Array.from({ length: 25 }, () => turns.take(['a']))

  expect(waits.filter((wait) => wait === undefined)).toHaveLength(20)
})

it('begins nothing while it is busy, and then lets callers take turns', async () => {
  let isBusy = true
  const turns = openTurns({ maxPerTurn: 2, isBusy: () => isBusy })
  const begun: string[] = []
  for (const name of ['a1', 'a2', 'b1']) void turns.take([name.charAt(0)])?.then(() => begun.push(name))
  for (let n = 0; n < 5; n++) await turn()
  expect(begun).toEqual([])

  isBusy = false

  await vi.waitFor(() => expect(begun).toHaveLength(3), patiently)
  expect(begun).toEqual(['a1', 'b1', 'a2'])
})

it('contract 10.12 refuses what has waited for 30 seconds, and gives its start to the next', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  let isBusy = true
  const turns = openTurns({ maxPerTurn: 1, isBusy: () => isBusy })
  const begun: string[] = []
  const late = turns.take(['a'])
  vi.advanceTimersByTime(20_000)
  const next = turns.take(['a'])?.then(() => begun.push('next'))
  vi.advanceTimersByTime(10_000)

  await expect(late).rejects.toMatchObject({ code: 'UNAVAILABLE' })

  isBusy = false
  vi.advanceTimersByTime(1)
  await turn()
  await next
  expect(begun).toEqual(['next'])
})
