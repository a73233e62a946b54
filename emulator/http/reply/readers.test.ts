import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openReaders } from './readers.js'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }))
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

const seconds = (count: number) => vi.advanceTimersByTime(count * 1_000)

/** An endless answer, to a reader that takes this many bytes every so many seconds. */
function anAnswer(bytes = 0, everySeconds = 1) {
  const socket = { bytesWritten: 0, writableLength: 0 }
  const answer = Object.assign(new EventEmitter(), {
    ...{ socket, writableLength: 10_000, writableFinished: false, destroyed: false },
    req: { socket: { destroy: () => undefined } },
    destroy() {
      answer.destroyed = true
      answer.emit('close')
    },
  })
  setInterval(() => {
    socket.bytesWritten += bytes
  }, everySeconds * 1_000)
  return answer
}

const limits = { minBytesPerSecond: 1_000, maxSecondsBehind: 100, maxFiles: 2, graceSeconds: 5 }
const room = { send: () => () => undefined }

it.each([
  { takes: 'nothing', bytes: 0, closedAfter: 100 },
  { takes: 'a few bytes again and again', bytes: 10, closedAfter: 101 },
  { takes: 'half of what it should', bytes: 500, closedAfter: 200 },
])('contract 10.10 closes a reader that takes $takes once it is too far behind', ({ bytes, closedAfter }) => {
  const answer = anAnswer(bytes)
  openReaders(limits).watch(answer, room, 0)

  seconds(closedAfter - 2)
  const before = answer.destroyed
  seconds(4)

  expect([before, answer.destroyed]).toEqual([false, true])
})

it.each([
  { reader: 'takes what it should', bytes: 1_000, everySeconds: 1 },
  { reader: 'is seen to take much at once, and nothing in between', bytes: 99_000, everySeconds: 99 },
])('contract 10.10 never closes a reader that $reader', ({ bytes, everySeconds }) => {
  const answer = anAnswer(bytes, everySeconds)
  openReaders(limits).watch(answer, room, 0)

  seconds(10_000)

  expect(answer.destroyed).toBe(false)
})

it('contract 10.10 closes a stalled reader at the same time even if it was fast before', () => {
  const answer = anAnswer()
  openReaders(limits).watch(answer, room, 0)
  seconds(10)
  answer.socket.bytesWritten += 10_000_000

  seconds(103)

  expect(answer.destroyed).toBe(true)
})

it('contract 10.10 closes no reader while nothing is buffered for it, or while this process is blocked', () => {
  const [quick, slow] = [anAnswer(), anAnswer()]
  quick.writableLength = 0
  const readers = openReaders(limits)
  readers.watch(quick, room, 0)
  readers.watch(slow, room, 0)

  seconds(90)
  const now = performance.now()
  vi.spyOn(performance, 'now').mockReturnValue(now + 3_600_000)
  seconds(2)

  expect([quick.destroyed, slow.destroyed]).toEqual([false, false])
})

it('contract 10.10 closes the slowest readers of files over the limit, but none that has just begun', () => {
  const [slowest, slow, young] = [anAnswer(2_000), anAnswer(3_000), anAnswer()]
  const readers = openReaders(limits)
  readers.watch(slow, room, 0, 'file')
  readers.watch(slowest, room, 0, 'file')
  seconds(10)

  readers.watch(young, room, 0, 'file')
  readers.watch(anAnswer(), room, 0)

  expect([slowest, slow, young].map(({ destroyed }) => destroyed)).toEqual([true, false, false])
  seconds(1)
  readers.watch(anAnswer(), room, 0, 'file')
  expect([slow, young].map(({ destroyed }) => destroyed)).toEqual([true, false])
})
