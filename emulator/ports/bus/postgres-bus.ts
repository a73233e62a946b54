import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import type { Database } from '../../database/port.js'
import { addressesOf } from '../../database/postgres/addresses.js'
import { findPrimary, isPrimary } from '../../database/postgres/find-primary.js'
import { connectionOptions, sessionSettings } from '../../database/postgres/session-settings.js'
import { notify } from '../../store/realtime/notifications.js'
import type { Bus, Message } from './port.js'
import { everyMessage, isMessageKind, openSubscribers } from './subscribers.js'

interface Options {
  /** The server itself, or several of which one is the primary: no pooler in transaction mode hands notifications on. */
  readonly url: string
  readonly db: Database
  report(error: unknown): void
}

const channel = 'svc_messages'

/** PostgreSQL refuses notifications of 8,000 bytes. */
const mostBytes = 7_900

/** A notification may be lost with its connection, or with the writer between commit and notification: then this finds the changes. */
const pollMilliseconds = 1_000
const longestPauseMilliseconds = 10_000

/** How often the listening connection is asked whether it still leads to the primary: one that is gone may not say so. */
const checkMilliseconds = 5_000

/** For several processes on one PostgreSQL, over LISTEN and NOTIFY. */
export async function openPostgresBus({ url, db, report }: Options): Promise<Bus> {
  const { receive, subscribe, clear } = openSubscribers()
  const outgoing = openOutgoing(db, report)
  const addresses = addressesOf(url)
  let client: Client | undefined
  let isClosed = false
  let pauseMilliseconds = 100
  let retry: NodeJS.Timeout | undefined

  const poll = setInterval(() => receive([{ kind: 'changes', project: null, seq: null }]), pollMilliseconds)
  poll.unref()
  const checking = setInterval(() => void check(), checkMilliseconds)
  checking.unref()

  async function connect(): Promise<void> {
    const fresh = new Client({
      connectionString: await findPrimary(addresses),
      connectionTimeoutMillis: 5_000,
      application_name: 'svc realtime',
      keepAlive: true,
      options: connectionOptions(sessionSettings),
    })
    fresh.on('notification', ({ payload = '' }) => receive(outgoing.isOwn(payload) ? [] : decodeMessage(payload)))
    fresh.on('error', () => lose(fresh))
    fresh.on('end', () => lose(fresh))
    await fresh.connect()
    await fresh.query(`listen ${channel}`)
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

  function lose(lost: Client): void {
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
      outgoing.add(messages)
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

/** What is on its way to the other processes: however much is published at once, one statement after the other. */
function openOutgoing(db: Database, report: (error: unknown) => void) {
  const sender = randomUUID()
  /** By subject: the latest says what the earlier ones do. */
  const waiting = new Map<string, Message>()
  let isSending = false
  let isClosed = false

  async function send(): Promise<void> {
    if (isSending) return
    isSending = true
    while (waiting.size > 0 && !isClosed) {
      const payloads = [...waiting.values()].map((message) => encodeMessage(sender, message))
      waiting.clear()
      await notify(db, channel, payloads).catch(report)
    }
    isSending = false
  }

  return {
    isOwn: (payload: string) => payload.startsWith(sender),
    add(messages: readonly Message[]) {
      for (const message of messages) waiting.set(subjectOf(message), message)
      void send()
    },
    close() {
      isClosed = true
    },
  }
}

function subjectOf(message: Message): string {
  return message.kind === 'changes' ? `changes ${message.project}` : message.kind
}

/** Of a project whose id is too long to be sent, any project takes the place. */
function encodeMessage(sender: string, message: Message): string {
  const payload = `${sender} ${JSON.stringify(message)}`
  if (Buffer.byteLength(payload) <= mostBytes) return payload
  return `${sender} ${JSON.stringify({ ...message, project: null, seq: null })}`
}

/** Of what a newer service publishes and this one does not know, anything may be true. */
function decodeMessage(payload: string): readonly Message[] {
  try {
    const message: Message = JSON.parse(payload.slice(payload.indexOf(' ')))
    return isMessageKind(message.kind) ? [message] : everyMessage
  } catch {
    return everyMessage
  }
}
