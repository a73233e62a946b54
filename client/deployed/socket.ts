/** Speaks the realtime protocol of dialect d, which has one WebSocket for each collection, behind the client's own protocol. */
import { type ErrorCode, statuses } from '../protocol/model/errors.js'
import { isObject, type Json, type JsonObject, parseObject } from '../protocol/model/json.js'
import { documentDecoders } from '../protocol/wire/document/decode.js'
import { kindNamed } from '../protocol/wire/events/decode.js'
import { segment } from '../protocol/wire/paths/encode.js'
import { joinList } from '../protocol/wire/query/names.js'
import type { SocketConstructor, SocketLike } from '../realtime/transport.js'

/**
 * Makes the WebSocket of a client for a service of dialect `d`, which has no positions: after a lost connection, subscriptions
 * report that changes may be missing.
 *
 * @param socketNow is called for each connection; if it throws, the subscriptions end with its error
 */
export function collectionSockets(socketNow: () => SocketConstructor): SocketConstructor {
  return class implements SocketLike {
    onopen: unknown
    onmessage: unknown
    onclose: unknown
    onerror: unknown
    private readonly Socket = socketNow()
    private readonly address: (collection: string) => string
    private readonly sockets = new Map<string, SocketLike>()
    private token: unknown = ''
    private isClosed = false
    /** Numbers the events of this connection, because the service does not. */
    private seq = 0

    constructor(url: string) {
      const [base, query] = url.split('?')
      // The deployed service ignores the query, which names the dialect to others.
      this.address = (collection) => `${base}/collections/${segment(collection)}?${query}`
      queueMicrotask(() => call(this.onopen, {}))
    }

    send(text: string): void {
      const { type, token, collection, filters, since } = parseObject(text)
      if (type === 'auth') this.token = token
      else if (type === 'ping') for (const socket of this.sockets.values()) attempt(() => socket.send('ping'))
      else if (type === 'subscribe') this.subscribe(String(collection), isObject(filters) ? filters : {}, since)
      else if (type === 'unsubscribe') this.unsubscribe(String(collection))
    }

    close(): void {
      if (this.isClosed) return
      this.isClosed = true
      for (const socket of this.sockets.values()) socket.close()
      queueMicrotask(() => call(this.onclose, {}))
    }

    private subscribe(collection: string, filters: JsonObject, since: unknown): void {
      const socket = new this.Socket(this.address(collection))
      this.sockets.set(collection, socket)
      const texts = Object.entries(filters).map(([name, value]) => [name, textOf(value)])
      socket.onopen = () => {
        socket.send(
          JSON.stringify({ api_key: this.token, ...(texts.length > 0 && { filters: Object.fromEntries(texts) }) }),
        )
      }
      socket.onmessage = ({ data }: { readonly data: unknown }) => {
        this.receive(collection, parseObject(String(data)), since)
      }
      socket.onerror = () => {}
      // Reconnects all collections, because the client knows one connection.
      socket.onclose = () => {
        if (this.sockets.get(collection) === socket) this.close()
      }
    }

    private unsubscribe(collection: string): void {
      const socket = this.sockets.get(collection)
      this.sockets.delete(collection)
      socket?.close()
      this.emit({ type: 'unsubscribed', collection })
    }

    private receive(collection: string, frame: JsonObject, since: unknown): void {
      const { event, error, error_detail } = frame
      if (error !== undefined) this.refuse(collection, String(error), error_detail)
      else if (event === 'pong') this.emit({ type: 'pong' })
      else if (event === 'connected') {
        this.emit({ type: 'subscribed', collection, seq: this.seq })
        // Nothing tells what happened since.
        if (since !== undefined)
          this.emit({ type: 'error', code: 'RESYNC', message: 'Changes may be missing.', collection })
      } else this.change(collection, frame)
    }

    private change(collection: string, { event, document, data }: JsonObject): void {
      const kind = kindNamed(event)
      if (!kind) return
      this.seq += 1
      const decoded = documentDecoders.deployed(document ?? data ?? null)
      this.emit({ event: kind, seq: this.seq, collection, data: { ...decoded, collection } })
    }

    private refuse(collection: string, message: string, detail: unknown): void {
      const isCode = typeof detail === 'string' && Object.hasOwn(statuses, detail)
      const code: ErrorCode = isCode ? (detail as ErrorCode) : 'FORBIDDEN'
      this.sockets.delete(collection)
      this.emit({ type: 'error', code, message, collection })
    }

    private emit(message: object): void {
      if (!this.isClosed) call(this.onmessage, { data: JSON.stringify(message) })
    }
  }
}

function textOf(value: Json): string {
  return Array.isArray(value) ? joinList(value.map(String)) : String(value)
}

function attempt(work: () => void): void {
  try {
    work()
  } catch {
    // The socket is still connecting.
  }
}

function call(handler: unknown, event: object): void {
  if (typeof handler === 'function') handler(event)
}
