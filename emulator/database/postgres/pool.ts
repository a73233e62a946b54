import type pg from 'pg'
import { type Connections, DatabaseError } from '../port.js'
import { columnReader } from '../values.js'
import { newPool } from './connect.js'
import { refuse } from './failures.js'
import type { Server } from './server-address.js'

export interface Pool {
  readonly pool: pg.Pool
  /** @throws {DatabaseError} */
  connect(): Promise<pg.PoolClient>
  /** To be called with what a statement on that connection failed with: all of them may lead to the wrong server. */
  failed(client: pg.PoolClient, error: unknown): void
  connections(): Connections
  close(): Promise<void>
}

interface Options {
  readonly server: Server
  readonly mostConnections: number
  /** What each connection says for itself; nothing through a pooler, which would refuse it. */
  readonly options: string | undefined
}

const ignore = () => undefined

/** The state that a standby refuses writes with, such as a former primary: it still answers reads. */
const isReadOnly = '25006'

export function openPool({ server, mostConnections, options }: Options): Pool {
  const pool = newPool(server, {
    max: mostConnections,
    connectionTimeoutMillis: 5_000,
    ...(options === undefined ? {} : { options }),
    types: { getTypeParser: ((typeId: number) => columnReader(typeId)) as never },
    application_name: 'svc',
  })
  // An idle connection that breaks is replaced; one in use rejects its statement.
  pool.on('error', ignore)
  /** Opened since a server last was read-only. All others are closed instead of used. */
  let trusted = new WeakSet<pg.PoolClient>()
  pool.on('connect', (client) => {
    trusted.add(client)
    // It may break at any moment, also in the one that it is handed out in. Without a listener, that would end the process.
    client.on('error', ignore)
  })

  // Certificates that cannot be read make the driver throw before there is a promise.
  const connect = async () => pool.connect()

  return {
    pool,
    async connect() {
      for (;;) {
        const client = await connect().catch(refuse)
        if (trusted.has(client)) return client
        client.release(true)
      }
    },
    failed(client, error) {
      if (error instanceof DatabaseError && error.sqlState === isReadOnly && trusted.has(client))
        trusted = new WeakSet()
    },
    connections: () => ({ open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close: () => pool.end(),
  }
}
