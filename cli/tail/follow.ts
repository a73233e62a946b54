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
)

export interface Following {
  /** Subscribes to one more collection, from now or behind a change; resolves once the service publishes to it, and rejects when the signal aborts first. */
  add(collection: string, since?: number): Promise<void>
  /** Everything from the beginning, until the signal aborts. */
  events(): AsyncGenerator<TailEvent, void, undefined>
  close(): void
}

export function follow(client: Client, where: SubscribeOptions['where'], signal: AbortSignal): Following {
  const emitter = new EventEmitter()
  const waiting = on(emitter, 'event', { signal })
  const stop = new AbortController()
  // What is not open yet would otherwise be waited for: a connection is tried again for as long as nothing ends it.
  signal.addEventListener('abort', () => stop.abort(), { once: true })
  const emit = (event: TailEvent) => emitter.emit('event', event)

  return {
    add(collection, since) {
      let before: RealtimeStatus = 'connecting'
      return client.collection(collection).subscribe({
        where,
        since,
        signal: stop.signal,
        onChange: (change) => emit({ type: 'event', collection, change }),
        onResync: () => emit({ type: 'resync', collection }),
        onError: (error) => emit({ type: 'ended', collection, error }),
        onStatus(status) {
          // What was never there is not lost.
          if (before === 'connecting' && status !== 'open') return
          if (status === 'reconnecting') emit({ type: 'lost', collection })
          if (status === 'open' && before === 'reconnecting') emit({ type: 'back', collection })
          before = status
        },
      }).ready
    },
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
