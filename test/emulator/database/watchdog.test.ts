/** How long a statement of the embedded database may take. Contract 10.7. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Job } from '../../../emulator/database/pglite/protocol.js'
import { openWatchdog } from '../../../emulator/database/pglite/watchdog.js'
import { sql } from '../../../emulator/database/port.js'

const maxMilliseconds = 10_000

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function aJob(patient = false): Job {
  return { statements: [{ ...sql`select 1`, text: 'select 1', values: [], patient }], resolve() {}, reject() {} }
}

/** A watchdog of a job that the test sets, and how often it gave up. */
function aWatchdog(first: Job) {
  const seen: { atWork: Job | undefined; givenUp: number } = { atWork: first, givenUp: 0 }
  const watchdog = openWatchdog({ atWork: () => seen.atWork, maxMilliseconds, giveUp: () => seen.givenUp++ })
  watchdog.arm()
  return { seen, watchdog }
}

it('contract 10.7 a statement that travelled behind another has its own ten seconds, and not twice as many', () => {
  const { seen } = aWatchdog(aJob())

  vi.advanceTimersByTime(50)
  seen.atWork = aJob()
  vi.advanceTimersByTime(maxMilliseconds - 100)
  expect(seen.givenUp).toBe(0)
  vi.advanceTimersByTime(maxMilliseconds / 10)

  expect(seen.givenUp).toBe(1)
})

it('contract 10.7 many short statements are not counted as a long one', () => {
  const { seen } = aWatchdog(aJob())

  for (let at = 0; at < 100; at++) {
    seen.atWork = aJob()
    vi.advanceTimersByTime(maxMilliseconds / 2)
  }

  expect(seen.givenUp).toBe(0)
})

it('maintenance has its ten minutes', () => {
  const { seen } = aWatchdog(aJob(true))

  vi.advanceTimersByTime(590_000)
  expect(seen.givenUp).toBe(0)
  vi.advanceTimersByTime(20_000)

  expect(seen.givenUp).toBe(1)
})
