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
  /** Call with the error of a statement. If it shows the wrong server, all connections may lead there. */
  failed(client: pg.PoolClient, error: unknown): void
  connections(): Connections
  close(): Promise<void>
}

interface Options {
  readonly server: Server
  readonly maxConnections: number
  /** Settings sent with each connection. Undefined through a pooler, which would refuse them. */
  readonly options: string | undefined
}

const ignore = () => undefined

/** The SQLSTATE of writes on a standby, such as a former primary. Reads still work there. */
const isReadOnly = '25006'

export function openPool({ server, maxConnections, options }: Options): Pool {
  const pool = newPool(server, {
    max: maxConnections,
    connectionTimeoutMillis: 5_000,
    ...(options === undefined ? {} : { options }),
    types: { getTypeParser: ((typeId: number) => columnReader(typeId)) as never },
    application_name: 'svc',
  })
  // Replaces a broken idle connection. One in use rejects its statement.
  pool.on('error', ignore)
  /** Connections opened since a server was last read-only. All others are closed before use. */
  let trusted = new WeakSet<pg.PoolClient>()
  pool.on('connect', (client) => {
    trusted.add(client)
    // A connection may break at any moment, even while it is handed out. Without a listener, that would end the
    // process.
    client.on('error', ignore)
  })

  // An async function, because the driver throws synchronously if it cannot read a certificate.
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
