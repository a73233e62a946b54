/** The connections for realtime events that this process has open, for developers. Contract 11. */
import type { JsonObject } from '../../../client/protocol/model/json.js'
import type { EventLog } from '../events/event-log.js'
import type { Identity } from '../identity.js'

/** What a connection says of itself when it is asked. */
export interface ConnectionView {
  readonly transport: 'websocket' | 'sse'
  readonly address: string
  readonly origin: string | null
  /** Undefined before it has authenticated. */
  identity(): Identity | undefined
  /** Who that is, in a word. */
  who(): string
  subscriptions(): readonly SubscriptionView[]
  bytesSent(): number
  /** Of these, what the other end has not taken yet. */
  waitingBytes(): number
  /** Closes it. It may come back. */
  close(): void
}

export interface SubscriptionView {
  readonly collection: string
  /** As they were asked for. */
  readonly filters: JsonObject
  readonly isLive: boolean
  /** The newest change that it has received, or that was none of its business. */
  readonly position: number
}

export interface OpenConnection extends ConnectionView {
  readonly id: string
  readonly openedAt: string
}

/** What has become of a connection, and is an event. */
type How = 'opened' | 'closed' | 'refused' | 'subscribed' | 'unsubscribed'

export interface Connections {
  add(connection: ConnectionView): OpenConnection
  /** Comes once it is known who it is. */
  identified(connection: OpenConnection): void
  refused(connection: OpenConnection, why: string, collection?: string): void
  subscribed(connection: OpenConnection, collection: string): void
  unsubscribed(connection: OpenConnection, collection: string, why?: string): void
  closed(connection: OpenConnection, why?: string): void
  /** The events of their opening are no longer kept, so their closing is none either. */
  forgetOpened(): void
  all(): readonly OpenConnection[]
}

export function openConnections(events: Pick<EventLog, 'add'>): Connections {
  const all = new Map<string, OpenConnection>()
  const unidentified = new Set<OpenConnection>()
  let forgotten: WeakSet<OpenConnection> = new WeakSet()
  let number = 0

  function say(how: How, connection: OpenConnection, { collection = null, why = null }: Particulars = {}): void {
    const { id, transport } = connection
    // What it had begun may go on for a moment.
    if (!all.has(id)) return
    const projectId = connection.identity()?.project.id ?? null
    events.add({
      kind: `connection.${how}`,
      projectId,
      connection: { id, transport, who: connection.who(), collection, why },
    })
  }

  return {
    add(view) {
      const connection = { id: `c${++number}`, openedAt: new Date().toISOString(), ...view }
      all.set(connection.id, connection)
      unidentified.add(connection)
      return connection
    },
    identified(connection) {
      if (unidentified.delete(connection)) say('opened', connection)
    },
    refused: (connection, why, collection) => say('refused', connection, { why, collection }),
    subscribed: (connection, collection) => say('subscribed', connection, { collection }),
    unsubscribed: (connection, collection, why) => say('unsubscribed', connection, { collection, why }),
    closed(connection, why) {
      // One that never authenticated had no event that it was opened.
      if (!unidentified.delete(connection) && !forgotten.has(connection)) say('closed', connection, { why })
      all.delete(connection.id)
    },
    forgetOpened() {
      forgotten = new WeakSet([...all.values()].filter((connection) => !unidentified.has(connection)))
    },
    all: () => [...all.values()],
  }
}

interface Particulars {
  readonly collection?: string | null | undefined
  readonly why?: string | null | undefined
}
