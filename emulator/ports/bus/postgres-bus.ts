import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import type { Database } from '../../database/port.js'
import { connectionOptions, sessionSettings } from '../../database/postgres/session-settings.js'
import { notifyWritten } from '../../store/realtime/notifications.js'
import type { Bus } from './port.js'

interface Options {
  readonly url: string
  readonly db: Database
  report(error: unknown): void
}

const channel = 'svc_changes'

/** A notification may be lost with its connection, or with the writer between commit and notification: then this finds out. */
const pollMilliseconds = 1_000
const longestPauseMilliseconds = 10_000

/** For several processes on one PostgreSQL: LISTEN and NOTIFY, which carry the id of a project and nothing else. */
export async function openPostgresBus({ url, db, report }: Options): Promise<Bus> {
  const listeners = new Set<(project: string | undefined) => void>()
  const me = randomUUID()
  const written = new Set<string>()
  let client: Client | undefined
  let isClosed = false
  let isTelling = false
  let pauseMilliseconds = 100
  let retry: NodeJS.Timeout | undefined

  const poll = setInterval(() => tell(undefined), pollMilliseconds)
  poll.unref()

  function tell(project: string | undefined): void {
    for (const listener of listeners) listener(project)
  }

  async function connect(): Promise<void> {
    const options = connectionOptions(sessionSettings)
    const fresh = new Client({ connectionString: url, application_name: 'svc realtime', keepAlive: true, options })
    fresh.on('notification', ({ payload = '' }) => {
      const [sender, project] = payload.split(' ', 2)
      if (sender !== me) tell(project)
    })
    fresh.on('error', () => lose(fresh))
    fresh.on('end', () => lose(fresh))
    await fresh.connect()
    await fresh.query(`listen ${channel}`)
    client = fresh
    pauseMilliseconds = 100
    // Whatever was said while nobody listened.
    tell(undefined)
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

  /** However many write at once, one notification after the other is on its way. */
  async function notify(): Promise<void> {
    if (isTelling) return
    isTelling = true
    while (written.size > 0 && !isClosed) {
      const projects = [...written]
      written.clear()
      await notifyWritten(db, channel, me, projects).catch(report)
    }
    isTelling = false
  }

  await connect()
  return {
    wake(project) {
      tell(project)
      written.add(project)
      void notify()
    },
    listen(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async close() {
      isClosed = true
      clearInterval(poll)
      clearTimeout(retry)
      listeners.clear()
      await client?.end().catch(report)
    },
  }
}
