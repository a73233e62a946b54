import { expect, it, vi } from 'vitest'
import { openRounds, type Round } from './rounds.js'

/** Counts the rounds of its work, each of which lasts until released. */
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

it('runs once more if requested while running', async () => {
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

it('replaces the first round with a requested one', async () => {
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

it('never loses a request between two rounds', async () => {
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

it('tells the running round to stop on close, waits for it, and starts no other', async () => {
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

it('reports a failed round and runs the next one', async () => {
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

it('runs only requested rounds in a process that does not lead', async () => {
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
