/** Server-sent events: one subscription per answer. Contract 9.5. */
import type { ServerResponse } from 'node:http'
import type { SvcError } from '../../../client/protocol/model/errors.js'
import type { Dialect } from '../../../client/protocol/wire/axes.js'
import type { FairSemaphore } from '../../core/concurrency/fair-semaphore.js'
import type { Context, Identity } from '../../core/context.js'
import type { ConnectionView, OpenConnection } from '../../core/realtime/open-connections.js'
import { type SubscribeRequest, type SubscriptionHandle, subscribe } from '../../core/realtime/subscriptions.js'
import { openTransport } from '../../core/realtime/transport.js'
import { describeCaller } from '../guards/identify.js'
import type { IdentityWatch } from '../guards/identity-watch.js'
import { cutOff } from '../reply/ends.js'
import { openBackpressure } from './backpressure.js'
import type { ConnectionSlots, SlotHolder } from './connection-slots.js'
import { encodeFrame } from './frames.js'

const commentMilliseconds = 15_000
const retryMilliseconds = 1_000

/** An answer that goes on after its headers. */
export interface Stream {
  open(res: ServerResponse): void
  /** Set if the stream closes slow readers itself. Other answers are watched by throughput. */
  readonly hasBackpressure?: true
}

/** State shared by the streams of a process. */
export interface Streams {
  readonly watch: IdentityWatch
  /** Ends all open streams. */
  readonly open: Set<() => void>
  readonly places: ConnectionSlots
  /** Limits messages and stream openings in progress. */
  readonly atWork: FairSemaphore
}

export const eventStreamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  // Proxies that compress or buffer answers would delay the events.
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
}

/** The request that opens a stream. */
export interface Surroundings {
  readonly dialect: Dialect
  readonly streams: Streams
  readonly address: string
  readonly origin: string | null
}

/** Resolves once the subscription has begun. Until then it fails like any request, also if all slots are taken. */
export function streamEvents(ctx: Context, request: SubscribeRequest, surroundings: Surroundings): Promise<Stream> {
  // Destructures, so that the closures below don't keep the whole context alive for the length of the stream.
  const { backend, project, caller } = ctx
  const { dialect, streams, address, origin } = surroundings
  let res: ServerResponse | undefined
  let isOver = false
  let subscription: SubscriptionHandle | undefined
  let unwatch = () => {}
  let identity: Identity = { project, caller }
  let listed: OpenConnection | undefined
  let bytesSent = 0
  const early: Buffer[] = []
  const destroy = () => res && cutOff(res)
  const placed = takeSlot(surroundings, identity, { close, destroy })
  const waitingBytes = () => res?.writableLength ?? early.reduce((sum, { length }) => sum + length, 0)
  const transport = openTransport(openBackpressure({ isOpen: () => !isOver, waitingBytes, giveUp }))

  function write(bytes: Buffer): void {
    if (isOver) return
    bytesSent += bytes.length
    if (!res) early.push(bytes)
    else res.write(bytes)
  }

  function end(why?: string): void {
    if (isOver) return
    isOver = true
    if (listed) backend.connections.closed(listed, why)
    subscription?.end()
    unwatch()
    streams.open.delete(close)
    streams.places.identified.leave(placed)
    res?.end()
  }

  /** Ends streams one by one, because clients that are closed at once also reconnect at once. */
  function close(): void {
    write(Buffer.from(`retry: ${retryMilliseconds + Math.floor(Math.random() * retryMilliseconds)}\n\n`))
    end('closed by the service')
  }

  /** Destroys the connection, which discards the buffer of a client that doesn't read. */
  function giveUp(): void {
    end('too far behind')
    destroy()
  }

  function open(opened: ServerResponse): void {
    res = opened
    for (const bytes of early.splice(0)) res.write(bytes)
    // HEAD requests get only the headers, and a client that has left gets nothing.
    if (opened.req.method === 'HEAD' || opened.destroyed) end()
    if (isOver) return void res.end()
    streams.open.add(close)
    const comments = setInterval(() => write(Buffer.from(':\n\n')), commentMilliseconds)
    comments.unref()
    opened.on('close', () => {
      clearInterval(comments)
      end()
    })
  }

  return new Promise((resolve, reject) => {
    unwatch = streams.watch.watch(identity, {
      changed(now) {
        identity = now
        return subscription?.review()
      },
      ended: () => end('the key or the session has ended'),
    })
    subscribe(backend, { identity: () => identity, transport }, request, {
      begun(seq, begun, reviewed) {
        // Holds the slot until its statements are done, so that other streams of this key wait.
        void reviewed.then(() => resolve({ open, hasBackpressure: true }))
        // It may have been closed while it began, and nothing would close it again.
        if (isOver) return void begun.end()
        subscription = begun
        const own = { begun, identity: () => identity, bytesSent: () => bytesSent, waitingBytes, close }
        listed = list(backend, request, { address, origin, ...own })
        // Sends an id without an event, so that a stream cut before its first event resumes without a gap.
        write(Buffer.from(`retry: ${retryMilliseconds}\nid: ${seq}\n\n`))
      },
      event: (change, kind, collection) => write(encodeFrame(change, kind, collection, dialect).sse),
      resync: ({ code, message }) => write(failure(code, message)),
      ended(why: SvcError) {
        write(failure(why.code, why.message))
        end(why.code)
      },
      // The only subscription of its connection is always in order.
      live: () => undefined,
    }).catch((error) => {
      reject(error)
      end()
    })
  })
}

/** @throws {SvcError} `RATE_LIMITED`, `UNAVAILABLE` */
function takeSlot({ streams, address }: Surroundings, { caller }: Identity, ends: Ends): SlotHolder {
  const placed = { address, session: caller.user?.sessionId, ...ends }
  streams.places.identified.enter(placed)
  return placed
}

type Ends = Pick<SlotHolder, 'close' | 'destroy'>

interface Listing
  extends Pick<ConnectionView, 'address' | 'origin' | 'identity' | 'bytesSent' | 'waitingBytes' | 'close'> {
  readonly begun: SubscriptionHandle
}

/** Lists the stream as a connection with one subscription. */
function list(
  { connections }: Context['backend'],
  { collection }: SubscribeRequest,
  { begun, ...view }: Listing,
): OpenConnection {
  const listed = connections.add({
    ...view,
    transport: 'sse',
    who: () => describeCaller(view.identity()?.caller),
    subscriptions: () => [begun.view()],
  })
  connections.identified(listed)
  connections.subscribed(listed, collection)
  return listed
}

function failure(code: string, message: string): Buffer {
  return Buffer.from(`data: ${JSON.stringify({ type: 'error', code, message })}\n\n`)
}
