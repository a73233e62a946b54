/** How connections are made: each with the user and password that its server's address has at that moment. */
import pg from 'pg'
import type { Server } from './addresses.js'

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
  // The driver takes a function for the password, but not for the user.
  class PooledClient extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      super({ ...probed, ...config, ...server.secured() })
    }
  }
  return new pg.Pool({ ...options, Client: PooledClient })
}

/** A connection of a pool. Certificates that cannot be read fail it, as a server does that refuses it. */
export async function connectFrom(pool: pg.Pool): Promise<pg.PoolClient> {
  return pool.connect()
}
