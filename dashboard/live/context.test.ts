import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { EmulatorEvent } from '../../client/protocol/model/events/emulator-event.js'
import { refetchShown } from '../parts/refetch-shown.js'
import { openReader } from './context.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const changed = { kind: 'document.updated', id: '1', document: { id: 'd1', collection: 'posts' } } as EmulatorEvent
const documents = ['documents', 'posts']

/** Shows a query, and lets the test answer its fetches in order. */
function aPage(queryKey: readonly string[]) {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false, networkMode: 'always' } } })
  const fetches: { answer(text: string): Promise<void> }[] = []
  const queryFn = () =>
    new Promise<string>((resolve) => {
      const answer = (text: string) => {
        resolve(text)
        return vi.advanceTimersByTimeAsync(0).then(() => undefined)
      }
      fetches.push({ answer })
    })
  const observer = new QueryObserver(queries, { queryKey, queryFn })
  const leave = observer.subscribe(() => undefined)
  return { queries, fetches, shown: () => observer.getCurrentResult().data, leave }
}

test('does not restart a fetch in flight on events, and refetches once after it', async () => {
  const { queries, fetches, shown, leave } = aPage(documents)
  await fetches[0]?.answer('one')
  const reader = openReader(queries, [])
  reader.take([changed])
  await vi.advanceTimersByTimeAsync(100)
  expect(fetches).toHaveLength(2)

  for (let n = 0; n < 10; n++) {
    reader.take([changed])
    await vi.advanceTimersByTimeAsync(100)
  }
  expect(fetches).toHaveLength(2)
  await fetches[1]?.answer('two')
  expect(shown()).toBe('two')
  await vi.advanceTimersByTimeAsync(100)
  await fetches[2]?.answer('three')
  await vi.advanceTimersByTimeAsync(10_000)

  expect([fetches.length, shown()]).toEqual([3, 'three'])
  reader.close()
  leave()
})

test('refetches counts of documents at most every 1.5 seconds', async () => {
  const { queries, fetches, leave } = aPage(['collections'])
  await fetches[0]?.answer('one')
  const reader = openReader(queries, [])

  for (let milliseconds = 0; milliseconds < 3_000; milliseconds += 100) {
    reader.take([changed])
    await vi.advanceTimersByTimeAsync(100)
    await fetches.at(-1)?.answer('more')
  }

  expect(fetches.length).toBeLessThanOrEqual(3)
  expect(fetches.length).toBeGreaterThan(1)
  reader.close()
  leave()
})

test('repeats a first fetch that was lost with the connection', async () => {
  const { queries, fetches, shown, leave } = aPage(documents)

  void refetchShown(queries)
  await vi.advanceTimersByTimeAsync(100)
  expect(fetches).toHaveLength(2)
  await fetches[1]?.answer('after')

  expect(shown()).toBe('after')
  leave()
})

test('invalidates only the queries of the event group', async () => {
  const { queries, fetches, leave } = aPage(['users', 'list'])
  await fetches[0]?.answer('one')
  const reader = openReader(queries, [{ files: ['file'] }, { users: ['user', 'login'] }])

  for (const [kind, count] of [
    ['file.created', 1],
    ['login.succeeded', 2],
    ['user.created', 3],
  ] as const) {
    reader.take([{ kind } as EmulatorEvent])
    await vi.advanceTimersByTimeAsync(100)
    await fetches.at(-1)?.answer(kind)
    expect(fetches).toHaveLength(count)
  }
  reader.close()
  leave()
})
