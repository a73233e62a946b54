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

/** `shared` is one socket for all collections. `collection` is a socket for each of them. */
export type SocketKind = 'shared' | 'collection'

interface ListenOptions {
  readonly url: string
  readonly key: string | undefined
  readonly collection: string
  readonly kind: SocketKind
  /** Filters, which only the socket of one collection takes. */
  readonly watched: { readonly [field: string]: string } | undefined
  readonly dialect: string | undefined
  readonly signal: AbortSignal
}

const openMilliseconds = 10_000
const eventMilliseconds = 2_000
const restMilliseconds = 100

interface Speech {
  path(collection: string): string
  /** Frames that authenticate and subscribe. */
  greet(options: ListenOptions): readonly object[]
  isSubscribed(frame: JsonObject): boolean
}

const speeches: { readonly [K in SocketKind]: Speech } = {
  shared: {
    path: () => '/realtime',
    greet: ({ collection, key = '' }) => [
      { type: 'auth', token: key },
      { type: 'subscribe', collection },
    ],
    isSubscribed: ({ type }) => type === 'subscribed',
  },
  collection: {
    path: (collection) => `/realtime/collections/${encodeURIComponent(collection)}`,
    greet: ({ key = '', watched }) => [{ api_key: key, ...(watched ? { filters: watched } : {}) }],
    isSubscribed: ({ event }) => event === 'connected',
  },
}

/** Returns whether the service has a socket that is shared by all collections. */
export async function hasSharedSocket(url: string, signal: AbortSignal): Promise<boolean> {
  const socket = openSocket(url, '/realtime')
  const isOpen = await opens(socket, signal)
  socket.terminate()
  return isOpen
}

/** Returns undefined if the service does not take the subscription. */
export async function listen(options: ListenOptions): Promise<Listener | undefined> {
  const { url, collection, kind, dialect, signal } = options
  const { path, greet, isSubscribed: isGreeting } = speeches[kind]
  const query = dialect === undefined ? '' : `?dialect=${encodeURIComponent(dialect)}`
  const socket = openSocket(url, path(collection) + query)
  const frames: JsonObject[] = []
  let wake = () => {}
  let isSubscribed = false
  let isOver = false
  socket.on('message', (data) => {
    const frame = parseObject(String(data))
    if (isGreeting(frame)) isSubscribed = true
    else if (frame.type === 'error' || frame.error !== undefined || frame.code !== undefined) isOver = true
    else if (frame.event !== undefined) frames.push(frame)
    wake()
  })
  socket.on('close', () => {
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

  if (await opens(socket, signal)) {
    for (const frame of greet(options)) socket.send(JSON.stringify(frame))
    await until(() => isSubscribed || isOver, openMilliseconds)
  }
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

function openSocket(url: string, path: string): WebSocket {
  const socket = new WebSocket(url.replace(/^http/, 'ws') + path)
  // A refused upgrade ends the socket without a frame.
  socket.on('error', () => {})
  return socket
}

async function opens(socket: WebSocket, signal: AbortSignal): Promise<boolean> {
  const isOver = new AbortController()
  const patience = wait(openMilliseconds, undefined, { signal: AbortSignal.any([signal, isOver.signal]) })
  await Promise.race([once(socket, 'open'), patience]).catch(() => signal.throwIfAborted())
  isOver.abort()
  await patience.catch(() => undefined)
  return socket.readyState === WebSocket.OPEN
}
