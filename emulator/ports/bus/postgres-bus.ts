import type { Database } from '../../database/port.js'
import { type Connection, isPrimary, newConnection } from '../../database/postgres/connect.js'
import { openServer } from '../../database/postgres/server-address.js'
import { connectionOptions, sessionSettings } from '../../database/postgres/session-settings.js'
import { channels, decodeMessage, listenerName, openOutgoing } from './outgoing.js'
import type { Bus } from './port.js'
import { everyMessage, openSubscribers } from './subscribers.js'

interface Options {
  /** No pooler in transaction mode, which hands no notifications on. */
  readonly url: string
  readonly db: Database
  report(error: unknown): void
}

/** A notification may be lost with its connection, or with the writer between commit and notification: then this finds the changes. */
const pollMilliseconds = 1_000
const longestPauseMilliseconds = 10_000

/** How often the listening connection is asked whether it still leads to the primary: one that is gone may not say so. */
const checkMilliseconds = 5_000

/** For several processes on one PostgreSQL, over LISTEN and NOTIFY. */
export async function openPostgresBus({ url, db, report }: Options): Promise<Bus> {
  const { receive, subscribe, clear } = openSubscribers()
  const outgoing = openOutgoing(db, () => client !== undefined, report)
  const server = openServer(url)
  let client: Connection | undefined
  let isClosed = false
  let pauseMilliseconds = 100
  let retry: NodeJS.Timeout | undefined

  const poll = setInterval(() => receive([{ kind: 'changes', project: null, seq: null }]), pollMilliseconds)
  poll.unref()
  const checking = setInterval(() => void check(), checkMilliseconds)
  checking.unref()

  async function connect(): Promise<void> {
    const fresh = newConnection(server, {
      connectionTimeoutMillis: 5_000,
      application_name: listenerName,
      options: connectionOptions(sessionSettings),
    })
    fresh.on('notification', ({ channel, payload = '' }) => {
      if (channel === channels.confirmations) return outgoing.confirmed(payload)
      if (outgoing.isOwn(payload)) return
      receive(decodeMessage(payload))
      outgoing.confirm(payload)
    })
    fresh.on('error', () => lose(fresh))
    fresh.on('end', () => lose(fresh))
    await fresh.connect()
    try {
      for (const channel of Object.values(channels)) {
        // Nothing else looks at it yet.
        const listen = { text: `listen ${channel}`, query_timeout: checkMilliseconds }
        await fresh.query(listen)
      }
    } catch (error) {
      fresh.end().catch(() => undefined)
      throw error
    }
    if (isClosed) return void fresh.end().catch(report)
    client = fresh
    pauseMilliseconds = 100
    // Whatever was published while this process could not receive it.
    receive(everyMessage)
  }

  /** Another server may have taken over, while this one goes on without a word, or says nothing more at all. */
  async function check(): Promise<void> {
    const checked = client
    if (!checked) return
    const isGood = await isPrimary(checked, checkMilliseconds)
    if (isGood || client !== checked) return
    lose(checked)
    checked.end().catch(() => undefined)
  }

  function lose(lost: Connection): void {
    if (isClosed || (client !== undefined && client !== lost)) return
    client = undefined
    clearTimeout(retry)
    pauseMilliseconds = Math.min(pauseMilliseconds * 2, longestPauseMilliseconds)
    retry = setTimeout(() => {
      connect().catch((error) => {
        report(error)
        lose(lost)
      })
    }, pauseMilliseconds)
    retry.unref()
  }

  await connect()
  return {
    publish(messages) {
      receive(messages)
      return outgoing.add(messages)
    },
    subscribe,
    async close() {
      isClosed = true
      clearInterval(poll)
      clearInterval(checking)
      clearTimeout(retry)
      clear()
      outgoing.close()
      await client?.end().catch(report)
    },
  }
}
