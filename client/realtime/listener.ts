import type { SvcError } from '../protocol/model/errors.js'
import type { JsonObject } from '../protocol/model/json.js'

/** One subscription as a transport sees it: what it asks for, and whom it tells. */
export interface Listener {
  readonly collection: string
  /** Aborts when nobody listens any more. */
  readonly signal: AbortSignal
  readonly filters: JsonObject
  readonly live: boolean
  /** The last change it knows of; it goes on behind that. */
  since(): number | undefined
  /** What the service says of it: that it begins, a change, a gap, its end. */
  heard(message: JsonObject): void
  /** It was told of everything up to that number, if only because nothing concerned it. */
  passed(seq: number): void
  /** The connection is gone and will be tried again. */
  lost(): void
  /** Nothing more will come. */
  ended(error: SvcError): void
}

/** A way to the service. */
export type Transport = (listener: Listener) => void
