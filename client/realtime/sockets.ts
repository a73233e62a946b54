/** Subscribes over WebSocket. Shares one connection, and opens another if a collection already has a subscription there. */

import { type Json, type JsonObject, objectIn, parseObject } from '../protocol/model/json.js'
import { decodeFailure } from '../protocol/wire/errors/message.js'
import { encodeText } from '../protocol/wire/sendable.js'
import { realtimeDialect } from '../protocol/wire/spoken.js'
import { type ConnectionAttempt, keepConnected } from './connection.js'
import type { Listener, SocketConstructor, SocketLike, Transport, TransportClient } from './transport.js'

/** Adds a subscription to a connection. Returns false if the connection cannot take it. */
type SharedConnection = (listener: Listener) => boolean

/** Maximum number of subscriptions per connection, set by the service. */
const maxSubscriptions = 100

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
  /** Listeners by collection. Undefined while the service has not confirmed the unsubscribe. */
  const listeners = new Map<string, Listener | undefined>()
  /** Collections that are replaying missed changes, so their order differs from the others. */
  const replaying = new Set<string>()
  /** Number of the last change that all other collections have received. The service keeps one order per connection. */
  let newest: number | undefined
  /** The open socket. */
  let socket: SocketLike | undefined
  /** Id of the only collection here, if subscribed by id. Events hold its name, which the client does not know. */
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

  /** Notes the end of a replay. Ignores replayed changes, because the other collections may be further behind or ahead. */
  function notePosition(collection: string, { type, event, seq }: JsonObject) {
    if (type === 'live') replaying.delete(collection)
    const isInOrder = (event || type === 'live') && !replaying.has(collection)
    if (isInOrder && typeof seq === 'number') newest = Math.max(newest ?? seq, seq)
  }

  function receive(message: JsonObject, { works }: ConnectionAttempt) {
    const collection = readCollection(message, id)
    const listener = listeners.get(collection)
    const { type, code } = message
    if (type === 'unsubscribed') listeners.delete(collection)
    else if (listener) {
      works()
      notePosition(collection, message)
      listener.receive(message)
    } else if (code && !collection) throw decodeFailure(message)
  }

  keepConnected(client, {
    signal: stop.signal,
    // A refused token is `UNAUTHORIZED` here, because the connection has no other credentials.
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
    // Treats anything in the format of an id as an id.
    const ownId = /^[\da-f-]{36}$/.exec(collection)?.[0]
    if (id || listeners.has(collection) || size >= (ownId ? 1 : maxSubscriptions)) return false
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

/** Resolves when the socket closes or the signal aborts. Rejects if a message ends the connection. */
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
        // Queued callbacks with earlier changes run before this rejection is handled.
        end()
      }
    }
  })
}

/** Finds the collection of a message; for changes, in the document. Returns the subscribed id instead of the name, if any. */
function readCollection({ collection, data }: JsonObject, id: string | undefined): string {
  const named = String(objectIn(data).collection ?? collection ?? '')
  return named && (id ?? named)
}
