/** Handles the messages that a client may send over a WebSocket. Contract 9.1 and 9.2. */
import { httpStatus, SvcError } from '../../../client/protocol/model/errors.js'
import { isObject, type JsonObject } from '../../../client/protocol/model/json.js'
import { dialects, parseDialect } from '../../../client/protocol/wire/dialects.js'
import { decodeFilters } from '../../../client/protocol/wire/query/decode.js'
import type { Identity } from '../../core/context.js'
import { requireStorable } from '../../core/documents/weight.js'
import { asSvcError } from '../../core/failures.js'
import { identifyText } from '../../core/logins/credentials.js'
import {
  type Sink,
  type SubscribeRequest,
  type SubscriptionHandle,
  type SubscriptionOwner,
  subscribe,
} from '../../core/realtime/subscriptions.js'
import { withinKeyBudget } from '../guards/identify.js'
import { requireOrigin } from '../guards/origins.js'
import { parseMeasured } from '../request/read-json.js'
import { encodeFrame } from './frames.js'
import {
  closes,
  endAll,
  type SocketProtocol,
  type SocketState,
  sendBytes,
  sendFailure,
  sendMessage,
  takeSlot,
} from './socket-state.js'

const maxSubscriptions = 100

/** The messages of `/realtime`. */
export const messageProtocol: SocketProtocol = {
  handle,
  failure: ({ code, message }, collection) => ({
    ...{ type: 'error', code, message },
    ...(collection === undefined ? {} : { collection }),
  }),
}

type Handle = (state: SocketState, message: JsonObject) => Promise<void>

/** By message type. */
const messageHandlers: Readonly<Record<string, Handle>> = {
  auth: authenticate,
  subscribe: beginSubscription,
  unsubscribe: endSubscription,
  async ping(state) {
    sendMessage(state, { type: 'pong' })
  },
}

async function authenticate(state: SocketState, { token }: JsonObject): Promise<void> {
  await takeIdentity(state, token, () => sendMessage(state, { type: 'authenticated' }))
}

/**
 * Authenticates a connection, or closes it if there are too many.
 *
 * @param greet runs before the identity counts
 * @throws {SvcError} `UNAUTHORIZED`, `ORIGIN_NOT_ALLOWED`, `INVALID_MESSAGE`
 */
export async function takeIdentity(state: SocketState, token: unknown, greet: () => void): Promise<void> {
  const { http, handshake } = state
  const { backend, isOpenTo, publicBudget, streams } = http
  const found = await withinKeyBudget(publicBudget, handshake.address, () =>
    identifyText(backend, typeof token === 'string' ? token : ''),
  ).catch(asUnauthorized)
  const { settings } = found.project
  requireOrigin(handshake.origin, handshake.host, { allowed: settings.allowedOrigins, isOpenTo })
  if (state.identity && state.identity.project.id !== found.project.id) {
    throw new SvcError('INVALID_MESSAGE', 'This connection already belongs to another project.')
  }
  if (!hasPlace(state, found)) return
  state.dialect = parseDialect(handshake.dialect, parseDialect(settings.dialect, dialects.a))
  state.unwatch()
  state.unwatch = streams.watch.watch(found, {
    changed: (identity) => review(state, identity),
    ended: () => endIdentity(state),
  })
  greet()
  state.identity = found
  backend.connections.identified(state.listed)
  await review(state, found)
}

/** Takes a slot, or tells the client why there is none. It may reconnect. */
function hasPlace(state: SocketState, found: Identity): boolean {
  try {
    takeSlot(state, found)
    return true
  } catch (error) {
    // A connection that was already authenticated keeps its identity.
    if (state.identity) throw error
    sendFailure(state, error)
    state.socket.close(closes.tryAgainLater, 'too many connections')
    return false
  }
}

async function review(state: SocketState, identity: Identity): Promise<void> {
  state.identity = identity
  for (const subscription of state.subscriptions.values()) await subscription.review()
}

/** Called when the key or session is no longer valid. */
function endIdentity(state: SocketState): void {
  endAll(state)
  sendFailure(state, new SvcError('UNAUTHORIZED', 'The API key or session of this connection is no longer valid.'))
  state.socket.close(closes.policy, 'unauthorized')
}

async function beginSubscription(state: SocketState, message: JsonObject): Promise<void> {
  const { subscriptions, transport, identity: known } = state
  if (!known) throw new SvcError('UNAUTHORIZED', 'Send "auth" before "subscribe".')
  const request = readSubscribeRequest(state, message)
  if (!subscriptions.has(request.collection) && subscriptions.size >= maxSubscriptions) {
    throw new SvcError('RATE_LIMITED', `Too many subscriptions on this connection (max ${maxSubscriptions}).`)
  }
  // A replaced subscription continues from its position, so nothing is lost in between.
  const replaced = subscriptions.get(request.collection)
  await untilBegun(state, { identity: () => state.identity ?? known, transport, replaced }, request, {
    // With the position, a client can resume a stream that was cut before its first event.
    begun: (seq) => {
      const { collection } = request
      const { filters = {}, position } = message
      sendMessage(state, { type: 'subscribed', collection, filters, ...(position === true ? { seq } : {}) })
    },
    event: (change, kind, of) => sendBytes(state, encodeFrame(change, kind, of, state.dialect).message),
    live: (seq) => sendMessage(state, { type: 'live', collection: request.collection, seq }),
    resync: (why) => sendFailure(state, why, request.collection),
    ended: (why) => sendFailure(state, why, request.collection),
  })
}

/** The messages of a subscription. */
type Voice = Pick<Sink, 'event' | 'live' | 'resync' | 'ended'> & { begun(seq: number): void }

/**
 * Resolves once the subscription has begun and its statements are done. Missed changes are replayed while further messages are
 * handled.
 */
export function untilBegun(
  state: SocketState,
  asker: SubscriptionOwner,
  request: SubscribeRequest,
  voice: Voice,
): Promise<void> {
  const { subscriptions, http, listed } = state
  const { connections } = http.backend
  const { collection } = request
  let own: SubscriptionHandle | undefined
  return new Promise((resolve, reject) => {
    subscribe(http.backend, asker, request, {
      ...voice,
      begun(seq, subscription, reviewed) {
        own = subscription
        subscriptions.set(collection, subscription)
        connections.subscribed(listed, collection)
        voice.begun(seq)
        resolve(reviewed)
      },
      ended(why) {
        if (subscriptions.get(collection) === own) subscriptions.delete(collection)
        connections.unsubscribed(listed, collection, why.code)
        voice.ended(why)
      },
    }).catch((error) => {
      asker.replaced?.end()
      // Another subscription replaced it during its replay.
      if (own && subscriptions.get(collection) !== own) return
      subscriptions.delete(collection)
      if (own) sendFailure(state, error, collection)
      else reject(asInvalidCollection(error))
    })
  })
}

async function endSubscription(state: SocketState, { collection }: JsonObject): Promise<void> {
  const { http, listed, subscriptions } = state
  if (typeof collection !== 'string')
    throw new SvcError('INVALID_MESSAGE', '"collection" must be the name of a collection.')
  subscriptions.get(collection)?.end()
  if (subscriptions.delete(collection)) http.backend.connections.unsubscribed(listed, collection)
  sendMessage(state, { type: 'unsubscribed', collection })
}

function readSubscribeRequest(
  { dialect }: SocketState,
  { collection, filters = {}, live = false, since }: JsonObject,
): SubscribeRequest {
  if (typeof collection !== 'string')
    throw new SvcError('INVALID_MESSAGE', '"collection" must be the name of a collection.')
  if (!isObject(filters)) throw new SvcError('INVALID_FILTER', '"filters" must be an object of fields and values.')
  if (typeof live !== 'boolean') throw new SvcError('INVALID_MESSAGE', '"live" must be true or false.')
  return { collection, where: decodeFilters(dialect, filters), filters, isLive: live, since: readSince(since) }
}

function readSince(since: unknown): number | undefined {
  if (since === undefined || since === null) return undefined
  if (typeof since === 'number' && Number.isSafeInteger(since) && since >= 0) return since
  throw new SvcError('INVALID_MESSAGE', '"since" must be the "seq" of an event.')
}

/** Reports every problem with a token as `UNAUTHORIZED`. Spec, "Events" 3. */
function asUnauthorized(error: unknown): never {
  if (error instanceof SvcError && httpStatus(error) === 401) throw new SvcError('UNAUTHORIZED', error.message)
  throw error
}

/** Spec, "Events" 3. */
function asInvalidCollection(error: unknown): unknown {
  const isMissing = error instanceof SvcError && error.code === 'NOT_FOUND'
  return isMissing ? new SvcError('INVALID_COLLECTION', error.message) : error
}

async function handle(state: SocketState, text: string | undefined): Promise<void> {
  const message = text === undefined ? undefined : await readMessage(text)
  const type = typeof message?.type === 'string' && Object.hasOwn(messageHandlers, message.type) ? message.type : ''
  if (!message || !type) {
    const types = Object.keys(messageHandlers).join(', ')
    return refuseMessage(state, new SvcError('INVALID_MESSAGE', `Send JSON whose "type" is one of: ${types}.`))
  }
  const collection = typeof message.collection === 'string' ? message.collection : undefined
  try {
    await messageHandlers[type]?.(state, message)
    state.invalidMessages = 0
  } catch (error) {
    refuseMessage(state, error, collection)
    if (type !== 'auth' && type !== 'subscribe') return
    state.http.backend.connections.refused(state.listed, readCode(error), collection)
  }
}

function refuseMessage(state: SocketState, error: unknown, collection?: string): void {
  state.invalidMessages = readCode(error) === 'INVALID_MESSAGE' ? state.invalidMessages + 1 : 0
  sendFailure(state, error, collection)
}

export function readCode(error: unknown): string {
  return asSvcError(error)?.code ?? 'INTERNAL'
}

export async function readMessage(text: string): Promise<JsonObject | undefined> {
  try {
    const message = await parseMeasured(Buffer.from(text))
    // Skips filters, which have their own rules and error messages.
    const { filters: _, ...rest } = message
    requireStorable(rest)
    return message
  } catch {
    return undefined
  }
}
