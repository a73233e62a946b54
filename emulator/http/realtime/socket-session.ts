/** One WebSocket from its first message to its last. Messages are handled in the order they came. Contract 9.1 and 9.2. */
import type { RawData, WebSocket } from 'ws'
import { plainError } from '../../../client/protocol/model/error-words.js'
import { SvcError, statusOf } from '../../../client/protocol/model/errors.js'
import { isObject, type JsonObject } from '../../../client/protocol/model/json.js'
import type { Dialect } from '../../../client/protocol/wire/axes.js'
import { dialects, readDialect } from '../../../client/protocol/wire/dialects.js'
import { readFilters } from '../../../client/protocol/wire/query/decode.js'
import type { Identity } from '../../core/context.js'
import { requireStorable } from '../../core/documents/weight.js'
import { asSvcError } from '../../core/failures.js'
import { identifyText } from '../../core/logins/credentials.js'
import { openSubscriber } from '../../core/realtime/subscriber.js'
import { type Subscription, subscribe } from '../../core/realtime/subscriptions.js'
import type { Door } from '../exchange.js'
import { requireOrigin } from '../guards/origins.js'
import { parseMeasured } from '../request/read-json.js'
import { backpressureOf } from './backpressure.js'
import { frameOf } from './frames.js'

const authMilliseconds = 10_000
const mostSubscriptions = 100
/** What may wait to be handled; who sends more than that is not read meanwhile. */
const mostUnhandledBytes = 256 * 1024
/** What a message costs beside its bytes. */
const messageBytes = 256

/** Close codes of RFC 6455. */
const closes = { policy: 1008, tryAgainLater: 1013 } as const

interface Handshake {
  readonly origin: string | undefined
  readonly host: string | undefined
  readonly dialect: string | undefined
}

export function serveSocket(door: Door, socket: WebSocket, { origin, host, dialect: spoken }: Handshake): void {
  const { backend, log, openToLoopback, streams } = door
  const subscriptions = new Map<string, Subscription>()
  let identity: Identity | undefined
  let dialect: Dialect = readDialect(spoken, dialects.a)
  let unwatch = () => {}
  let work = Promise.resolve()
  const backpressure = backpressureOf({
    isOpen: () => socket.readyState === socket.OPEN,
    waitingBytes: () => socket.bufferedAmount,
    // It may come back with `since`.
    giveUp() {
      endAll()
      socket.close(closes.tryAgainLater, 'too far behind')
    },
  })
  const subscriber = openSubscriber(backpressure)
  const tooLate = setTimeout(() => socket.close(closes.policy, 'no auth'), authMilliseconds)

  let unhandledBytes = 0
  socket.on('message', (data: Buffer, isBinary) => {
    const bytes = data.length + messageBytes
    unhandledBytes += bytes
    if (unhandledBytes > mostUnhandledBytes) socket.pause()
    work = work
      .then(() => handle(data, isBinary))
      .catch((error) => log.failure('socket', error))
      .then(() => {
        unhandledBytes -= bytes
        if (unhandledBytes <= mostUnhandledBytes) socket.resume()
      })
  })
  socket.on('error', () => socket.terminate())
  socket.on('close', () => {
    clearTimeout(tooLate)
    // After what is at work, which may still begin something.
    work = work.then(() => {
      unwatch()
      endAll()
    })
  })

  async function handle(data: RawData, isBinary: boolean): Promise<void> {
    // Who asks without reading the answers waits for them.
    if (!backpressure.canWrite()) await backpressure.drained()
    if (!backpressure.isOpen()) return
    const message = isBinary ? undefined : await readMessage(data)
    const type = typeof message?.type === 'string' ? message.type : ''
    if (!message || !Object.hasOwn(handlers, type)) {
      const known = Object.keys(handlers).join(', ')
      return say(failure(new SvcError('INVALID_MESSAGE', `Send JSON whose "type" is one of: ${known}.`)))
    }
    const collection = typeof message.collection === 'string' ? message.collection : undefined
    try {
      await handlers[type as keyof typeof handlers](message)
    } catch (error) {
      say(failure(knownError(error), collection))
    }
  }

  const handlers = {
    async auth({ token }: JsonObject) {
      const found = await identifyText(backend, typeof token === 'string' ? token : '').catch(asUnauthorized)
      requireOrigin(origin, host, { allowed: found.project.settings.allowedOrigins, openToLoopback })
      if (identity && identity.project.id !== found.project.id) {
        throw new SvcError('INVALID_MESSAGE', 'This connection belongs to another project already.')
      }
      clearTimeout(tooLate)
      identity = found
      dialect = readDialect(spoken, readDialect(found.project.settings.dialect, dialects.a))
      unwatch()
      unwatch = streams.watch.watch(found, { changed: review, ended })
      say({ type: 'authenticated' })
      await review(found)
    },

    async subscribe({ collection: name, filters = {}, live = false, since, position }: JsonObject) {
      if (!identity) throw new SvcError('UNAUTHORIZED', 'Send "auth" before "subscribe".')
      if (typeof name !== 'string') throw new SvcError('INVALID_MESSAGE', '"collection" takes a name.')
      if (!isObject(filters)) throw new SvcError('INVALID_FILTER', '"filters" takes an object of fields and values.')
      const where = readFilters(dialect, filters)
      const after = readSince(since)
      if (!subscriptions.has(name) && subscriptions.size >= mostSubscriptions) {
        throw new SvcError('RATE_LIMITED', `A connection holds at most ${mostSubscriptions} subscriptions.`)
      }
      // Replaced, it goes on where it was: nothing is lost between the two.
      const replaced = subscriptions.get(name)
      const known = identity
      const asker = { identity: () => identity ?? known, subscriber, replaced }
      const wish = { collection: name, where, isLive: live === true, since: after }
      await subscribe(backend, asker, wish, {
        // Who asks for the position can resume a stream that told nothing before it was cut.
        begun(seq, subscription) {
          subscriptions.set(name, subscription)
          say({ type: 'subscribed', collection: name, filters, ...(position === true ? { seq } : {}) })
        },
        event: (change, kind, collection) => push(frameOf(change, kind, collection, dialect).message),
        live: (seq) => say({ type: 'live', collection: name, seq }),
        resync: () => say(failure(plainError('RESYNC'), name)),
        ended(why) {
          subscriptions.delete(name)
          say(failure(why, name))
        },
      }).catch((error) => {
        replaced?.end()
        subscriptions.delete(name)
        return asInvalidCollection(error)
      })
    },

    async unsubscribe({ collection: name }: JsonObject) {
      if (typeof name !== 'string') throw new SvcError('INVALID_MESSAGE', '"collection" takes a name.')
      subscriptions.get(name)?.end()
      subscriptions.delete(name)
      say({ type: 'unsubscribed', collection: name })
    },

    async ping() {
      say({ type: 'pong' })
    },
  }

  function say(message: JsonObject): void {
    push(Buffer.from(JSON.stringify(message)))
  }

  function push(message: Buffer): void {
    if (backpressure.isOpen()) socket.send(message, { binary: false })
  }

  async function review(changed: Identity): Promise<void> {
    identity = changed
    for (const subscription of subscriptions.values()) await subscription.review()
  }

  /** The key or the session is good for nothing any more. */
  function ended(): void {
    endAll()
    say(failure(new SvcError('UNAUTHORIZED', 'The key or the session of this connection has ended.')))
    socket.close(closes.policy, 'unauthorized')
  }

  function endAll(): void {
    for (const subscription of subscriptions.values()) subscription.end()
    subscriptions.clear()
  }

  function knownError(error: unknown): SvcError {
    const known = asSvcError(error)
    if (!known) log.failure('socket', error)
    return known ?? plainError('INTERNAL')
  }
}

async function readMessage(data: RawData): Promise<JsonObject | undefined> {
  try {
    const message = await parseMeasured(Buffer.from(String(data)))
    // Filters are read by rules of their own, which say what is wrong with them.
    const { filters: _, ...rest } = message
    requireStorable(rest)
    return message
  } catch {
    return undefined
  }
}

function readSince(since: unknown): number | undefined {
  if (since === undefined || since === null) return undefined
  if (typeof since === 'number' && Number.isSafeInteger(since) && since >= 0) return since
  throw new SvcError('INVALID_MESSAGE', '"since" takes the "seq" of an event.')
}

function failure({ code, message }: SvcError, collection?: string): JsonObject {
  return { type: 'error', code, message, ...(collection === undefined ? {} : { collection }) }
}

/** Spec, "Events" 3: whatever is wrong with the token. */
function asUnauthorized(error: unknown): never {
  if (error instanceof SvcError && statusOf(error) === 401) throw new SvcError('UNAUTHORIZED', error.message)
  throw error
}

/** Spec, "Events" 3. */
function asInvalidCollection(error: unknown): never {
  if (error instanceof SvcError && error.code === 'NOT_FOUND') throw new SvcError('INVALID_COLLECTION', error.message)
  throw error
}
