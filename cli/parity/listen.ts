/** Subscribes to a collection over a WebSocket, and collects the events that follow. */
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { type JsonObject, parseObject } from '../../client/protocol/model/json.js'

export interface Listener {
  /** Waits until so many events have come, and a moment longer for one too many. */
  hear(events: number): Promise<readonly JsonObject[]>
  close(): void
}

interface ListenOptions {
  readonly url: string
  readonly key: string | undefined
  readonly collection: string
  readonly dialect: string | undefined
  readonly signal: AbortSignal
}

const openMilliseconds = 10_000
const eventMilliseconds = 2_000
const restMilliseconds = 100

/** Returns undefined if the service does not take the subscription. */
export async function listen({ url, key, collection, dialect, signal }: ListenOptions): Promise<Listener | undefined> {
  const query = dialect === undefined ? '' : `?dialect=${encodeURIComponent(dialect)}`
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/realtime${query}`)
  const frames: JsonObject[] = []
  let wake = () => {}
  let isSubscribed = false
  let isOver = false
  socket.on('message', (data) => {
    const frame = parseObject(String(data))
    if (frame.type === 'subscribed') isSubscribed = true
    else if (frame.event !== undefined) frames.push(frame)
    else if (frame.type === 'error' || frame.error !== undefined || frame.code !== undefined) isOver = true
    wake()
  })
  // A refused upgrade ends the socket without a frame.
  for (const end of ['error', 'close'] as const)
    socket.on(end, () => {
      isOver = true
      wake()
    })
  const until = async (isDone: () => boolean, milliseconds: number) => {
    const late = performance.now() + milliseconds
    while (!isDone() && performance.now() < late) {
      signal.throwIfAborted()
      const woken = new Promise<void>((resolve) => {
        wake = resolve
      })
      await Promise.race([woken, wait(late - performance.now())])
    }
  }

  await Promise.race([once(socket, 'open').catch(() => undefined), wait(openMilliseconds, undefined, { signal })])
  if (socket.readyState !== WebSocket.OPEN) {
    socket.terminate()
    return undefined
  }
  socket.send(JSON.stringify({ type: 'auth', token: key ?? '' }))
  socket.send(JSON.stringify({ type: 'subscribe', collection }))
  await until(() => isSubscribed || isOver, openMilliseconds)
  if (!isSubscribed) {
    socket.terminate()
    return undefined
  }
  return {
    async hear(events) {
      await until(() => frames.length >= events || isOver, eventMilliseconds)
      await wait(restMilliseconds)
      return frames
    },
    close: () => socket.terminate(),
  }
}
