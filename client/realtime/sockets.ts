/** Subscriptions over WebSocket: one connection for all, another only for a collection that is listened to twice. */

import { type Json, type JsonObject, objectIn, parseObject } from '../protocol/model/json.js'
import { decodeFailure } from '../protocol/wire/errors/message.js'
import { encodeText } from '../protocol/wire/sendable.js'
import { realtimeDialect } from '../protocol/wire/spoken.js'
import { type ConnectionAttempt, keepConnected } from './connection.js'
import type { Listener, SocketConstructor, SocketLike, Transport, TransportClient } from './transport.js'

/** Adds a subscription to a connection, and says whether it has a place there. */
type SharedConnection = (listener: Listener) => boolean

/** What the service allows on one connection. */
const mostSubscriptions = 100

export function overSockets(client: TransportClient, socketNow: () => SocketConstructor): Transport {
  const connections = new Set<SharedConnection>()
  return (listener) => {
    for (const add of connections) if (add(listener)) return
    const add = openConnection(client, socketNow, () => connections.delete(add))
    connections.add(add)
    add(listener)
  }
}

function openConnection(
  client: TransportClient,
  socketNow: () => SocketConstructor,
  onClosed: () => void,
): SharedConnection {
  const { url, apiKey } = client.options
  const stop = new AbortController()
  /** By collection; nothing in the place of one that the service has not let go yet. */
  const listeners = new Map<string, Listener | undefined>()
  /** Those that receive what they missed, and are not yet in one order with the others. */
  const replaying = new Set<string>()
  /** Everything up to this number was received by all others: the service keeps one order over the connection. */
  let newest: number | undefined
  /** The one that is open. */
  let socket: SocketLike | undefined
  /** The id of the only collection here. Events say its name, which is not known here. */
  let id: string | undefined

  function send(message: { [field: string]: Json | undefined }) {
    socket?.send(JSON.stringify(message))
  }

  function subscribe({ collection, filters, since, live }: Listener) {
    const position = since()
    if (position === undefined) replaying.delete(collection)
    else replaying.add(collection)
    send({ type: 'subscribe', collection, filters, since: position, live, position: true })
  }

  function receive(message: JsonObject, { works }: ConnectionAttempt) {
    const collection = collectionOf(message, id)
    const listener = listeners.get(collection)
    const { type, event, seq, code } = message
    if (type === 'unsubscribed') listeners.delete(collection)
    else if (listener) {
      works()
      if (type === 'live') replaying.delete(collection)
      // What comes from a replay says nothing of the others.
      const isInOrder = (event || type === 'live') && !replaying.has(collection)
      if (isInOrder && typeof seq === 'number') newest = Math.max(newest ?? seq, seq)
      listener.receive(message)
    } else if (code && !collection) throw decodeFailure(message)
  }

  keepConnected(client, {
    signal: stop.signal,
    // It is how a connection says it, which has no other credentials.
    badToken: 'UNAUTHORIZED',
    async connect(attempt) {
      const dialect = encodeText(realtimeDialect(await client.dialect()))
      if (attempt.signal.aborted) return
      const opened = new (socketNow())(`${url.replace(/^http/, 'ws')}/realtime?dialect=${dialect}`)
      opened.onopen = () => {
        socket = opened
        newest = undefined
        send({ type: 'auth', token: attempt.token ?? apiKey ?? '' })
        for (const listener of listeners.values()) if (listener) subscribe(listener)
      }
      await receiveUntilClosed(opened, attempt, (message) => receive(message, attempt))
    },
    beat: () => send({ type: 'ping' }),
    lost(failure) {
      socket = undefined
      for (const [collection, listener] of listeners) {
        if (!listener) listeners.delete(collection)
        listener?.lost(failure, replaying.has(collection) ? undefined : newest)
      }
    },
  })

  return (listener) => {
    const { collection } = listener
    const { size } = listeners
    // What is written as ids are is taken for one.
    const ownId = /^[\da-f-]{36}$/.exec(collection)?.[0]
    if (id || listeners.has(collection) || size >= (ownId ? 1 : mostSubscriptions)) return false
    id = ownId
    listeners.set(collection, listener)
    subscribe(listener)
    listener.signal.addEventListener('abort', () => {
      if (socket) listeners.set(collection, undefined)
      else listeners.delete(collection)
      send({ type: 'unsubscribe', collection })
      if ([...listeners.values()].some(Boolean)) return
      stop.abort()
      onClosed()
    })
    return true
  }
}

/** Resolves once the socket is closed, or was to be; fails with a message that ends the connection. */
function receiveUntilClosed(
  socket: SocketLike,
  { signal, received }: ConnectionAttempt,
  receive: (message: JsonObject) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      socket.onmessage = undefined
      socket.close()
      resolve()
    }
    signal.onabort = socket.onclose = end
    socket.onerror = () => {}
    socket.onmessage = ({ data }: { data: unknown }) => {
      received()
      try {
        receive(parseObject(String(data)))
      } catch (error) {
        reject(error)
        // What came together with it is handed over before anybody learns of this.
        end()
      }
    }
  })
}

/** What a message is about; of a change, its document says it. Where a name is said, the id of the only collection counts. */
function collectionOf({ collection, data }: JsonObject, id: string | undefined): string {
  const named = String(objectIn(data).collection ?? collection ?? '')
  return named && (id ?? named)
}
