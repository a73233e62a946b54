/** Defines an outbox that survives the page, for the store. `svc-toolkit-client/offline` implements it. */
import type { Client } from '../index.js'
import type { Document } from '../protocol/model/document.js'
import type { SvcError } from '../protocol/model/errors.js'
import type { Mutation, Write } from './mutation.js'
import type { Outbox } from './outbox.js'

/** A write in the outbox, as an app sees it. */
export interface QueuedWrite extends Write {
  readonly state: 'pending' | 'sending' | 'conflict'
  /** Why it is a conflict. */
  readonly error?: SvcError | undefined
  /** In a conflict: the document as the service has it. Undefined if it does not exist. */
  readonly theirs?: Document | undefined
}

/**
 * Says where writes are kept. `memory`: nowhere, without `persist`. `unavailable`: nowhere, because the browser lacks IndexedDB or
 * Web Locks, as in private mode or without HTTPS. `outdated`: nowhere, because another tab runs a newer version of the
 * client. `full`: the device has no space, so writes are refused. `unsupported`: the service has no idempotency keys, so
 * writes are refused.
 */
export type StorageState = 'memory' | 'opening' | 'ready' | 'unavailable' | 'outdated' | 'full' | 'unsupported'

export interface OutboxState {
  readonly storage: StorageState
  /** Why writes are not kept, in a sentence. */
  readonly problem: SvcError | undefined
  /** Writes that have not been sent, in order. */
  readonly pending: readonly QueuedWrite[]
  /** The write that is being sent. */
  readonly sending: QueuedWrite | undefined
  /** Writes that the service refused. They are not sent again before you decide. */
  readonly conflicts: readonly QueuedWrite[]
  /** Why writes wait, if the service is unreachable or busy, or the session has ended. */
  readonly waiting: SvcError | undefined
}

/** Decides about a conflict: sends the write again, drops it, or sends it with other fields. */
export type Decision = 'retry' | 'discard' | { readonly body: object }

export interface PersistenceOptions {
  readonly onChange: () => void
  /** Drops a saved write once lists show it. */
  dropLater(mutation: Mutation, drop: () => void): void
  /** Returns a whole document that a list has read. */
  find(collection: string, id: string): Document<object> | undefined
  /** Opens an outbox in memory, for a browser that keeps nothing. */
  openPlain(): Outbox
}

/** Keeps writes and lists in the browser. Returned by `offline()` of `svc-toolkit-client/offline`. */
export interface Persistence {
  /** Opens the outbox of the signed-in user. */
  open(client: Client, options: PersistenceOptions): PersistedOutbox
}

/** The last known page of a list. */
export interface KeptPage {
  readonly page: unknown
  /** Saved writes that it includes: those up to this turn. 0 or less for writes that were saved before the outbox opened. */
  readonly turn: number
}

/** An outbox that survives the page. */
export interface PersistedOutbox extends Outbox {
  state(): OutboxState
  decide(key: string, decision: Decision): void
  /** Returns the last known page of a list, after `mutations` has the saved writes that it does not include. */
  readPage(key: string): Promise<Partial<KeptPage>>
  writePage(key: string, page: unknown, turn: number): void
  /** Stops sending after a sign-out, and forgets the pages. */
  close(): void
}
