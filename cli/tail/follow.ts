/** Changes of several collections as one stream, in the order they came. */
import { EventEmitter, on } from 'node:events'
import type { Client, DocumentChange, RealtimeStatus, SubscribeOptions, SvcError } from '../../client/index.js'

/** What happened to a collection, or to the subscription to it. */
export type TailEvent = { readonly collection: string } & (
  | { readonly type: 'event'; readonly change: DocumentChange }
  | { readonly type: 'resync' }
  | { readonly type: 'lost' }
  | { readonly type: 'back' }
  | { readonly type: 'ended'; readonly error: SvcError }
  | { readonly type: 'again' }
)

/** How far a collection was followed. */
export interface Place {
  /** The last change that came; undefined is from now. */
  since: number | undefined
}

export interface Following {
  /**
   * Subscribes to one more collection, behind its place, which each change moves on. Resolves once the service publishes to it,
   * and rejects when the signal aborts first.
   */
  add(collection: string, place?: Place): Promise<void>
  /** Whether it is subscribed to. */
  has(collection: string): boolean
  /** Everything from the beginning, until the signal aborts. */
  events(): AsyncGenerator<TailEvent, void, undefined>
  close(): void
}

export function follow(client: Client, where: SubscribeOptions['where'], signal: AbortSignal): Following {
  const emitter = new EventEmitter()
  const waiting = on(emitter, 'event', { signal })
  const stop = new AbortController()
  const subscribed = new Set<string>()
  const ended = new Set<string>()
  // What is not open yet would otherwise be waited for: a connection is tried again for as long as nothing ends it.
  signal.addEventListener('abort', () => stop.abort(), { once: true })
  const emit = (event: TailEvent) => emitter.emit('event', event)

  return {
    add(collection, place = { since: undefined }) {
      let before: RealtimeStatus = 'connecting'
      subscribed.add(collection)
      return client.collection(collection).subscribe({
        where,
        since: place.since,
        signal: stop.signal,
        onChange(change) {
          place.since = change.seq
          emit({ type: 'event', collection, change })
        },
        onResync: () => emit({ type: 'resync', collection }),
        onError(error) {
          subscribed.delete(collection)
          ended.add(collection)
          emit({ type: 'ended', collection, error })
        },
        onStatus(status) {
          // What was never there is not lost.
          if (before === 'connecting' && status !== 'open') return
          if (status === 'reconnecting') emit({ type: 'lost', collection })
          if (status === 'open' && before === 'reconnecting') emit({ type: 'back', collection })
          if (status === 'open' && ended.delete(collection)) emit({ type: 'again', collection })
          before = status
        },
      }).ready
    },
    has: (collection) => subscribed.has(collection),
    async *events() {
      try {
        for await (const [event] of waiting) yield event as TailEvent
      } catch (error) {
        if (!signal.aborted) throw error
      }
    },
    close: () => stop.abort(),
  }
}
