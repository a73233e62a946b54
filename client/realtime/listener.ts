import type { SvcError } from '../model/errors.js'
import type { JsonObject } from '../model/json.js'
import type { ToldChange } from '../wire/messages.js'

/** One subscription as a transport sees it: what it asks for, and whom it tells. */
export interface Listener {
  readonly collection: string
  readonly filters: JsonObject
  readonly live: boolean
  /** The last change it knows of; it goes on behind that. */
  since: number | undefined
  /** The service has begun to tell. */
  opened(): void
  told(change: ToldChange): void
  /** The connection is gone and will be tried again. */
  lost(): void
  /** Changes may have passed that nobody can tell any more. */
  missed(): void
  /** Nothing more will come. */
  ended(error: SvcError): void
}

/** A way to the service. Answers how a listener is taken off again. */
export type Transport = (listener: Listener) => () => void

/** Tells a listener of a change that it does not know of yet. */
export function tell(listener: Listener, change: ToldChange): void {
  if (change.seq <= (listener.since ?? -1)) return
  listener.since = change.seq
  listener.told(change)
}

/** From where a stream tells that begins; one that comes back and does not know from where has a gap. */
export function tellOfStart(listener: Listener, seq: unknown, isReturning: boolean): void {
  const isGap = isReturning && listener.since === undefined
  if (typeof seq === 'number') listener.since ??= seq
  listener.opened()
  if (isGap) listener.missed()
}

/** The stream goes on, from now. */
export function tellOfGap(listener: Listener): void {
  listener.since = undefined
  listener.missed()
}
