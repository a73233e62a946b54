import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { SvcError } from '../../client/index.js'
import type { EmulatorEvent } from '../../client/protocol/model/events/emulator-event.js'
import type { Session } from '../session/session.js'
import { openEvents } from './event-store.js'

const page = { visibilityState: 'visible', addEventListener: () => undefined, removeEventListener: () => undefined }
const reload = vi.fn()

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('document', page)
  vi.stubGlobal('location', { reload })
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  reload.mockReset()
})

const at = '2026-01-01T00:00:00.000Z'
const created = (id: string) => ({ kind: 'document.created', id, at }) as EmulatorEvent
const opened = (id: string) => ({ kind: 'stream.opened', id, at }) as EmulatorEvent
const missed = (id: string) => ({ kind: 'stream.missed', id, at, stream: { missed: null } }) as EmulatorEvent

/** Provides streams that the test opens, feeds and breaks. */
async function aWorld() {
  interface Stream {
    readonly from: object
    readonly signal: AbortSignal
    send(...events: EmulatorEvent[]): Promise<void>
    fail(error: Error): Promise<void>
  }
  const streams: Stream[] = []
  async function* stream({ signal, ...from }: { signal: AbortSignal }) {
    const sent: EmulatorEvent[] = []
    let failure: unknown
    let wake = () => {}
    const settle = async () => {
      wake()
      await vi.advanceTimersByTimeAsync(0)
    }
    signal.addEventListener('abort', () => {
      failure = signal.reason
      wake()
    })
    streams.push({
      from,
      signal,
      send: (...events) => {
        sent.push(...events)
        return settle()
      },
      fail: (error) => {
        failure = error
        return settle()
      },
    })
    for (;;) {
      yield* sent.splice(0)
      if (failure) throw failure
      await new Promise<void>((resolve) => (wake = resolve))
    }
  }
  const doubt = vi.fn()
  const session = { control: { events: { stream } }, guard: { doubt }, project: { id: 'test' } } as object as Session
  const store = openEvents(session)
  await vi.advanceTimersByTimeAsync(0)
  const batches: [ids: string[], isGap: boolean][] = []
  store.onBatch((events, isGap) => batches.push([events.map(({ id }) => id), isGap]))
  const last = () => {
    const stream = streams.at(-1)
    if (!stream) throw new Error('No stream is open.')
    return stream
  }
  return { store, streams, last, batches, doubt, ids: () => store.events().map(({ id }) => id) }
}

/** Waits longer than the batch delay. */
const flush = () => vi.advanceTimersByTimeAsync(100)
/** Waits longer than the retry delay. */
const anotherTry = () => vi.advanceTimersByTimeAsync(1_500)

test('marks missing events in one batch, and not in later ones', async () => {
  const { store, last, batches, ids } = await aWorld()

  await last().send(opened('0'), created('1'))
  await flush()
  await last().send(missed('5'))
  await flush()
  await last().send(missed('5'), created('6'))
  await flush()
  await last().send(created('7'))
  await flush()

  expect(batches).toEqual([
    [['1'], false],
    [['5 missed'], true],
    [['6'], true],
    [['7'], false],
  ])
  expect(ids()).toEqual(['7', '6', '5 missed', '1'])
  store.close()
})

test('resumes after the last event when a connection broke, and marks the first batch as a gap', async () => {
  const { store, streams, last, batches, doubt } = await aWorld()
  await last().send(opened('0'), created('1'))
  await flush()

  await last().fail(new SvcError('NETWORK', 'gone'))
  expect(store.connection()).toBe('lost')
  await anotherTry()
  await last().send(opened('1'))
  expect(store.connection()).toBe('open')
  await flush()
  await last().send(created('2'))
  await flush()

  expect(streams.map(({ from }) => from)).toEqual([
    { last: 100, project: 'test' },
    { since: '1', project: 'test' },
  ])
  expect(doubt).toHaveBeenCalledOnce()
  expect(batches).toEqual([
    [['1'], false],
    [[], true],
    [['2'], false],
  ])
  store.close()
})

test('reopens a stream that does not start within ten seconds, and keeps one that has started', async () => {
  const { store, streams, last } = await aWorld()

  await vi.advanceTimersByTimeAsync(9_999)
  expect([streams.length, last().signal.aborted, store.connection()]).toEqual([1, false, 'connecting'])
  await vi.advanceTimersByTimeAsync(1)
  expect([last().signal.aborted, store.connection()]).toEqual([true, 'lost'])
  await anotherTry()
  await last().send(opened('0'))
  await vi.advanceTimersByTimeAsync(3_600_000)

  expect([streams.length, last().signal.aborted, store.connection()]).toEqual([2, false, 'open'])
  store.close()
})

test.each([
  [401, 1, 1],
  [503, 0, 2],
])('a stream refused with %i reloads the page %i times, and is asked for %i times', async (status, reloads, asked) => {
  const { store, streams, last } = await aWorld()

  await last().fail(new SvcError('UNAVAILABLE', 'no', [], { status }))
  await anotherTry()

  expect([reload.mock.calls.length, streams.length]).toEqual([reloads, asked])
  store.close()
})

test('keeps the newest 300 events', async () => {
  const { store, last, ids } = await aWorld()

  await last().send(...Array.from({ length: 305 }, (_, n) => created(String(n))))
  await flush()

  expect([ids().length, ids().at(0), ids().at(-1)]).toEqual([300, '304', '5'])
  store.close()
})

test('backs off up to one second, and starts over after a stream has started', async () => {
  const { store, streams, last } = await aWorld()
  const broken = new SvcError('NETWORK', 'gone')
  const triedAfter = async (milliseconds: number) => {
    const before = streams.length
    await last().fail(broken)
    await vi.advanceTimersByTimeAsync(milliseconds - 1)
    expect(streams).toHaveLength(before)
    await vi.advanceTimersByTimeAsync(1)
    expect(streams).toHaveLength(before + 1)
  }

  for (const milliseconds of [250, 500, 1_000, 1_000]) await triedAfter(milliseconds)
  await last().send(opened('0'))

  await triedAfter(250)
  store.close()
})

test('ends its stream on close, opens no other, and delivers no more events', async () => {
  const { store, streams, last, batches } = await aWorld()
  await last().send(created('1'))

  store.close()
  expect(vi.getTimerCount()).toBe(0)
  await anotherTry()

  expect([last().signal.aborted, streams.length, batches]).toEqual([true, 1, []])
})
