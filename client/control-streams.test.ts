import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type Opener, readMessages } from './control-streams.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const request = { method: 'GET', path: '/events' } as const
const anHour = 3_600_000

/** A service that answers with one message, and holds the connection open; `send` is what comes on it after that. */
function aService() {
  let send = (_text: string) => {}
  let isClosed = false
  const open: Opener = async ({ signal }) => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        send = (text) => controller.enqueue(new TextEncoder().encode(text))
        signal?.addEventListener('abort', () => {
          isClosed = true
          controller.error(signal.reason)
        })
      },
    })
    send('data: 1\n\n')
    return new Response(body)
  }
  return { open, send: (text: string) => send(text), isClosed: () => isClosed }
}

it('treats a silent stream as a broken connection', async () => {
  const service = aService()
  const messages = readMessages(service.open, request)
  expect(await messages.next()).toMatchObject({ value: 1 })

  const next = expect(messages.next()).rejects.toMatchObject({ code: 'NETWORK' })
  await vi.advanceTimersByTimeAsync(anHour)

  await next
  expect(service.isClosed()).toBe(true)
  expect(vi.getTimerCount()).toBe(0)
})

it('a stream that never begins counts as a connection that broke', async () => {
  const open: Opener = ({ signal }) =>
    new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))

  const next = expect(readMessages(open, request).next()).rejects.toMatchObject({ code: 'NETWORK' })
  await vi.advanceTimersByTimeAsync(anHour)

  await next
})

it('a stream stays open for as long as the service comments on it', async () => {
  const service = aService()
  const comments = setInterval(() => service.send(':\n\n'), 15_000)
  const messages = readMessages(service.open, request)
  await messages.next()

  const next = messages.next()
  await vi.advanceTimersByTimeAsync(anHour)
  service.send('data: 2\n\n')

  expect(await next).toMatchObject({ value: 2 })
  clearInterval(comments)
  await messages.return()
})

it('a stream stays open for as long as the loop over it is at work', async () => {
  const service = aService()
  const messages = readMessages(service.open, request)
  await messages.next()

  await vi.advanceTimersByTimeAsync(anHour)
  service.send('data: 2\n\n')

  expect(await messages.next()).toMatchObject({ value: 2 })
  await messages.return()
  expect(vi.getTimerCount()).toBe(0)
})
