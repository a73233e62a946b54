import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openWatchdog, type Watchdog } from './watchdog.js'

const mostMilliseconds = 6_000

let watchdog: Watchdog<string>
let silent: string[]
beforeEach(() => {
  vi.useFakeTimers()
  silent = []
  watchdog = openWatchdog(mostMilliseconds)
})
afterEach(() => {
  watchdog.close()
  vi.useRealTimers()
})

/** One that answers for as long as `isAlive` says so. */
function watch(name: string, isAlive: () => boolean = () => true) {
  watchdog.watch(name, {
    ask: () => void (isAlive() && watchdog.answered(name)),
    onSilent: () => void silent.push(name),
  })
}

it('reports the one that answers no more, once, and leaves the others alone', () => {
  let isAlive = true
  watch('a', () => isAlive)
  watch('b')
  vi.advanceTimersByTime(10 * mostMilliseconds)
  expect(silent).toEqual([])

  isAlive = false
  vi.advanceTimersByTime(mostMilliseconds - 1)
  expect(silent).toEqual([])
  vi.advanceTimersByTime(10 * mostMilliseconds)

  expect(silent).toEqual(['a'])
})

it('gives one that answers late all of its time again', () => {
  watch('a', () => false)

  for (let round = 0; round < 10; round++) {
    vi.advanceTimersByTime(mostMilliseconds - 1)
    watchdog.answered('a')
  }

  expect(silent).toEqual([])
})

it('a machine that slept wakes up with all of its workers, however long it was', () => {
  watch('a')
  // It was asked just before, and what it says comes after the primary has gone on.
  let isAsleep = true
  watch('b', () => !isAsleep)
  vi.advanceTimersByTime(mostMilliseconds / 6)

  vi.setSystemTime(Date.now() + 86_400_000)
  vi.advanceTimersByTime(mostMilliseconds / 6)
  isAsleep = false
  vi.advanceTimersByTime(10 * mostMilliseconds)

  expect(silent).toEqual([])
})

it('gives one that starts more time, until it is watched as the others are', () => {
  const onSilent = () => void silent.push('a')
  watchdog.watch('a', { times: 10, ask: () => undefined, onSilent })
  vi.advanceTimersByTime(9 * mostMilliseconds)
  expect(silent).toEqual([])

  watchdog.watch('a', { ask: () => undefined, onSilent })
  vi.advanceTimersByTime(2 * mostMilliseconds)

  expect(silent).toEqual(['a'])
})

it('removes one that has ended', () => {
  watch('a', () => false)

  watchdog.remove('a')
  vi.advanceTimersByTime(10 * mostMilliseconds)

  expect(silent).toEqual([])
})

it('with 0 watches none', () => {
  const asked = vi.fn()
  const idle = openWatchdog<string>(0)
  idle.watch('a', { ask: asked, onSilent: asked })

  vi.advanceTimersByTime(86_400_000)

  expect(asked).not.toHaveBeenCalled()
})
