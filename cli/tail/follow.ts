/** Merges the changes of several collections into one stream, in order of arrival. */
import { EventEmitter, on } from 'node:events'
import type { Client, DocumentChange, RealtimeStatus, SubscribeOptions, SvcError } from '../../client/index.js'

export type TailEvent = { readonly collection: string } & (
  | { readonly type: 'event'; readonly change: DocumentChange }
  | { readonly type: 'resync' }
  | { readonly type: 'lost' }
  | { readonly type: 'back' }
  | { readonly type: 'ended'; readonly error: SvcError }
  | { readonly type: 'again' }
)

/** The position in the changes of a collection. */
export interface Position {
  /** The last received change, or undefined to start now. */
  since: number | undefined
}

export interface Following {
  /**
   * Subscribes to another collection from its position, which each change advances. Resolves once the subscription is open, and
   * rejects if the signal aborts first.
   */
  add(collection: string, position?: Position): Promise<void>
  has(collection: string): boolean
  /** Yields all events, until the signal aborts. */
  events(): AsyncGenerator<TailEvent, void, undefined>
  close(): void
}

export function follow(client: Client, where: SubscribeOptions['where'], signal: AbortSignal): Following {
  const emitter = new EventEmitter()
  const waiting = on(emitter, 'event', { signal })
  const stop = new AbortController()
  const subscribed = new Set<string>()
  const ended = new Set<string>()
  // Ends subscriptions that are still connecting, because they would retry forever.
  signal.addEventListener('abort', () => stop.abort(), { once: true })
  const emit = (event: TailEvent) => emitter.emit('event', event)

  return {
    add(collection, position = { since: undefined }) {
      let before: RealtimeStatus = 'connecting'
      subscribed.add(collection)
      return client.collection(collection).subscribe({
        where,
        since: position.since,
        signal: stop.signal,
        onChange(change) {
          position.since = change.seq
          emit({ type: 'event', collection, change })
        },
        onResync: () => emit({ type: 'resync', collection }),
        onError(error) {
          subscribed.delete(collection)
          ended.add(collection)
          emit({ type: 'ended', collection, error })
        },
        onStatus(status) {
          // A connection that was never open cannot be lost.
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
