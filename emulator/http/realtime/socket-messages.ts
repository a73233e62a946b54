/** What a client may send over a WebSocket. Contract 9.1 and 9.2. */
import { httpStatus, SvcError } from '../../../client/protocol/model/errors.js'
import { isObject, type JsonObject } from '../../../client/protocol/model/json.js'
import { dialects, parseDialect } from '../../../client/protocol/wire/dialects.js'
import { decodeFilters } from '../../../client/protocol/wire/query/decode.js'
import type { Identity } from '../../core/context.js'
import { identifyText } from '../../core/logins/credentials.js'
import { type Asker, type CollectionSubscription, subscribe, type Wish } from '../../core/realtime/subscriptions.js'
import { withinKeyBudget } from '../guards/identify.js'
import { requireOrigin } from '../guards/origins.js'
import { frameOf } from './frames.js'
import { closes, endAll, type SocketState, sendBytes, sendFailure, sendMessage, takePlace } from './socket-state.js'

const mostSubscriptions = 100

type Handle = (state: SocketState, message: JsonObject) => Promise<void>

/** By the type of the message. */
export const messageHandlers: Readonly<Record<string, Handle>> = {
  auth: authenticate,
  subscribe: beginSubscription,
  unsubscribe: endSubscription,
  async ping(state) {
    sendMessage(state, { type: 'pong' })
  },
}

async function authenticate(state: SocketState, { token }: JsonObject): Promise<void> {
  const { http, handshake } = state
  const { backend, isOpenTo, publicBudget, streams } = http
  const found = await withinKeyBudget(publicBudget, handshake.address, () =>
    identifyText(backend, typeof token === 'string' ? token : ''),
  ).catch(asUnauthorized)
  const { settings } = found.project
  requireOrigin(handshake.origin, handshake.host, { allowed: settings.allowedOrigins, isOpenTo })
  if (state.identity && state.identity.project.id !== found.project.id) {
    throw new SvcError('INVALID_MESSAGE', 'This connection belongs to another project already.')
  }
  if (!hasPlace(state, found)) return
  state.dialect = parseDialect(handshake.dialect, parseDialect(settings.dialect, dialects.a))
  state.unwatch()
  state.unwatch = streams.watch.watch(found, {
    changed: (identity) => review(state, identity),
    ended: () => endIdentity(state),
  })
  sendMessage(state, { type: 'authenticated' })
  state.identity = found
  backend.connections.identified(state.listed)
  await review(state, found)
}

/** Who finds no place is told why, and may come back. */
function hasPlace(state: SocketState, found: Identity): boolean {
  try {
    takePlace(state, found)
    return true
  } catch (error) {
    // One that was somebody already stays that.
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

/** The key or the session is good for nothing any more. */
function endIdentity(state: SocketState): void {
  endAll(state)
  sendFailure(state, new SvcError('UNAUTHORIZED', 'The key or the session of this connection has ended.'))
  state.socket.close(closes.policy, 'unauthorized')
}

async function beginSubscription(state: SocketState, message: JsonObject): Promise<void> {
  const { subscriptions, subscriber, identity: known } = state
  if (!known) throw new SvcError('UNAUTHORIZED', 'Send "auth" before "subscribe".')
  const wish = readWish(state, message)
  if (!subscriptions.has(wish.collection) && subscriptions.size >= mostSubscriptions) {
    throw new SvcError('RATE_LIMITED', `A connection holds at most ${mostSubscriptions} subscriptions.`)
  }
  // Replaced, it goes on where it was: nothing is lost between the two.
  const replaced = subscriptions.get(wish.collection)
  await untilBegun(state, { identity: () => state.identity ?? known, subscriber, replaced }, wish, message)
}

/** Resolves once the subscription has begun and its statements are done. Missed changes are replayed while further messages are handled. */
function untilBegun(
  state: SocketState,
  asker: Asker,
  wish: Wish,
  { filters = {}, position }: JsonObject,
): Promise<void> {
  const { subscriptions, http, listed } = state
  const { connections } = http.backend
  const { collection } = wish
  let own: CollectionSubscription | undefined
  return new Promise((resolve, reject) => {
    subscribe(http.backend, asker, wish, {
      // Who asks for the position can resume a stream that was cut before its first event.
      begun(seq, subscription, reviewed) {
        own = subscription
        subscriptions.set(collection, subscription)
        connections.subscribed(listed, collection)
        sendMessage(state, { type: 'subscribed', collection, filters, ...(position === true ? { seq } : {}) })
        resolve(reviewed)
      },
      event: (change, kind, of) => sendBytes(state, frameOf(change, kind, of, state.dialect).message),
      live: (seq) => sendMessage(state, { type: 'live', collection, seq }),
      resync: (why) => sendFailure(state, why, collection),
      ended(why) {
        if (subscriptions.get(collection) === own) subscriptions.delete(collection)
        connections.unsubscribed(listed, collection, why.code)
        sendFailure(state, why, collection)
      },
    }).catch((error) => {
      asker.replaced?.end()
      // Another has taken its place while it was replayed.
      if (own && subscriptions.get(collection) !== own) return
      subscriptions.delete(collection)
      if (own) sendFailure(state, error, collection)
      else reject(asInvalidCollection(error))
    })
  })
}

async function endSubscription(state: SocketState, { collection }: JsonObject): Promise<void> {
  const { http, listed, subscriptions } = state
  if (typeof collection !== 'string') throw new SvcError('INVALID_MESSAGE', '"collection" takes a name.')
  subscriptions.get(collection)?.end()
  if (subscriptions.delete(collection)) http.backend.connections.unsubscribed(listed, collection)
  sendMessage(state, { type: 'unsubscribed', collection })
}

function readWish({ dialect }: SocketState, { collection, filters = {}, live = false, since }: JsonObject): Wish {
  if (typeof collection !== 'string') throw new SvcError('INVALID_MESSAGE', '"collection" takes a name.')
  if (!isObject(filters)) throw new SvcError('INVALID_FILTER', '"filters" takes an object of fields and values.')
  if (typeof live !== 'boolean') throw new SvcError('INVALID_MESSAGE', '"live" takes true or false.')
  return { collection, where: decodeFilters(dialect, filters), filters, isLive: live, since: readSince(since) }
}

function readSince(since: unknown): number | undefined {
  if (since === undefined || since === null) return undefined
  if (typeof since === 'number' && Number.isSafeInteger(since) && since >= 0) return since
  throw new SvcError('INVALID_MESSAGE', '"since" takes the "seq" of an event.')
}

/** Spec, "Events" 3: whatever is wrong with the token. */
function asUnauthorized(error: unknown): never {
  if (error instanceof SvcError && httpStatus(error) === 401) throw new SvcError('UNAUTHORIZED', error.message)
  throw error
}

/** Spec, "Events" 3. */
function asInvalidCollection(error: unknown): unknown {
  const isMissing = error instanceof SvcError && error.code === 'NOT_FOUND'
  return isMissing ? new SvcError('INVALID_COLLECTION', error.message) : error
}
