/** How connections are made: each with the certificates as they are at that moment. */
import pg from 'pg'
import type { Server } from './server-address.js'

export type Connection = pg.Client

type Options = Omit<pg.ClientConfig, 'connectionString' | 'user' | 'password'>

/** A server that is gone without a word is noticed, also while nothing is sent: the system itself would ask after two hours. */
const probed = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 } as const

/** A client that is not connected yet. */
export function newConnection(server: Server, options: Options): Connection {
  return new pg.Client({ ...probed, ...options, ...server.secured() })
}

/** A pool, of which no connection is open yet. */
export function newPool(
  server: Server,
  options: Options & Omit<pg.PoolConfig, 'Client' | keyof pg.ClientConfig>,
): pg.Pool {
  // The driver would read the certificates once for all connections.
  class PooledClient extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      super({ ...probed, ...config, ...server.secured() })
    }
  }
  return new pg.Pool({ ...options, Client: PooledClient })
}

/** Whether the server that a connection leads to takes writes; also false if it does not answer in time. */
export async function isPrimary(client: Connection, timeoutMilliseconds: number): Promise<boolean> {
  const query = { text: 'select pg_is_in_recovery() as is_standby', query_timeout: timeoutMilliseconds }
  const answer = await client.query<{ is_standby: boolean }>(query).catch(() => undefined)
  return answer?.rows[0]?.is_standby === false
}
