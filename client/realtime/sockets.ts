/** Subscriptions over WebSocket: one connection for all, another only for a collection that is listened to twice. */
import type { SvcError } from '../model/errors.js'
import { isObject, type Json, type JsonObject } from '../model/json.js'
import { asFailure, backOff, isPassing } from '../send.js'
import type { Session } from '../session.js'
import { readFailure, readMessage, realtimeDialect } from '../wire/messages.js'
import { formatQuery } from '../wire/query.js'
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

interface Connection {
  hasRoom(collection: string): boolean
  add(listener: Listener): () => void
  /** From now on, who subscribes is another. */
  identify(token: string | undefined): void
}

/** What the service allows on one connection. */
const mostSubscriptions = 100

export function overSockets(session: Session, Socket: SocketConstructor): Transport {
  const connections = new Set<Connection>()
  session.auth.onChange((signedIn) => {
    for (const connection of connections) connection.identify(signedIn?.token ?? session.options.apiKey)
  })
  return (listener) => {
    for (const connection of connections) if (connection.hasRoom(listener.collection)) return connection.add(listener)
    const connection = openConnection(session, Socket, () => connections.delete(connection))
    connections.add(connection)
    return connection.add(listener)
  }
}

function openConnection(session: Session, Socket: SocketConstructor, onClosed: () => void): Connection {
  const { url, retry: { delay } = {}, heartbeat = 30_000 } = session.options
  /** By collection; nothing in the place of one that the service has not let go yet. */
  const listeners = new Map<string, Listener | undefined>()
  let socket: SocketLike | undefined
  let isOpen = false
  let isHeard = true
  let attempts = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  let token: string | undefined
  /** The id of the only collection here. Events say its name, which nobody here knows. */
  let id: string | undefined

  async function connect() {
    try {
      const query = formatQuery([['dialect', realtimeDialect(await session.dialect())]])
      token = await session.token()
      if (listeners.size === 0) return
      const opened = new Socket(`${url.replace(/^http/, 'ws')}/realtime?${query}`)
      socket = opened
      opened.onerror = () => undefined
      opened.onclose = () => socket === opened && lose()
      opened.onmessage = ({ data }: { data: unknown }) => socket === opened && hear(readMessage(String(data)))
      opened.onopen = () => {
        isOpen = isHeard = true
        timer = setInterval(beat, heartbeat)
        say({ type: 'auth', token })
        for (const listener of listeners.values()) if (listener) subscribe(listener)
      }
    } catch (error) {
      fail(asFailure(error))
    }
  }

  function say(message: { [field: string]: Json | undefined }) {
    if (isOpen) socket?.send(JSON.stringify(message))
  }

  function subscribe({ collection, filters, since, live }: Listener) {
    say({ type: 'subscribe', collection, filters, since, live, position: true })
  }

  function hear(message: JsonObject) {
    isHeard = true
    const named = collectionOf(message)
    const collection = named && (id ?? named)
    const listener = listeners.get(collection ?? '')
    const failure = readFailure(message)
    if (message.type === 'unsubscribed') listeners.delete(collection ?? '')
    else if (listener) {
      attempts = 0
      listener.heard(message)
    } else if (failure && collection === undefined) fail(failure)
  }

  /** A peer that answers nothing within a beat is gone, whatever the socket says. Who only listens has the login renewed, too. */
  function beat() {
    if (!isHeard) return lose()
    isHeard = false
    say({ type: 'ping' })
    session.token().catch(() => undefined)
  }

  function lose() {
    disconnect()
    timer = setTimeout(connect, backOff(delay, ++attempts))
    for (const [collection, listener] of listeners) {
      if (listener) listener.lost()
      else listeners.delete(collection)
    }
    closeIfIdle()
  }

  function fail(failure: SvcError) {
    if (isPassing(failure)) return lose()
    for (const listener of listeners.values()) listener?.ended(failure)
  }

  function disconnect() {
    clearTimeout(timer)
    const left = socket
    socket = undefined
    isOpen = false
    left?.close()
  }

  function closeIfIdle() {
    for (const listener of listeners.values()) if (listener) return
    disconnect()
    onClosed()
  }

  void Promise.resolve().then(connect)
  return {
    hasRoom: (collection) =>
      !(id ?? idOf(collection)) && !listeners.has(collection) && listeners.size < mostSubscriptions,
    identify(next) {
      token = next
      say({ type: 'auth', token })
    },
    add(listener) {
      const { collection } = listener
      id = idOf(collection)
      listeners.set(collection, listener)
      subscribe(listener)
      return () => {
        if (isOpen) listeners.set(collection, undefined)
        else listeners.delete(collection)
        say({ type: 'unsubscribe', collection })
        closeIfIdle()
      }
    },
  }
}

/** Names begin with a letter, ids with a digit. */
function idOf(collection: string): string | undefined {
  return /^\d/.test(collection) ? collection : undefined
}

/** What a message is about; of a change, its document says it. */
function collectionOf({ collection, data }: JsonObject): string | undefined {
  const name = isObject(data) ? data.collection : collection
  return typeof name === 'string' ? name : undefined
}
