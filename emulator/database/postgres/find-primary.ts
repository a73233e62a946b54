/** Which of several servers takes writes. */
import { DatabaseError } from '../port.js'
import type { Server } from './addresses.js'
import { type Connection, newConnection } from './connect.js'

const mostConnectMilliseconds = 5_000

/**
 * Whichever server takes writes now; of one alone, itself, which is not asked.
 *
 * @throws {DatabaseError} `unavailable` while there is none
 */
export async function findPrimary(servers: readonly Server[]): Promise<Server> {
  const [first] = servers
  if (servers.length === 1 && first !== undefined) return first
  const asked = servers.map(async (server) => {
    await requirePrimary(server)
    return server
  })
  return Promise.any(asked).catch(({ errors }: AggregateError) => {
    const reasons = errors.map((error: Error) => error.message || (error as { code?: string }).code).join('; ')
    throw new DatabaseError(`No server of ${servers.length} takes writes: ${reasons}.`, '08006')
  })
}

async function requirePrimary(server: Server): Promise<void> {
  const client = newConnection(server, { connectionTimeoutMillis: mostConnectMilliseconds })
  client.on('error', () => undefined)
  try {
    await client.connect()
    if (!(await isPrimary(client, mostConnectMilliseconds)))
      throw new Error(`${new URL(server.address).host} is a standby`)
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** Whether the server that a connection leads to takes writes; false as well where it does not say so in time. */
export async function isPrimary(client: Connection, mostMilliseconds: number): Promise<boolean> {
  const query = { text: 'select pg_is_in_recovery() as is_standby', query_timeout: mostMilliseconds }
  const answer = await client.query<{ is_standby: boolean }>(query).catch(() => undefined)
  return answer?.rows[0]?.is_standby === false
}
