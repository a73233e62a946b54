import type { Session } from '../auth/session.js'
import { toWhere } from '../collections/where.js'
import { later } from '../later.js'
import type { Change } from '../protocol/model/change.js'
import type { Document, Fields } from '../protocol/model/document.js'
import { asError, SvcError } from '../protocol/model/errors.js'
import type { Json, JsonObject } from '../protocol/model/json.js'
import { documentDecoders } from '../protocol/wire/document/decode.js'
import { decodeFailure } from '../protocol/wire/errors/message.js'
import { decodeChange } from '../protocol/wire/frames/decode.js'
import { requireName } from '../protocol/wire/paths/encode.js'
import { encodeFilters } from '../protocol/wire/query/encode.js'
import { isTransient, pause } from '../send.js'
import type { WhereInput } from '../types.js'
import { openFeed } from './feed.js'

/** A change of one document. */
export interface DocumentChange<Data = Fields> {
  readonly kind: Change['kind']
  /** The document after the change; if deleted, before it. */
  readonly document: Document<Data>
  /** Sequence number of the change in the project. Pass it as `since` to resume after it. */
  readonly seq: number
}

/** `open` while changes are received; `reconnecting` after the connection was lost. */
export type RealtimeStatus = 'connecting' | 'open' | 'reconnecting' | 'closed'

export interface SubscribeOptions<Data = Fields> {
  /** Receives only changes of documents that match. */
  readonly where?: WhereInput<Data>
  /** Reports documents that stop matching as deleted, and those that start matching as created. */
  readonly live?: boolean
  /** Starts after this change. Default: from now. */
  readonly since?: number
  /** Closes the subscription. */
  readonly signal?: AbortSignal
  /** Called with each change. Changes are then not queued for `for await`. */
  readonly onChange?: (change: DocumentChange<Data>) => void
  readonly onStatus?: (status: RealtimeStatus) => void
  /**
   * Called when you must read your data again: missed changes are no longer available, or another user has signed in, who
   * may have other permissions. Without it, missed changes are an error.
   */
  readonly onResync?: () => void
  /** Called if the service refuses or ends the subscription. */
  readonly onError?: (error: SvcError) => void
}

/** Delivers each change once and in order, even across reconnects. */
export interface Subscription<Data = Fields> extends AsyncIterable<DocumentChange<Data>> {
  readonly status: RealtimeStatus
  /** Resolves once the subscription receives changes. Rejects if it is refused. */
  readonly ready: Promise<void>
  close(): void
}

export function openSubscription<Data>(
  session: Session,
  collection: string,
  options: SubscribeOptions<Data>,
): Subscription<Data> {
  const { where, live, signal, onChange, onResync } = options
  let { since } = options
  const over = new AbortController()
  const { reader, put, become, close, isClosed } = openFeed<DocumentChange<Data>, RealtimeStatus>(options, (error) => {
    over.abort(error)
    unsubscribe()
    failed(error ?? over.signal.reason)
  })
  const unsubscribe = session.auth.onChange((_, isSame) => {
    if (!isSame) later(onResync)
  })
  let begun: (() => void) | undefined
  let failed: (why: unknown) => void
  const ready = new Promise<void>((resolve, reject) => {
    begun = resolve
    failed = reject
  })
  // Avoids an unhandled rejection; `onError` reports the failure too.
  ready.catch(() => {})

  async function begin() {
    while (!isClosed()) {
      try {
        requireName(collection)
        const filters = encodeFilters(await session.dialect(), toWhere(where))
        if (isClosed()) return
        return session.listen({
          signal: over.signal,
          collection,
          filters,
          live,
          since: () => since,
          receive,
          lost(failure, seq) {
            // Until it is open, the position of the connection does not apply to it.
            if (reader.status === 'open') passed(seq)
            if (failure) close(failure)
            become('reconnecting')
          },
        })
      } catch (error) {
        const failure = asError(error)
        if (!isTransient(failure)) return close(failure)
        become('reconnecting')
        // The sender has already retried.
        await pause(1_000, over.signal)
      }
    }
  }

  function receive(message: JsonObject) {
    const failure = decodeFailure(message)
    if (failure?.code === 'UNAVAILABLE') throw failure
    if (failure?.code === 'RESYNC') return miss()
    // Closes after the earlier changes have been delivered.
    if (failure) return queueMicrotask(() => close(failure))
    try {
      const change = decodeChange(message, documentDecoders.enveloped)
      if (change) hand(change as DocumentChange<Data>)
      else start(message.seq)
    } catch (cause) {
      close(asError(cause, 'INVALID_RESPONSE'))
    }
  }

  /** Marks the subscription as open. After a reconnect without a known position, changes may be missing. */
  function start(seq: Json | undefined) {
    const isGap = !begun && reader.status !== 'open' && since === undefined
    passed(seq)
    become('open')
    begun?.()
    begun = undefined
    if (isGap) miss()
  }

  function passed(seq: Json | undefined) {
    if (typeof seq === 'number') since = Math.max(since ?? seq, seq)
  }

  function hand(change: DocumentChange<Data>) {
    if (change.seq <= (since as number)) return
    since = change.seq
    if (onChange) later(() => isClosed() || onChange(change))
    else put(change)
  }

  /** Continues from now, after changes were missed. */
  function miss() {
    since = undefined
    if (onResync) later(onResync)
    else queueMicrotask(() => close(new SvcError('RESYNC', 'Changes were missed. Read the collection again.')))
  }

  signal?.addEventListener('abort', () => close(), { signal: over.signal })
  if (signal?.aborted) close()
  void begin()
  return Object.assign(reader, { ready })
}
