/** Creates connections. Each uses the certificates as they are at that moment. */
import pg from 'pg'
import type { Server } from './server-address.js'

export type Connection = pg.Client

type Options = Omit<pg.ClientConfig, 'connectionString' | 'user' | 'password'>

/** Detects a dead server even while nothing is sent. The system's default waits two hours. */
const probed = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 } as const

/** Creates a client without connecting it. */
export function newConnection(server: Server, options: Options): Connection {
  return new pg.Client({ ...probed, ...options, ...server.secured() })
}

/** Creates a pool without connecting it. */
export function newPool(
  server: Server,
  options: Options & Omit<pg.PoolConfig, 'Client' | keyof pg.ClientConfig>,
): pg.Pool {
  // Overrides the driver, which would read the certificates once for all connections.
  class PooledClient extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      super({ ...probed, ...config, ...server.secured() })
    }
  }
  return new pg.Pool({ ...options, Client: PooledClient })
}

/** Whether the server of a connection accepts writes. False if it does not answer in time. */
export async function isPrimary(client: Connection, timeoutMilliseconds: number): Promise<boolean> {
  const query = { text: 'select pg_is_in_recovery() as is_standby', query_timeout: timeoutMilliseconds }
  const answer = await client.query<{ is_standby: boolean }>(query).catch(() => undefined)
  return answer?.rows[0]?.is_standby === false
}
