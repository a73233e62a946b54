import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { sizes } from '../../../client/protocol/model/limits.js'
import type { Capabilities, Database, Sql } from '../port.js'
import { columnReader } from '../values.js'
import { isRepeatable, refuse, refuseCommit } from './failures.js'
import { requirePostgresUrl, requireServer } from './server.js'
import { connectionOptions, sessionSettings } from './session-settings.js'
import { type Postgres, runOn, runPatiently } from './statements.js'

export interface PostgresOptions {
  readonly url: string
  readonly mostConnections?: number
  readonly mostStatementMilliseconds?: number
}

const capabilities: Capabilities = {
  supportsConcurrentIndexes: true,
  vacuumsItself: true,
  checkpointsItself: true,
  isDurable: true,
}

const mostClosingMilliseconds = 1_000

/** How often a transaction is tried that the server rolls back for another's sake. */
const mostTries = 3

/**
 * PostgreSQL behind the same port: the same statements, parameters and values as PGlite.
 *
 * @throws {StartError} `DATABASE_UNREACHABLE` or `DATABASE_TOO_OLD`
 */
export async function openPostgres(options: PostgresOptions): Promise<Database> {
  const { url, mostConnections = 10, mostStatementMilliseconds = sizes.mostStatementSeconds * 1_000 } = options
  requirePostgresUrl(url)
  const pool = new pg.Pool({
    connectionString: url,
    max: mostConnections,
    connectionTimeoutMillis: 5_000,
    options: connectionOptions({ ...sessionSettings, statement_timeout: mostStatementMilliseconds }),
    types: { getTypeParser: ((typeId: number) => columnReader(typeId)) as never },
    application_name: 'svc',
  })
  // An idle connection that breaks is replaced; one in use rejects its statement.
  pool.on('error', () => undefined)
  await requireServer(pool, url).catch(async (error) => {
    await pool.end()
    throw error
  })
  return overPool({ pool, mostStatementMilliseconds, names: new Map(), patient: new Set() })
}

function overPool(postgres: Postgres): Database {
  const { pool } = postgres
  return {
    capabilities,
    query: <Row>(statement: Sql) =>
      repeated(() =>
        statement.patient ? runPatiently(postgres, statement) : runOn(pool, postgres, statement),
      ) as Promise<Row[]>,
    batch: (statements) => repeated(() => inTransaction(postgres, (tx) => tx.batch(statements))),
    transaction: (work) => repeated(() => inTransaction(postgres, work)),
    close: () => end(postgres),
  }
}

/** Each is a transaction of its own, which the server has rolled back: it can be tried again. */
async function repeated<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (!isRepeatable(error) || tries === mostTries) throw error
      await pause(Math.random() * 20 * tries)
    }
  }
}

async function inTransaction<T>(postgres: Postgres, work: (tx: Database) => Promise<T>): Promise<T> {
  const client = await postgres.pool.connect().catch(refuse)
  // Without a listener, a connection that breaks between two statements would end the process.
  const onError = () => undefined
  client.on('error', onError)
  let isBroken = false
  try {
    await client.query('begin').catch(refuse)
    const failures: unknown[] = []
    const result = await work(overClient(postgres, client, (error) => failures.push(error)))
    await client.query('commit').catch(refuseCommit)
    // All of it was rolled back with the statement that failed, whatever the work made of that.
    if (failures.length > 0) throw failures[0]
    return result
  } catch (error) {
    await client.query('rollback').catch(() => {
      isBroken = true
    })
    throw error
  } finally {
    client.off('error', onError)
    client.release(isBroken)
  }
}

/** What runs on the connection of a transaction; `onFailure` receives what failed. */
function overClient(postgres: Postgres, client: pg.PoolClient, onFailure: (error: unknown) => void): Database {
  const tx: Database = {
    capabilities,
    query<Row>(statement: Sql) {
      const rows = runOn(client, postgres, statement)
      rows.catch(onFailure)
      return rows as Promise<Row[]>
    },
    async batch(statements) {
      const results: unknown[][] = []
      for (const statement of statements) results.push(await tx.query(statement))
      return results
    },
    transaction: (work) => work(tx),
    close: async () => undefined,
  }
  return tx
}

/** Ends the pool once what is at work is done; maintenance is cut, which leaves nothing half done. */
async function end({ pool, patient }: Postgres): Promise<void> {
  const ended = pool.end()
  await Promise.race([ended, pause(mostClosingMilliseconds)])
  for (const client of patient) if (patient.delete(client)) client.release(true)
  await ended
}
