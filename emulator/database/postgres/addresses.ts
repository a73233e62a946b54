/** Addresses of servers: one, or several of which one is the primary. */
import pg from 'pg'
import { DatabaseError } from '../port.js'
import { StartError } from '../start-error.js'

const mostConnectMilliseconds = 5_000

/**
 * An address for each host that one address names: `postgres://user@one:5432,other:5432/database`.
 *
 * @throws {StartError} `DATABASE_UNREACHABLE` for what names no server; it may hold a password, so it is not repeated
 */
export function addressesOf(url: string, flag = '--database-url'): readonly string[] {
  const [, before = '', hosts = '', after = ''] = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/s.exec(url) ?? []
  const addresses = hosts.split(',').map((host) => withoutTarget(`${before}${host}${after}`))
  // The driver would take any other text for the name of a database somewhere.
  if (before !== '' && addresses.every((address) => URL.canParse(address))) return addresses
  throw new StartError(
    'DATABASE_UNREACHABLE',
    `What ${flag} says is not the address of a PostgreSQL server.`,
    'Write it as postgres://user:password@host:5432/database, with several hosts as one:5432,other:5432.',
  )
}

/** Other drivers have to be told to look for the primary. */
function withoutTarget(address: string): string {
  return address.replace(/([?&])target_session_attrs=[^&#]*&?/, '$1').replace(/[?&]$/, '')
}

/** What may be said of an address. */
export function withoutPassword(address: string): string {
  const { protocol, host, pathname } = new URL(address)
  return `${protocol}//${host}${pathname}`
}

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
