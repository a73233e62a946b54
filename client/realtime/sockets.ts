/** Subscriptions over WebSocket: one connection for all, another only for a collection that is listened to twice. */

import type { Session } from '../auth/session.js'
import type { SvcError } from '../protocol/model/errors.js'
import { type Json, type JsonObject, objectIn, parseObject } from '../protocol/model/json.js'
import { readFailure } from '../protocol/wire/errors/message.js'
import { formatQuery } from '../protocol/wire/query/format.js'
import { realtimeDialect } from '../protocol/wire/spoken.js'
import { type Attempt, keepConnected } from './connection.js'
import type { Listener, Transport } from './listener.js'

/** As much of a WebSocket as the client uses; the global one and that of `ws` are of this form. */
export interface SocketLike {
  onopen: unknown
  onmessage: unknown
  onclose: unknown
  onerror: unknown
  send(text: string): void
  close(): void
}

export type SocketConstructor = new (url: string) => SocketLike

interface SharedConnection {
  hasRoom(collection: string): boolean
  add(listener: Listener): void
}

/** What the service allows on one connection. */
const mostSubscriptions = 100

export function overSockets(session: Session, Socket: SocketConstructor): Transport {
  const connections = new Set<SharedConnection>()
  return (listener) => {
    for (const connection of connections) if (connection.hasRoom(listener.collection)) return connection.add(listener)
    const connection = openConnection(session, Socket, () => connections.delete(connection))
    connections.add(connection)
    return connection.add(listener)
  }
}

function openConnection(session: Session, Socket: SocketConstructor, onClosed: () => void): SharedConnection {
  const stop = new AbortController()
  /** By collection; nothing in the place of one that the service has not let go yet. */
  const listeners = new Map<string, Listener | undefined>()
  /** Those that are told of what they missed, and not yet in one order with the others. */
  const replaying = new Set<string>()
  /** Everything up to this number was told to all others: the service keeps one order over the connection. */
  let newest: number | undefined
  /** The one that is open. */
  let socket: SocketLike | undefined
  let token: string | undefined
  /** The id of the only collection here. Events say its name, which nobody here knows. */
  let id: string | undefined

  async function connect({ signal, heard, works }: Attempt) {
    const query = formatQuery([['dialect', realtimeDialect(await session.dialect())]])
    token = await session.token()
    signal.throwIfAborted()
    const opened = new Socket(`${session.options.url.replace(/^http/, 'ws')}/realtime?${query}`)
    const closed = new Promise<unknown>((resolve, reject) => {
      signal.onabort = opened.onclose = resolve
      opened.onerror = () => undefined
      opened.onmessage = ({ data }: { data: unknown }) => {
        heard()
        hear(parseObject(String(data)), works, reject)
      }
    })
    opened.onopen = () => {
      socket = opened
      newest = undefined
      say({ type: 'auth', token })
      for (const listener of listeners.values()) if (listener) subscribe(listener)
    }
    try {
      await closed
    } finally {
      socket = opened.onmessage = undefined
      opened.close()
    }
  }

  function say(message: { [field: string]: Json | undefined }) {
    socket?.send(JSON.stringify(message))
  }

  function subscribe({ collection, filters, since, live }: Listener) {
    const position = since()
    if (position === undefined) replaying.delete(collection)
    else replaying.add(collection)
    say({ type: 'subscribe', collection, filters, since: position, live, position: true })
  }

  /** What comes from a replay says nothing of the others. */
  function follow({ type, event, seq }: JsonObject, collection: string) {
    if (type === 'live') replaying.delete(collection)
    const isInOrder = (event || type === 'live') && !replaying.has(collection)
    if (isInOrder && typeof seq === 'number') newest = Math.max(newest ?? seq, seq)
  }

  function hear(message: JsonObject, works: () => void, fail: (failure: SvcError) => void) {
    const named = collectionOf(message)
    const collection = named && (id ?? named)
    const listener = listeners.get(collection)
    const failure = readFailure(message)
    if (message.type === 'unsubscribed') listeners.delete(collection)
    else if (listener) {
      works()
      follow(message, collection)
      listener.heard(message)
    } else if (failure && !collection) fail(failure)
  }

  // From then on, who subscribes is another.
  const forget = session.auth.onChange((signedIn) => {
    token = signedIn?.token ?? session.options.apiKey
    say({ type: 'auth', token })
  })
  keepConnected(session, {
    signal: stop.signal,
    connect,
    beat: () => say({ type: 'ping' }),
    // A ping is answered at once.
    patience: 1,
    lost() {
      for (const [collection, listener] of listeners) {
        if (listener && newest !== undefined && !replaying.has(collection)) listener.passed(newest)
        if (listener) listener.lost()
        else listeners.delete(collection)
      }
    },
    ended(failure) {
      for (const listener of listeners.values()) listener?.ended(failure)
    },
  })

  return {
    hasRoom: (collection) =>
      !(id ?? idOf(collection)) && !listeners.has(collection) && listeners.size < mostSubscriptions,
    add(listener) {
      const { collection } = listener
      id = idOf(collection)
      listeners.set(collection, listener)
      subscribe(listener)
      listener.signal.addEventListener('abort', () => {
        if (socket) listeners.set(collection, undefined)
        else listeners.delete(collection)
        say({ type: 'unsubscribe', collection })
        if ([...listeners.values()].some((other) => other)) return
        stop.abort()
        forget()
        onClosed()
      })
    },
  }
}

/** What is written as ids are is taken for one. */
function idOf(collection: string): string | undefined {
  return /^[\da-f-]{36}$/.test(collection) ? collection : undefined
}

/** What a message is about; of a change, its document says it. */
function collectionOf({ collection, data }: JsonObject): string {
  return String(objectIn(data).collection ?? collection ?? '')
}
