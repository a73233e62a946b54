/** Tests heartbeats of idle streams, which keep proxies from closing them, on a clock that the test moves. Contract 9.5. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createClient } from '../../../client/index.js'
import { type Emulator, startEmulator } from '../../../emulator/assembly/dev.js'

const beat = 15_000

let emulator: Emulator
beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  emulator = await startEmulator({ memory: true })
  const { url, secretKey = '' } = emulator
  await createClient({ url, apiKey: secretKey }).collections.create({ name: 'posts' })
})
afterAll(async () => {
  vi.useRealTimers()
  await emulator.close()
})

/** A stream that has begun, and how many comments it has sent since. */
async function aStream(path: string) {
  const { url, apiKey, controlToken } = emulator
  const { body } = await fetch(url + path, { headers: { 'x-api-key': apiKey, 'svc-control-token': controlToken } })
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
  let said = ''
  const until = async (isSaid: () => boolean) => {
    for (let piece = await reader?.read(); piece && !piece.done; piece = isSaid() ? undefined : await reader?.read()) {
      said += piece.value
    }
  }
  await until(() => said.includes('\n\n'))
  const comments = () => said.split('\n\n').filter((part) => part === ':').length
  return {
    comments,
    untilComments: (count: number) => until(() => comments() >= count),
    stop: () => reader?.cancel(),
  }
}

it.each(['/realtime/sse/posts', '/_svc/api/events?kinds=mail'])(
  'contract 9.5 an idle stream sends a comment every 15 s, for as long as somebody reads it (%s)',
  async (path) => {
    const other = await aStream(path)
    const before = vi.getTimerCount()
    const stream = await aStream(path)
    expect(vi.getTimerCount()).toBe(before + 1)

    vi.advanceTimersByTime(beat - 1)
    vi.advanceTimersByTime(1)
    await stream.untilComments(1)
    const first = stream.comments()
    vi.advanceTimersByTime(beat)
    await stream.untilComments(2)

    expect([first, stream.comments()]).toEqual([1, 2])
    await stream.stop()
    await expect.poll(() => vi.getTimerCount()).toBe(before)
    await other.stop()
  },
)
