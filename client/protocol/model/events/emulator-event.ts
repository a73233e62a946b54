/** Events of an emulator for developers, shared by the core, the control API and the command line. */
import { changeKinds } from '../change.js'
import type { JsonObject } from '../json.js'

/** Event kinds by subject. */
export const eventGroups = {
  document: changeKinds,
  collection: ['created', 'changed', 'removed'],
  user: ['created', 'changed', 'removed'],
  login: ['succeeded', 'failed', 'ended'],
  file: ['uploaded', 'removed'],
  mail: ['sent', 'refused'],
  /** `answered`, for successful requests, is sent only to streams that name it. */
  request: ['refused', 'failed', 'answered'],
  connection: ['opened', 'closed', 'refused', 'subscribed', 'unsubscribed'],
  fault: ['added', 'removed'],
  clock: ['moved', 'reset'],
  snapshot: ['saved', 'loaded', 'removed', 'undone'],
  project: ['created', 'changed', 'reset', 'seeded', 'removed'],
  /** Events of the stream itself, always sent. */
  stream: ['opened', 'missed'],
} as const

type Groups = typeof eventGroups

export type EventGroup = keyof Groups

export type EventKind = { [Group in EventGroup]: `${Group}.${Groups[Group][number]}` }[EventGroup]

export interface DocumentDetails<Data> {
  /** Sequence number of the change in its project. */
  readonly seq: number
  readonly collection: string
  readonly id: string
  readonly version: number
  /** Data after the change, or before a deletion. null if over 64 KB. */
  readonly data: Data | null
  /** Previous values of the fields that an update changed; null if there are none, or over 64 KB. */
  readonly before: Data | null
}

export interface RequestDetails {
  readonly id: string
  readonly method: string
  readonly path: string
  /** null without a response. */
  readonly status: number | null
  readonly code: string | null
  readonly message: string | null
  readonly milliseconds: number
}

export interface ConnectionDetails {
  readonly id: string
  readonly transport: 'websocket' | 'sse'
  /** Caller: a key or a user by id, or nobody. */
  readonly who: string
  /** Set for subscriptions. */
  readonly collection: string | null
  /** Set for refused and closed connections. */
  readonly why: string | null
}

/** Details of an event, by group. */
interface Details<Data> {
  document: DocumentDetails<Data>
  collection: { readonly id: string; readonly name: string }
  /** `what` lists the changed parts of the user. */
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
    /** Number of missed events; null if unknown, and when a stream opens. */
    readonly missed: number | null
  }
}

/** An event before it gets an id. `projectId` is null if it does not belong to a project. */
export type Happening<Data = JsonObject> = {
  [Group in EventGroup]: {
    readonly kind: EventKind & `${Group}.${string}`
    readonly projectId: string | null
  } & { readonly [Name in Group]: Details<Data>[Name] }
}[EventGroup]

/** An event of the stream. `id` resumes the stream; `at` is the machine's clock. */
export type EmulatorEvent<Data = JsonObject> = Happening<Data> & { readonly id: string; readonly at: string }
