/** Changes of several collections as one stream, in the order they came. */
import { EventEmitter, on } from 'node:events'
import type { Client, DocumentChange, SubscribeOptions, SvcError } from '../../client/index.js'

/** What there is to tell of a collection. */
export type Told = { readonly collection: string } & (
  | { readonly type: 'event'; readonly change: DocumentChange }
  | { readonly type: 'resync' }
  | { readonly type: 'lost' }
  | { readonly type: 'back' }
  | { readonly type: 'ended'; readonly error: SvcError }
)

export interface Following {
  /** Listens to one more collection, from now or behind a change; resolves once the service tells of it. */
  add(collection: string, since?: number): Promise<void>
  /** Everything from the beginning, until the signal aborts. */
  told(): AsyncGenerator<Told, void, undefined>
  close(): void
}

export function follow(client: Client, where: SubscribeOptions['where'], signal: AbortSignal): Following {
  const emitter = new EventEmitter()
  const waiting = on(emitter, 'told', { signal })
  const stop = new AbortController()
  const tell = (told: Told) => emitter.emit('told', told)

  return {
    add(collection, since) {
      let wasLost = false
      return client.collection(collection).subscribe({
        where,
        since,
        signal: stop.signal,
        onChange: (change) => tell({ type: 'event', collection, change }),
        onResync: () => tell({ type: 'resync', collection }),
        onError: (error) => tell({ type: 'ended', collection, error }),
        onStatus(status) {
          if (status === 'reconnecting') tell({ type: 'lost', collection })
          if (status === 'open' && wasLost) tell({ type: 'back', collection })
          wasLost = status === 'reconnecting'
        },
      }).ready
    },
    async *told() {
      try {
        for await (const [told] of waiting) yield told as Told
      } catch (error) {
        if (!signal.aborted) throw error
      }
    },
    close: () => stop.abort(),
  }
}
