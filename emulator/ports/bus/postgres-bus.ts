import type { Database } from '../../database/port.js'
import { type Connection, isPrimary, newConnection } from '../../database/postgres/connect.js'
import { openServer } from '../../database/postgres/server-address.js'
import { connectionOptions, sessionSettings } from '../../database/postgres/session-settings.js'
import { channels, decodeMessage, listenerName, openOutgoing } from './outgoing.js'
import type { Bus } from './port.js'
import { everyMessage, openSubscribers } from './subscribers.js'

interface Options {
  /** Not a pooler in transaction mode, because it drops notifications. */
  readonly url: string
  readonly db: Database
  report(error: unknown): void
}

/** Polls, because a notification can be lost with its connection, or with a writer that dies after its commit. */
const pollMilliseconds = 1_000
const maxPauseMilliseconds = 10_000

/** Checks that the connection still leads to the primary, because a dead connection may not report an error. */
const checkMilliseconds = 5_000

/** Connects several processes on one PostgreSQL with LISTEN and NOTIFY. */
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
        // Sets a timeout, because the periodic check has not started yet.
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
    // Messages may have been published while this process was not listening.
    receive(everyMessage)
  }

  /** Detects a failover or a dead server: the connection may stay open without an error. */
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
    pauseMilliseconds = Math.min(pauseMilliseconds * 2, maxPauseMilliseconds)
    retry = setTimeout(() => {
      connect().catch((error) => {
        report(error)
        lose(lost)
      })
    }, pauseMilliseconds)
    retry.unref()
  }

  async function close(): Promise<void> {
    isClosed = true
    clearInterval(poll)
    clearInterval(checking)
    clearTimeout(retry)
    clear()
    outgoing.close()
    await client?.end().catch(report)
  }

  await connect().catch(async (error) => {
    // The lost connection would be opened again and again.
    await close()
    throw error
  })
  return {
    publish(messages) {
      receive(messages)
      return outgoing.add(messages)
    },
    subscribe,
    close,
  }
}
