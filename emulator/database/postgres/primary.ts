/** The connections to the server that takes writes, whichever that is. */
import type pg from 'pg'
import { type Connections, DatabaseError } from '../port.js'
import { columnReader } from '../values.js'
import type { Server } from './addresses.js'
import { connectFrom, newPool } from './connect.js'
import { asDatabaseError } from './failures.js'
import { findPrimary } from './find-primary.js'

export interface Primary {
  /** @throws {DatabaseError} `unavailable` while there is none */
  pool(): Promise<pg.Pool>
  /** A connection of that pool; of the one that takes its place, where it is given up meanwhile. @throws {DatabaseError} */
  connect(): Promise<pg.PoolClient>
  /** To be called with what a statement on that connection has failed with: the next may need another server. */
  failed(client: pg.PoolClient, error: unknown): void
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

/** How often it is asked at most which server is the primary, while statements fail. */
const lookMilliseconds = 1_000

interface Opened {
  readonly pool: pg.Pool
  readonly server: Server
  /** Those that wait for a connection of it: each is called once the pool is given up. */
  readonly waiting: Set<() => void>
}

export function openPrimary({ servers, ...options }: Options): Primary {
  let current: Promise<Opened> | undefined
  let latest: Opened | undefined
  const ending = new Map<Opened, Promise<void>>()
  const openedWith = new WeakMap<pg.PoolClient, Opened>()
  let looking: Promise<void> | undefined
  let lookedAt = Number.NEGATIVE_INFINITY
  let isClosed = false

  async function open(): Promise<Opened> {
    const server = await findPrimary(servers)
    latest = { pool: openPool(server, options), server, waiting: new Set() }
    return latest
  }

  function opened(): Promise<Opened> {
    if (isClosed) return Promise.reject(new DatabaseError('The database is closed.', '08003'))
    current ??= open().catch((error) => {
      current = undefined
      throw error
    })
    return current
  }

  /** What is at work on it ends first. */
  function end(old: Opened): Promise<void> {
    const ended = old.pool.end().finally(() => ending.delete(old))
    ending.set(old, ended)
    return ended
  }

  function noteFailure(old: Opened, error: unknown): void {
    if (old !== latest || isClosed || !(error instanceof DatabaseError)) return
    if (error.sqlState === isReadOnly) giveUp(old)
    // A server alone is asked for anew with each connection; those that broke are out of the pool.
    else if (servers.length > 1 && ['unavailable', 'unknown outcome'].includes(error.kind)) look(old)
  }

  function giveUp(old: Opened): void {
    if (old !== latest || isClosed) return
    current = undefined
    latest = undefined
    void end(old)
    for (const leave of old.waiting) leave()
    old.waiting.clear()
  }

  /** Who waits for too long for a place in the pool fails as if the server were gone. Only another primary has the pool given up. */
  function look(old: Opened): void {
    if (looking || performance.now() - lookedAt < lookMilliseconds) return
    looking = findPrimary(servers)
      .then(
        (server) => {
          if (server !== old.server) giveUp(old)
        },
        () => undefined,
      )
      .finally(() => {
        lookedAt = performance.now()
        looking = undefined
      })
  }

  return {
    pool: async () => (await opened()).pool,
    async connect() {
      for (;;) {
        const from = await opened()
        const client = await connectTo(from).catch((error) => {
          noteFailure(from, error)
          throw error
        })
        if (!client) continue
        openedWith.set(client, from)
        return client
      }
    },
    failed(client, error) {
      const from = openedWith.get(client)
      if (from) noteFailure(from, error)
    },
    connections() {
      const pools = [...ending.keys(), ...(latest ? [latest] : [])]
      const sum = (count: (pool: pg.Pool) => number) => pools.reduce((total, { pool }) => total + count(pool), 0)
      return {
        open: sum(({ totalCount }) => totalCount),
        idle: sum(({ idleCount }) => idleCount),
        waiting: sum(({ waitingCount }) => waitingCount),
      }
    },
    async close() {
      isClosed = true
      const last = await current?.catch(() => undefined)
      await Promise.all([...ending.values(), last && end(last)])
    },
  }
}

/** A connection of a pool; nothing where the pool is given up before. */
function connectTo({ pool, waiting }: Opened): Promise<pg.PoolClient | undefined> {
  return new Promise((resolve, reject) => {
    const leave = () => resolve(undefined)
    waiting.add(leave)
    connectFrom(pool).then(
      (client) => {
        if (waiting.delete(leave)) resolve(client)
        else client.release(true)
      },
      (error) => {
        waiting.delete(leave)
        reject(asDatabaseError(error))
      },
    )
  })
}

export function openPool(
  server: Server,
  { mostConnections, options }: Pick<Options, 'mostConnections' | 'options'>,
): pg.Pool {
  const pool = newPool(server, {
    max: mostConnections,
    connectionTimeoutMillis: 5_000,
    ...(options === undefined ? {} : { options }),
    types: { getTypeParser: ((typeId: number) => columnReader(typeId)) as never },
    application_name: 'svc',
  })
  // An idle connection that breaks is replaced; one in use rejects its statement.
  pool.on('error', () => undefined)
  return pool
}
