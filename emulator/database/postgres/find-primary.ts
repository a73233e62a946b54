/** Which of several servers takes writes. */
import pg from 'pg'
import { DatabaseError } from '../port.js'

const mostConnectMilliseconds = 5_000

/**
 * The address of whichever server takes writes now; of one alone, itself, which is not asked.
 *
 * @throws {DatabaseError} `unavailable` while there is none
 */
export async function findPrimary(addresses: readonly string[]): Promise<string> {
  const [first] = addresses
  if (addresses.length === 1 && first !== undefined) return first
  const asked = addresses.map(async (address) => {
    await requirePrimary(address)
    return address
  })
  return Promise.any(asked).catch(({ errors }: AggregateError) => {
    const reasons = errors.map((error: Error) => error.message || (error as { code?: string }).code).join('; ')
    throw new DatabaseError(`No server of ${addresses.length} takes writes: ${reasons}.`, '08006')
  })
}

async function requirePrimary(address: string): Promise<void> {
  const client = new pg.Client({ connectionString: address, connectionTimeoutMillis: mostConnectMilliseconds })
  client.on('error', () => undefined)
  try {
    await client.connect()
    if (!(await isPrimary(client, mostConnectMilliseconds))) throw new Error(`${new URL(address).host} is a standby`)
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** Whether the server that a connection leads to takes writes; false as well where it does not say so in time. */
export async function isPrimary(client: pg.Client, mostMilliseconds: number): Promise<boolean> {
  const query = { text: 'select pg_is_in_recovery() as is_standby', query_timeout: mostMilliseconds }
  const answer = await client.query<{ is_standby: boolean }>(query).catch(() => undefined)
  return answer?.rows[0]?.is_standby === false
}
