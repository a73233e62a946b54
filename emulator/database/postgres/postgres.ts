import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { sizes } from '../../../client/protocol/model/limits.js'
import type { Capabilities, Database, Sql } from '../port.js'
import { StartError } from '../start-error.js'
import { isRepeatable, refuse, refuseCommit } from './failures.js'
import { openPool, type Pool } from './pool.js'
import { refusesOptions, requireServer } from './server.js'
import { openServer } from './server-address.js'
import { connectionOptions, requireSettings, sessionSettings } from './session-settings.js'
import { type Limit, newPreparing, type Postgres, runAlone, runOn, runPatiently, within } from './statements.js'

export interface PostgresOptions {
  /** May lead through a pooler. */
  readonly url: string
  /** The server itself, for features that a pooler in transaction mode lacks. Default: `url`. */
  readonly directUrl?: string | undefined
  readonly maxConnections?: number
  readonly maxStatementMilliseconds?: number
}

const capabilities: Capabilities = {
  supportsConcurrentIndexes: true,
  vacuumsItself: true,
  checkpointsItself: true,
  isDurable: true,
  runsTransactionsTogether: true,
  numbersChanges: 'after commit',
  endsStatements: true,
}

const maxClosingMilliseconds = 1_000

/** Closes a connection that does not roll back by then, which has the same effect. */
const rollback: Limit = { maxAnswerMilliseconds: 5_000 }

/** Limits the tries of a transaction that the server rolls back because of a conflict. */
const maxTries = 3

/**
 * Implements the port for PostgreSQL, with the same statements, parameters and values as PGlite. Nothing depends on the
 * session except its settings, so each transaction can use another connection of a pooler.
 * @throws {StartError} `DATABASE_UNREACHABLE`, `DATABASE_TOO_OLD`, `ENCODING`, `DATABASE_SETTINGS` or `DATABASE_POOLED`
 */
export async function openPostgres(options: PostgresOptions): Promise<Database> {
  const { url, directUrl, maxConnections = 10, maxStatementMilliseconds = sizes.maxStatementSeconds * 1_000 } = options
  const server = openServer(url)
  const direct = directUrl === undefined ? server : openServer(directUrl, '--database-listen-url')
  const settings = { ...sessionSettings, statement_timeout: maxStatementMilliseconds }
  const openWith = (options: string | undefined) => openChecked({ server, maxConnections, options }, settings)
  const pool = await openWith(connectionOptions(settings)).catch((error) => {
    if (!refusesOptions(error)) throw error
    if (directUrl === undefined) throw pooled(error)
    return openWith(undefined)
  })
  return overPool({ pool, direct, patient: new Set(), ...newPreparing(maxStatementMilliseconds) })
}

async function openChecked(
  options: Parameters<typeof openPool>[0],
  settings: Parameters<typeof requireSettings>[1],
): Promise<Pool> {
  const pool = openPool(options)
  try {
    await requireServer(pool, options.server)
    await requireSettings(pool.pool, settings)
    return pool
  } catch (error) {
    await pool.close()
    throw error
  }
}

function pooled(cause: unknown): StartError {
  return new StartError(
    'DATABASE_POOLED',
    '--database-url leads to a pooler.',
    'Pass the address of the server behind it with --database-listen-url: notifications and maintenance cannot go through a pooler.',
    cause,
  )
}

function overPool(postgres: Postgres): Database {
  const run = (statement: Sql) =>
    statement.patient ? runPatiently(postgres, statement) : runAlone(postgres, statement)
  return {
    capabilities,
    query: <Row>(statement: Sql) => repeated(() => run(statement)) as Promise<Row[]>,
    batch: (statements) => repeated(() => inTransaction(postgres, (tx) => tx.batch(statements))),
    transaction: (work) => repeated(() => inTransaction(postgres, work)),
    connections: () => postgres.pool.connections(),
    close: () => end(postgres),
  }
}

/** Retries after a conflict: each call is one transaction, which the server has rolled back. */
async function repeated<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (!isRepeatable(error) || tries === maxTries) throw error
      await pause(Math.random() * 20 * tries)
    }
  }
}

async function inTransaction<T>(postgres: Postgres, work: (tx: Database) => Promise<T>): Promise<T> {
  const { pool } = postgres
  const client = await pool.connect()
  let isBroken = false
  try {
    await client.query(within('begin', postgres)).catch(refuse)
    const failures: unknown[] = []
    const tx = overClient(postgres, client, (error) => failures.push(error))
    const result = await work(tx)
    await client.query(within('commit', tx.limit())).catch(refuseCommit)
    // Throws even if the work caught the error, because the failed statement rolled everything back.
    if (failures.length > 0) throw failures[0]
    return result
  } catch (error) {
    pool.failed(client, error)
    await client.query(within('rollback', rollback)).catch(() => {
      isBroken = true
    })
    throw error
  } finally {
    client.release(isBroken)
  }
}

/**
 * Runs statements on the connection of a transaction; `onFailure` receives their errors. After a patient statement, the
 * time limit is off.
 */
function overClient(postgres: Postgres, client: pg.PoolClient, onFailure: (error: unknown) => void) {
  let limit: Limit = postgres
  const tx: Database & { limit(): Limit } = {
    capabilities,
    limit: () => limit,
    query<Row>(statement: Sql) {
      if (statement.patient) limit = {}
      const rows = runOn(client, postgres, statement, limit)
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

/** Ends the pool once running work is done. Cancels maintenance, which leaves nothing half done. */
async function end({ pool, patient }: Postgres): Promise<void> {
  const ended = pool.close()
  await Promise.race([ended, pause(maxClosingMilliseconds)])
  for (const client of patient) client.end().catch(() => undefined)
  await ended
}
