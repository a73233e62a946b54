/** What happens in an emulator, for developers: one list for the core, the control API and the command line. */
import type { JsonObject } from '../json.js'

/** By what they are about. */
export const eventGroups = {
  document: ['created', 'updated', 'deleted'],
  collection: ['created', 'changed', 'removed'],
  user: ['created', 'changed', 'removed'],
  login: ['succeeded', 'failed', 'ended'],
  file: ['uploaded', 'removed'],
  mail: ['sent', 'refused'],
  /** `answered` is for streams that name it: requests that went well. */
  request: ['refused', 'failed', 'answered'],
  connection: ['opened', 'closed', 'refused', 'subscribed', 'unsubscribed'],
  fault: ['added', 'removed'],
  clock: ['moved', 'reset'],
  snapshot: ['saved', 'loaded', 'removed', 'undone'],
  project: ['created', 'changed', 'reset', 'seeded', 'removed'],
  /** Of the stream itself, whatever it was asked for. */
  stream: ['opened', 'missed'],
} as const

type Groups = typeof eventGroups

export type EventGroup = keyof Groups

export type EventKind = { [Group in EventGroup]: `${Group}.${Groups[Group][number]}` }[EventGroup]

export interface DocumentDetails<Data> {
  /** The number of the change in its project. */
  readonly seq: number
  readonly collection: string
  readonly id: string
  readonly version: number
  /** As it is afterwards; a deleted one, as it was last. null where it is over 64 KB. */
  readonly data: Data | null
  /** What an update has changed; null where there is nothing, or over 64 KB. */
  readonly before: Data | null
}

export interface RequestDetails {
  readonly id: string
  readonly method: string
  readonly path: string
  /** null for one that was never answered. */
  readonly status: number | null
  readonly code: string | null
  readonly message: string | null
  readonly milliseconds: number
}

export interface ConnectionDetails {
  readonly id: string
  readonly transport: 'websocket' | 'sse'
  /** Who: a key or a user by id, or nobody. */
  readonly who: string
  /** Of a subscription. */
  readonly collection: string | null
  /** Of what was refused or closed. */
  readonly why: string | null
}

/** What is known of an event, by its group. */
interface Details<Data> {
  document: DocumentDetails<Data>
  collection: { readonly id: string; readonly name: string }
  /** `what` is different about a user who was changed. */
  user: { readonly id: string; readonly email: string | null; readonly what: readonly string[] }
  login: { readonly user: string | null; readonly email: string | null; readonly why: string | null }
  file: { readonly id: string; readonly name: string | null; readonly size: number | null }
  mail: { readonly id: string; readonly to: string; readonly subject: string; readonly why: string | null }
  request: RequestDetails
  connection: ConnectionDetails
  fault: {
    readonly id: string
    readonly kind: string
    readonly method: string | null
    readonly path: string | null
  }
  clock: { readonly now: string; readonly offset: number }
  snapshot: { readonly name: string }
  project: { readonly name: string; readonly what: readonly string[] }
  stream: {
    /** How many events were missed; null where that is unknown, and for a stream that opens. */
    readonly missed: number | null
  }
}

/** What happened, before it has a number. `projectId` is null for what belongs to none. */
export type Happening<Data = JsonObject> = {
  [Group in EventGroup]: {
    readonly kind: EventKind & `${Group}.${string}`
    readonly projectId: string | null
  } & { readonly [Name in Group]: Details<Data>[Name] }
}[EventGroup]

/** An event of the stream. `id` resumes it; `at` is a moment of the machine's clock. */
export type EmulatorEvent<Data = JsonObject> = Happening<Data> & { readonly id: string; readonly at: string }
