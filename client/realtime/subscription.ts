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

/** What became of a document. */
export interface DocumentChange<Data = Fields> {
  readonly kind: Change['kind']
  /** As it is after the change; of a deleted one, what it was. */
  readonly document: Document<Data>
  /** Its place among the changes of the project; `since` takes it. */
  readonly seq: number
}

/** `open` while the service sends; `reconnecting` where there is no connection, and another is tried. */
export type RealtimeStatus = 'connecting' | 'open' | 'reconnecting' | 'closed'

export interface SubscribeOptions<Data = Fields> {
  /** Only changes of documents that match. */
  readonly where?: WhereInput<Data>
  /** What no longer matches comes as deleted, and what begins to as created. */
  readonly live?: boolean
  /** The changes behind this one; left out, from now. */
  readonly since?: number
  /** Closes the subscription when it aborts. */
  readonly signal?: AbortSignal
  /** Called with each change, which then does not wait for `for await`. */
  readonly onChange?: (change: DocumentChange<Data>) => void
  readonly onStatus?: (status: RealtimeStatus) => void
  /**
   * Read again what you show: changes were missed that the service no longer keeps, or another user has signed in, who may read
   * something else. Without it, the first is an error.
   */
  readonly onResync?: () => void
  /** The service ended the subscription, or never began it. */
  readonly onError?: (error: SvcError) => void
}

/** Changes as they happen. Each comes once, in order, also over a connection that was lost in between. */
export interface Subscription<Data = Fields> extends AsyncIterable<DocumentChange<Data>> {
  readonly status: RealtimeStatus
  /** Resolves once changes are received from now on; fails if they never will be. */
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
  // Who does not wait for it learns of a failure by `onError`.
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
            // Before it is open it receives nothing, whatever the others do.
            if (reader.status === 'open') passed(seq)
            if (failure) close(failure)
            become('reconnecting')
          },
        })
      } catch (error) {
        const failure = asError(error)
        if (!isTransient(failure)) return close(failure)
        become('reconnecting')
        // What passes was tried several times already.
        await pause(1_000, over.signal)
      }
    }
  }

  function receive(message: JsonObject) {
    const failure = decodeFailure(message)
    if (failure?.code === 'UNAVAILABLE') throw failure
    if (failure?.code === 'RESYNC') return miss()
    // After the changes before it, which are handed on.
    if (failure) return queueMicrotask(() => close(failure))
    try {
      const change = decodeChange(message, documentDecoders.enveloped)
      if (change) hand(change as DocumentChange<Data>)
      else start(message.seq)
    } catch (cause) {
      close(asError(cause, 'INVALID_RESPONSE'))
    }
  }

  /** It begins, or how far it has come; who comes back and does not know from where has a gap. */
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

  /** The stream goes on, from now. */
  function miss() {
    since = undefined
    if (onResync) later(onResync)
    else queueMicrotask(() => close(new SvcError('RESYNC', 'Changes were missed. Read again.')))
  }

  signal?.addEventListener('abort', () => close(), { signal: over.signal })
  if (signal?.aborted) close()
  void begin()
  return Object.assign(reader, { ready })
}
