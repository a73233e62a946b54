/** The connections for realtime events that this process has open, for whoever develops against it. Contract 11. */
import type { JsonObject } from '../../../client/protocol/model/json.js'
import type { EventLog } from '../events/event-log.js'
import type { Identity } from '../identity.js'

/** What a connection says of itself when it is asked. */
export interface ConnectionView {
  readonly transport: 'websocket' | 'sse'
  readonly address: string
  readonly origin: string | null
  /** Nobody, before it has said who it is. */
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

/** What becomes of a connection, as events. */
export interface ListedConnection {
  /** Comes once it is known who it is. */
  identified(): void
  refused(why: string, collection?: string): void
  subscribed(collection: string): void
  unsubscribed(collection: string, why?: string): void
  closed(why?: string): void
}

export interface Connections {
  add(connection: ConnectionView): ListedConnection
  all(): readonly OpenConnection[]
}

export function openConnections(events: Pick<EventLog, 'add'>): Connections {
  const all = new Map<string, OpenConnection>()
  let number = 0

  function list(connection: OpenConnection): ListedConnection {
    const { id, transport } = connection
    let isIdentified = false
    const say = (
      how: 'opened' | 'closed' | 'refused' | 'subscribed' | 'unsubscribed',
      {
        collection = null,
        why = null,
      }: { collection?: string | null | undefined; why?: string | null | undefined } = {},
    ) => {
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
      identified() {
        if (!isIdentified) say('opened')
        isIdentified = true
      },
      refused: (why, collection) => say('refused', { why, collection }),
      subscribed: (collection) => say('subscribed', { collection }),
      unsubscribed: (collection, why) => say('unsubscribed', { collection, why }),
      closed(why) {
        if (isIdentified) say('closed', { why })
        all.delete(id)
      },
    }
  }

  return {
    add(view) {
      const connection = { id: `c${++number}`, openedAt: new Date().toISOString(), ...view }
      all.set(connection.id, connection)
      return list(connection)
    },
    all: () => [...all.values()],
  }
}
