/** Subscriptions over WebSocket: one connection for all, another only for a collection that is listened to twice. */
import type { SvcError } from '../model/errors.js'
import type { Json, JsonObject } from '../model/json.js'
import { asFailure, backOff, isPassing } from '../send.js'
import type { Session } from '../session.js'
import { readChange, readFailure, readMessage, realtimeQuery } from '../wire/messages.js'
import { type Listener, type Transport, tell, tellOfGap, tellOfStart } from './listener.js'

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

/** What a connection knows of the one subscription that it may have to a collection. */
interface Slot {
  listener: Listener | undefined
  /** Messages about it that have no answer yet; until then, events are meant for its forerunner. */
  unanswered: number
  /** It was open on a socket that is gone. */
  isReturning: boolean
}

interface Connection {
  hasRoom(collection: string): boolean
  add(listener: Listener): () => void
  /** From now on, who subscribes is another. */
  identify(token: string | undefined): void
}

/** What the service allows on one connection. */
const mostSlots = 100

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
  const slots = new Map<string, Slot>()
  let socket: SocketLike | undefined
  let isOpen = false
  let isHeard = true
  let attempts = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  let token: string | undefined

  async function connect() {
    try {
      const query = realtimeQuery(await session.dialect())
      token = await session.token()
      if (slots.size === 0) return
      const opened = new Socket(`${url.replace(/^http/, 'ws')}/realtime?${query}`)
      socket = opened
      opened.onerror = () => undefined
      opened.onclose = () => socket === opened && lose()
      opened.onmessage = ({ data }: { data: unknown }) => socket === opened && hear(readMessage(String(data)))
      opened.onopen = () => {
        isOpen = isHeard = true
        timer = setInterval(beat, heartbeat)
        say({ type: 'auth', token })
        slots.forEach(subscribe)
      }
    } catch (error) {
      fail(asFailure(error))
    }
  }

  function say(message: { [field: string]: Json | undefined }) {
    if (isOpen) socket?.send(JSON.stringify(message))
  }

  function subscribe(slot: Slot, collection: string) {
    if (!isOpen || !slot.listener) return
    slot.unanswered++
    const { filters, since, live } = slot.listener
    say({ type: 'subscribe', collection, filters, since, live, position: true })
  }

  function hear(message: JsonObject) {
    isHeard = true
    const change = readChange(message)
    const failure = readFailure(message)
    const collection = String(message.collection ?? change?.document.collection)
    const slot = slots.get(collection)
    if (failure && (message.collection === undefined || isPassing(failure))) fail(failure)
    else if (slot && change) slot.unanswered === 0 && slot.listener && tell(slot.listener, change)
    else if (slot && failure?.code === 'RESYNC') slot.listener && tellOfGap(slot.listener)
    else if (slot && (failure || message.type !== 'event')) answer(slot, collection, message, failure)
  }

  /** Of the answers about a collection, the last one is meant for who listens. */
  function answer(slot: Slot, collection: string, { seq }: JsonObject, failure: SvcError | undefined) {
    slot.unanswered = Math.max(0, slot.unanswered - 1)
    const { listener, isReturning } = slot
    if (slot.unanswered > 0) return
    if (listener && !failure) {
      attempts = 0
      slot.isReturning = true
      return tellOfStart(listener, seq, isReturning)
    }
    slots.delete(collection)
    if (failure) listener?.ended(failure)
    closeIfIdle()
  }

  /** A peer that answers nothing within a beat is gone, whatever the socket says. */
  function beat() {
    if (!isHeard) return lose()
    isHeard = false
    say({ type: 'ping' })
  }

  function lose() {
    disconnect()
    for (const [collection, slot] of slots) {
      slot.unanswered = 0
      if (slot.listener) slot.listener.lost()
      else slots.delete(collection)
    }
    if (slots.size > 0) timer = setTimeout(connect, backOff(delay, ++attempts))
    closeIfIdle()
  }

  function fail(failure: SvcError) {
    if (isPassing(failure)) return lose()
    const ended = [...slots.values()]
    slots.clear()
    closeIfIdle()
    for (const { listener } of ended) listener?.ended(failure)
  }

  function disconnect() {
    clearTimeout(timer)
    const left = socket
    socket = undefined
    isOpen = false
    left?.close()
  }

  function closeIfIdle() {
    if ([...slots.values()].some(({ listener }) => listener)) return
    slots.clear()
    disconnect()
    onClosed()
  }

  void Promise.resolve().then(connect)
  return {
    hasRoom: (collection) => (slots.has(collection) ? !slots.get(collection)?.listener : slots.size < mostSlots),
    identify(next) {
      token = next
      say({ type: 'auth', token })
    },
    add(listener) {
      const { collection } = listener
      const slot = slots.get(collection) ?? { listener, unanswered: 0, isReturning: false }
      slot.listener = listener
      slot.isReturning = false
      slots.set(collection, slot)
      subscribe(slot, collection)
      return () => {
        if (slot.listener !== listener) return
        slot.listener = undefined
        slot.unanswered++
        say({ type: 'unsubscribe', collection })
        closeIfIdle()
      }
    },
  }
}
