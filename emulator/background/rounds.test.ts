import { expect, it, vi } from 'vitest'
import { openRounds, type Round } from './rounds.js'

/** Work that counts its rounds, each of which lasts until it is let go. */
function heldWork() {
  const held: (() => void)[] = []
  return {
    began: 0,
    work(_: Round) {
      this.began += 1
      return new Promise<void>((resolve) => held.push(resolve))
    },
    letGo: () => held.shift()?.(),
  }
}

const report = (error: unknown) => expect.fail(String(error))

it('runs again, once, if it was asked while running', async () => {
  const counted = heldWork()
  const rounds = openRounds({ report, work: (round) => counted.work(round) })

  rounds.soon()
  for (let time = 0; time < 3; time++) rounds.soon()
  await expect.poll(() => counted.began).toBe(1)
  rounds.soon()
  counted.letGo()
  await expect.poll(() => counted.began).toBe(2)
  counted.letGo()
  await rounds.settled()

  expect(counted.began).toBe(2)
})

it('a round that is asked for takes the place of the first', async () => {
  vi.useFakeTimers()
  const counted = heldWork()
  const rounds = openRounds({ report, firstMilliseconds: 1_000, work: (round) => counted.work(round) })
  try {
    rounds.soon()
    await vi.advanceTimersByTimeAsync(2_000)
    counted.letGo()
    await vi.advanceTimersByTimeAsync(2_000)
    counted.letGo()
    await rounds.close()
  } finally {
    vi.useRealTimers()
  }

  expect(counted.began).toBe(1)
})

it('a round that was asked for in whichever moment between two is not lost', async () => {
  for (let turns = 0; turns < 12; turns++) {
    let began = 0
    const rounds = openRounds({ report, work: async () => void began++ })
    rounds.soon()
    for (let turn = 0; turn < turns; turn++) await undefined
    const before = began
    rounds.soon()
    await rounds.settled()

    expect([turns, began]).toEqual([turns, before + 1])
  }
})

it('closing waits for the round that runs, tells it to stop, and begins no other', async () => {
  const counted = heldWork()
  let received: Round | undefined
  const rounds = openRounds({
    report,
    work: (round) => {
      received = round
      return counted.work(round)
    },
  })
  rounds.soon()
  await expect.poll(() => counted.began).toBe(1)
  rounds.soon()

  const order: string[] = []
  const closing = rounds.close().then(() => order.push('closed'))
  expect(received?.isStopped()).toBe(true)
  await new Promise(setImmediate)
  order.push('let go')
  counted.letGo()
  await closing
  rounds.soon()
  await rounds.settled()

  expect([order, counted.began]).toEqual([['let go', 'closed'], 1])
})

it('a round that fails is reported, and the next one runs', async () => {
  const faults: unknown[] = []
  let began = 0
  const rounds = openRounds({
    report: (error) => faults.push(String(error)),
    work: async () => {
      began += 1
      if (began === 1) throw new Error('no connection')
    },
  })

  rounds.soon()
  await rounds.settled()
  rounds.soon()
  await rounds.settled()

  expect([began, faults]).toEqual([2, ['Error: no connection']])
})

it('who does not lead begins no round unasked, and runs those that it is asked for', async () => {
  let began = 0
  let questions = 0
  const leader = { leads: async () => ++questions === 0, close: async () => undefined }
  const work = async () => void began++
  const rounds = openRounds({ report, leader, everyMilliseconds: 1, work })

  await expect.poll(() => questions).toBeGreaterThan(5)
  expect(began).toBe(0)
  rounds.soon()
  await expect.poll(() => began).toBe(1)

  await rounds.close()
})
