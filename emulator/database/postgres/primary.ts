/** The connections to the server that takes writes, whichever that is. */
import type pg from 'pg'
import { type Connections, DatabaseError } from '../port.js'
import { columnReader } from '../values.js'
import type { Server } from './addresses.js'
import { newPool } from './connect.js'
import { findPrimary } from './find-primary.js'

export interface Primary {
  /** @throws {DatabaseError} `unavailable` while there is none */
  pool(): Promise<pg.Pool>
  /** To be called with what a statement on that pool has failed with: the next may need other connections. */
  failed(pool: pg.Pool, error: unknown): void
  connections(): Connections
  close(): Promise<void>
}

interface Options {
  readonly servers: readonly Server[]
  readonly mostConnections: number
  /** What each connection says for itself; nothing through a pooler, which would refuse it. */
  readonly options: string | undefined
}

/** What a former primary says, which answers reads on. */
const isReadOnly = '25006'

export function openPrimary({ servers, ...options }: Options): Primary {
  let current: Promise<pg.Pool> | undefined
  let latest: pg.Pool | undefined
  const ending = new Set<Promise<void>>()
  let isClosed = false

  async function open(): Promise<pg.Pool> {
    latest = openPool(await findPrimary(servers), options)
    return latest
  }

  function pool(): Promise<pg.Pool> {
    if (isClosed) return Promise.reject(new DatabaseError('The database is closed.', '08003'))
    current ??= open().catch((error) => {
      current = undefined
      throw error
    })
    return current
  }

  /** What is at work on it ends first. */
  function end(old: pg.Pool): Promise<void> {
    const ended = old.end().finally(() => ending.delete(ended))
    ending.add(ended)
    return ended
  }

  return {
    pool,
    failed(old, error) {
      if (isClosed || !(error instanceof DatabaseError)) return
      // A server alone is asked for anew with each connection; those that broke are out of the pool.
      const isGone = servers.length > 1 && ['unavailable', 'unknown outcome'].includes(error.kind)
      if (error.sqlState !== isReadOnly && !isGone) return
      void current?.then((opened) => {
        if (opened !== old || isClosed) return
        current = undefined
        void end(old)
      })
    },
    connections() {
      const { totalCount = 0, idleCount = 0, waitingCount = 0 } = latest ?? {}
      return { open: totalCount, idle: idleCount, waiting: waitingCount }
    },
    async close() {
      isClosed = true
      const last = await current?.catch(() => undefined)
      await Promise.all([...ending, last && end(last)])
    },
  }
}

export function openPool(
  server: Server,
  { mostConnections, options }: Pick<Options, 'mostConnections' | 'options'>,
): pg.Pool {
  const pool = newPool(server, {
    max: mostConnections,
    connectionTimeoutMillis: 5_000,
    // A server that is gone without a word is noticed.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    ...(options === undefined ? {} : { options }),
    types: { getTypeParser: ((typeId: number) => columnReader(typeId)) as never },
    application_name: 'svc',
  })
  // An idle connection that breaks is replaced; one in use rejects its statement.
  pool.on('error', () => undefined)
  return pool
}
