/** The open realtime connections of this process, for developers to inspect. Contract 11. */
import type { JsonObject } from '../../../client/protocol/model/json.js'
import type { EventLog } from '../events/event-log.js'
import type { Identity } from '../identity.js'

/** Describes a connection on request. */
export interface ConnectionView {
  readonly transport: 'websocket' | 'sse'
  readonly address: string
  readonly origin: string | null
  /** Undefined until it has authenticated. */
  identity(): Identity | undefined
  /** A short name for the caller. */
  who(): string
  subscriptions(): readonly SubscriptionView[]
  bytesSent(): number
  /** Bytes sent that the client has not read yet. */
  waitingBytes(): number
  /** Closes the connection. The client may reconnect. */
  close(): void
}

export interface SubscriptionView {
  readonly collection: string
  /** As the client sent them. */
  readonly filters: JsonObject
  readonly isLive: boolean
  /** The newest change that it has received or did not need. */
  readonly position: number
}

export interface OpenConnection extends ConnectionView {
  readonly id: string
  readonly openedAt: string
}

/** A change of a connection, reported as an event. */
type ConnectionChange = 'opened' | 'closed' | 'refused' | 'subscribed' | 'unsubscribed'

export interface Connections {
  add(connection: ConnectionView): OpenConnection
  /** Called once the caller is known. */
  identified(connection: OpenConnection): void
  refused(connection: OpenConnection, why: string, collection?: string): void
  subscribed(connection: OpenConnection, collection: string): void
  unsubscribed(connection: OpenConnection, collection: string, why?: string): void
  closed(connection: OpenConnection, why?: string): void
  /** Drops the connections whose opening is no longer in the event log, so that their closing is not reported either. */
  forgetOpened(): void
  all(): readonly OpenConnection[]
}

export function openConnections(events: Pick<EventLog, 'add'>): Connections {
  const all = new Map<string, OpenConnection>()
  const unidentified = new Set<OpenConnection>()
  let forgotten: WeakSet<OpenConnection> = new WeakSet()
  let number = 0

  function say(
    how: ConnectionChange,
    connection: OpenConnection,
    { collection = null, why = null }: Particulars = {},
  ): void {
    const { id, transport } = connection
    // Work begun before it closed may still report.
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
      // A connection that never authenticated was never reported as opened.
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
